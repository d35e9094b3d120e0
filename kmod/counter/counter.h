/* SPDX-License-Identifier: GPL-2.0 */
/* What the registry needs of a counter beyond the public calls. */
#ifndef _SCOUNTER_COUNTER_H
#define _SCOUNTER_COUNTER_H

#include <linux/scounter.h>

/* @name: for the log, where the parameters are wrong; or NULL for that of the @caller. */
int scounter_class_make(struct scounter_class *class, const struct scounter_params *params,
			const char *name, unsigned long caller);

int scounter_init_named(struct scounter *counter, const struct scounter_params *params,
			const char *name);
int scounter_init(struct scounter *counter, const struct scounter_params *params);
int scounter_spread(struct scounter *counter, gfp_t gfp);
void scounter_collapse(struct scounter *counter);
size_t scounter_bytes(const struct scounter *counter);

/* The same beyond the word, which may be a bare one. */
struct scounter_ref;
size_t scounter_word_spread_bytes(const struct scounter_ref *ref);

/* See scounter_or_dummy(). */
bool scounter_is_dummy(const struct scounter *counter);

#endif /* _SCOUNTER_COUNTER_H */
