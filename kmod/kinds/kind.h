/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a kind of counter is made of: a row of the table in
 * <uapi/linux/scounter_kinds.h>, and the functions that its file provides.
 */
#ifndef _SCOUNTER_KIND_H
#define _SCOUNTER_KIND_H

#include <linux/scounter.h>

/* A counter as the functions of its kind see it: a word, wherever it is. */
struct scounter_ref {
	union {
		struct scounter_word32 *word32;
		struct scounter_word64 *word64;
	};
	const struct scounter_class *class;
	struct scounter *counter;	/* that has the word, or NULL */
	u32 late;	/* to read: the k of a success at 2^-k that a reset preceded, or 0 */
};

struct scounter_kind_ops {
	const char *summary;		/* for the file `kinds` */
	size_t word_offset;		/* in struct scounter */
	const u64 *value_max;		/* the end of the range, without options */
	/*
	 * For kinds that spread over the machine, else NULL: allocate and use
	 * the spread part, when the counter is made; return to one word, which
	 * keeps the value, when nobody counts any more; how many bytes are
	 * spread.
	 */
	int (*spread)(struct scounter *counter, gfp_t gfp);
	void (*collapse)(const struct scounter_ref *ref);
	size_t (*spread_bytes)(const struct scounter *counter);

	/* What remains of an increment after its inline part; of words only. */
	void (*finish)(const struct scounter_ref *ref, u32 outcome);
	void (*add)(const struct scounter_ref *ref, u64 n);
	u64 (*read)(const struct scounter_ref *ref);
	/* All but the flags that a counter stores. */
	void (*read_est)(const struct scounter_ref *ref,
			 struct scounter_estimate *estimate);
	u64 (*fetch_reset)(const struct scounter_ref *ref);
};

#define SCOUNTER_DECLARE_OPS(symbol, number, name, ...)			\
	extern const struct scounter_kind_ops scounter_##name##_ops;
SCOUNTER_KIND_TABLE(SCOUNTER_DECLARE_OPS)
#undef SCOUNTER_DECLARE_OPS

/* A row of the table of kinds, with the functions of its file. */
struct scounter_kind_row {
	const char *name;
	const char *paper;
	enum scounter_kind kind;
	enum __scounter_word_size word;
	bool bare;		/* it can be embedded */
	u8 options;		/* SCOUNTER_OPTION_... */
	const struct scounter_kind_ops *ops;
};

extern const struct scounter_kind_row scounter_kinds[__SCOUNTER_KINDS];

/* All kinds whose bits are set in the mask, as in __SCOUNTER_EXACT_KINDS. */
#define scounter_for_each_kind(kind, mask)				\
	for (kind = 1; kind <= __SCOUNTER_KINDS; kind++)		\
		if (BIT(kind) & (mask))

/* The row of a kind, for a choice that of the kind it stands for; or NULL. */
const struct scounter_kind_row *scounter_kind_row(enum scounter_kind kind);

/* Failed tries of one increment after which a kind that adapts does so. */
extern uint scounter_adapt_tries;

/* What several kinds have as the end of their range: 2^63 - 1. */
extern const u64 scounter_s64_max;

int scounter_init(struct scounter *counter, const struct scounter_params *params);
int scounter_spread(struct scounter *counter, gfp_t gfp);
void scounter_collapse(struct scounter *counter);
size_t scounter_bytes(const struct scounter *counter);
const char *scounter_state_name(u32 flags);

/* At the end of its range, @max, a counter stays, or its class lets it begin again. */
static inline bool scounter_exact_wraps(const struct scounter_ref *ref, u64 old, u64 max)
{
	return old == max && ref->class->flags & SCOUNTER_CLASS_WRAP;
}

/* What an exact word with @old in it becomes by @n more events, if it does not wrap. */
static inline u64 scounter_exact_sum(u64 old, u64 n, u64 max)
{
	return n > max - old ? max : old + n;
}

/*
 * Let a @full word begin again with @next, a 0, which the counter's flags and history
 * say.  False, with what the word is now in @full: another CPU changed it.
 */
bool scounter_wrap32(const struct scounter_ref *ref, int *full, u32 next);
bool scounter_wrap64(const struct scounter_ref *ref, s64 *full, u64 next);

/* One try to add @n to a word that is a count and nothing else. */
static inline bool scounter_exact_try_add(const struct scounter_ref *ref, s64 *old, u64 n,
					  u64 max)
{
	if (unlikely(scounter_exact_wraps(ref, *old, max)))
		return scounter_wrap64(ref, old, 0);
	return atomic64_try_cmpxchg_relaxed(&ref->word64->word, old,
					    scounter_exact_sum(*old, n, max));
}

/*
 * Of atomic, percpu and multiline: @words are the sum of all words, and what of it
 * resets have taken.
 */
void scounter_exact_estimate(const struct scounter *counter, u64 words[2],
			     struct scounter_estimate *estimate);

/* The estimate of an exact value below the end of its range, or at it. */
void scounter_estimate_exact(struct scounter_estimate *estimate, u64 value,
			     u64 value_max);

/* What an approximate word knows of its count: see repr/bounds.h. */
struct scounter_known {
	u64 certain;	/* counted one by one, beside the value */
	u64 value;
	u64 unit;	/* each event was counted with probability 1 / unit or more */
	u64 limit;	/* the relative variance of the value, at most, in 10^-12 */
	u64 late;	/* ... but for what landed after a reset with so large a unit, or 0 */
	bool full;	/* at the end of the range */
};

void scounter_estimate_approx(struct scounter_estimate *estimate,
			      const struct scounter_known *known);

#endif /* _SCOUNTER_KIND_H */
