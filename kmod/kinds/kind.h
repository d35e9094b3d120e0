/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kind of counter: a row of the table in <uapi/linux/scounter_kinds.h>, and the
 * functions in its file.  Example: cas is the row CAS, and scounter_cas_ops in cas.c.
 */
#ifndef _SCOUNTER_KIND_H
#define _SCOUNTER_KIND_H

#include <linux/scounter.h>

/* What the functions of a kind take: a word, in a counter or bare. */
struct scounter_ref {
	union {
		struct scounter_word32 *word32;
		struct scounter_word64 *word64;
	};
	const struct scounter_class *class;
	struct scounter *counter;	/* NULL for a bare word */
	u32 late;	/* for reads: the k of a late win at 2^-k, or 0: see kinds/marks.h */
};

/* What an approximate word says of its count: see repr/bounds.h. */
struct scounter_known {
	u64 certain;	/* counted one by one, in addition to the value */
	u64 value;
	u64 unit;	/* each event was counted with probability 1 / unit or more */
	u64 limit;	/* relative variance of the value, at most, in 10^-12 */
	u64 late;	/* the largest weight that landed after a reset; 0 or 1: none */
	bool full;	/* at the end of the range */
};

struct scounter_kind_ops {
	const char *summary;		/* for the file `kinds` */
	size_t word_offset;		/* in struct scounter */
	const u64 *value_max;		/* the end of the range, without options */
	/*
	 * NULL for kinds that do not spread over the machine.  spread() allocates
	 * the spread part when the counter is made.  collapse() returns to one word,
	 * which keeps the value, when nobody counts any more.
	 */
	int (*spread)(struct scounter *counter, gfp_t gfp);
	void (*collapse)(const struct scounter_ref *ref);
	size_t (*spread_bytes)(const struct scounter *counter);

	/* The rest of an increment after its inline part, for kinds with a word. */
	void (*finish)(const struct scounter_ref *ref, u32 outcome);
	void (*add)(const struct scounter_ref *ref, u64 n);
	u64 (*read)(const struct scounter_ref *ref);
	/* Without the flags that are marks of the counter. */
	void (*read_est)(const struct scounter_ref *ref,
			 struct scounter_estimate *estimate);
	/* Of approximate kinds: what read_est() makes its estimate of. */
	struct scounter_known (*known)(const struct scounter_ref *ref);
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

/* Each kind whose bit is set in the mask, such as __SCOUNTER_EXACT_KINDS. */
#define scounter_for_each_kind(kind, mask)				\
	for (kind = 1; kind <= __SCOUNTER_KINDS; kind++)		\
		if (BIT(kind) & (mask))

/* The row of a kind, or of the kind that a choice stands for, or NULL. */
const struct scounter_kind_row *scounter_kind_row(enum scounter_kind kind);

/* What people read: of a choice that and its kind, as "approx:bfp_csup". */
const char *scounter_class_name(const struct scounter_class *class);

const char *scounter_state_name(u32 flags);

/* A kind that adapts does so after so many failed tries of one increment. */
extern uint scounter_adapt_tries;

/* 2^63 - 1, the end of the range of several kinds. */
extern const u64 scounter_s64_max;

/* Does a word that is at the end of its range, @max, begin again at 0? */
static inline bool scounter_exact_wraps(const struct scounter_ref *ref, u64 old, u64 max)
{
	return old == max && ref->class->flags & SCOUNTER_CLASS_WRAP;
}

/* An exact word after @n more events: at most @max. */
static inline u64 scounter_exact_sum(u64 old, u64 n, u64 max)
{
	return n > max - old ? max : old + n;
}

/*
 * Let a @full word begin again with @next, which stands for 0.  The marks and the history
 * of the counter say so.  False if another CPU changed the word: @full is what it is now.
 */
bool scounter_wrap32(const struct scounter_ref *ref, int *full, u32 next);
bool scounter_wrap64(const struct scounter_ref *ref, s64 *full, u64 next);

/* Try once to add @n to a word that has nothing but the count in it. */
static inline bool scounter_exact_try_add(const struct scounter_ref *ref, s64 *old, u64 n,
					  u64 max)
{
	if (unlikely(scounter_exact_wraps(ref, *old, max)))
		return scounter_wrap64(ref, old, 0);
	return atomic64_try_cmpxchg_relaxed(&ref->word64->word, old,
					    scounter_exact_sum(*old, n, max));
}

/*
 * For atomic, percpu and multiline: fills @words with the sum of all words, and with what
 * resets have taken of it.
 */
void scounter_exact_estimate(const struct scounter *counter, u64 words[2],
			     struct scounter_estimate *estimate);

/* The estimate of an exact value, which is saturated at @value_max. */
void scounter_estimate_exact(struct scounter_estimate *estimate, u64 value,
			     u64 value_max);

void scounter_estimate_approx(struct scounter_estimate *estimate,
			      const struct scounter_known *known);

/* Has the count reached the limit?  @marks are the flags that the word does not show. */
enum scounter_answer scounter_ref_reached(const struct scounter_kind_ops *ops,
					  const struct scounter_ref *ref, u32 marks, u64 limit);

#endif /* _SCOUNTER_KIND_H */
