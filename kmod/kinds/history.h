/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When a counter with a name was made, reset and wrapped, and how often.  Example: of two
 * snapshots with the values 900 and 1000, the difference of 100 is what was counted
 * between them, if neither a reset nor a wrap was.
 */
#ifndef _SCOUNTER_HISTORY_H
#define _SCOUNTER_HISTORY_H

#include <linux/scounter.h>

struct scounter_history {
	const char *name;
	/* Nanoseconds.  On 32-bit machines two at once may mix halves. */
	u64 created_ns, created_real_ns;
	u64 reset_ns, reset_real_ns;
	u64 wrapped_ns, wrapped_real_ns;
	u64 saturated_ns;		/* as seen by snapshots, under their lock */
	atomic_long_t resets, wraps;
	atomic_t begun, done;		/* resets and wraps; they differ while one goes on */
};

void scounter_history_create(struct scounter_history *history, const char *name);

/* Around the exchange of a counter's value for 0. */
void scounter_reset_begin(struct scounter_history *history);
void scounter_reset_done(struct scounter_history *history);

/* Fill in the value, words, resets and wraps of a counter, all of one moment. */
void scounter_history_show(struct scounter *counter, struct scounter_history *history,
			   struct scounter_snapshot_record *record);

struct scounter_ref;

/* The same of a bare word, which has no history. */
void scounter_word_show(const struct scounter_ref *ref, struct scounter_snapshot_record *record);

/* How it was made. */
void scounter_class_show(const struct scounter_class *class,
			 struct scounter_snapshot_record *record);

#endif /* _SCOUNTER_HISTORY_H */
