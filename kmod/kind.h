/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a kind of counter is made of.  A new kind is one entry in the table of
 * kind.c and the functions that it names.
 */
#ifndef _SCOUNTER_KIND_H
#define _SCOUNTER_KIND_H

#include <linux/scounter.h>

struct scounter_kind_ops {
	const char *name;
	enum scounter_kind kind;
	/*
	 * For kinds that spread over the machine, else NULL: allocate and use
	 * the spread part; return to one word, which keeps the value, when
	 * nobody counts any more; how many bytes spread() allocates.
	 */
	int (*spread)(struct scounter *counter, gfp_t gfp);
	void (*gather)(struct scounter *counter);
	size_t (*spread_bytes)(void);

	void (*add)(struct scounter *counter, u64 n);
	u64 (*read)(struct scounter *counter);
	void (*read_est)(struct scounter *counter,
			 struct scounter_estimate *estimate);
	u64 (*fetch_reset)(struct scounter *counter);
};

extern const struct scounter_kind_ops scounter_atomic_ops;
extern const struct scounter_kind_ops scounter_percpu_ops;
extern const struct scounter_kind_ops scounter_multiline_ops;
extern const struct scounter_kind_ops scounter_bfp_dup_ops;
extern const struct scounter_kind_ops scounter_bfp_csup_ops;

const struct scounter_kind_ops *scounter_kind_ops(enum scounter_kind kind);

int scounter_init(struct scounter *counter, enum scounter_kind kind, u32 ppm);
int scounter_spread(struct scounter *counter, gfp_t gfp);
void scounter_gather(struct scounter *counter);
size_t scounter_bytes(const struct scounter *counter);
const char *scounter_state_name(u32 flags);

#endif /* _SCOUNTER_KIND_H */
