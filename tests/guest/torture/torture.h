/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is tortured: a subject is a counter, an array or a table that all contexts
 * of all CPUs count in, with a ledger of what they have begun to count and what
 * they are done with.  At every moment
 *
 *	done, read before  <=  what the subject says  <=  begun, read after
 *
 * if it is exact; if not, within MARGIN standard deviations that it states itself.
 */
#ifndef _SCOUNTER_TORTURE_H
#define _SCOUNTER_TORTURE_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/scounter.h>
#include <linux/scounter_array.h>
#include <linux/scounter_topk.h>

#include "../contexts/context.h"

/* 1e-15 a look, of a normal variable. */
#define MARGIN		8

struct ledger {
	atomic64_t begun;
	atomic64_t done;
};

struct subject {
	const char *name;
	const struct subject_ops *ops;
	u32 variant;		/* a kind or a design */
	union {
		struct scounter *counter;
		struct word *word;
		struct scounter_array *array;
		struct scounter_topk *topk;
	};
	struct ledger __percpu *ledger;
	atomic64_t returned;	/* by resets; exact subjects */
	atomic64_t refused;	/* calls with a bad argument */
	atomic_t resets_begun, resets_done;
	/* The reader's alone: */
	u64 last;		/* seen, as no value may go back */
	s64 done_before, begun_after;	/* the last reset; approximate subjects */
	u64 carried;		/* over it, by increments that were on their way */
	u64 looks;		/* that could be judged */
	u64 resets;
};

struct subject_ops {
	int (*create)(struct subject *subject);
	void (*destroy)(struct subject *subject);
	/* So many events, a multiple of EVENTS, in any context. */
	void (*count)(struct subject *subject, u32 events);
	/* One look, while others count; the reader's thread. */
	void (*check)(struct subject *subject);
	void (*reset)(struct subject *subject);
	/* Nobody counts any more. */
	void (*check_end)(struct subject *subject);
	/* An event takes a few instructions: tasks make more of them in a call. */
	bool is_quick;
};

#define EVENTS		20

extern const struct subject_ops torture_counter_ops;
extern const struct subject_ops torture_word_ops;
extern const struct subject_ops torture_array_ops;
extern const struct subject_ops torture_topk_ops;

s64 torture_done(const struct subject *subject);
s64 torture_begun(const struct subject *subject);

/* Faults that the torture itself makes: each must be noticed. */
enum busted {
	BUSTED_NOT,
	BUSTED_LOST,		/* events claimed and not counted */
	BUSTED_TWICE,		/* counted twice */
	BUSTED_RETURNED_TWICE,	/* a reset returns what an earlier one did */
	BUSTED_BACK,		/* a value goes back */
	BUSTED_BOUNDS,		/* of approximate subjects: too few counted */
	BUSTED_LEAK,		/* a counter, array or table is forgotten */
	BUSTED_RACING,		/* the kind that loses counts, taken for exact */
};

/* In the flavour @flavour, now and then. */
bool torture_is_busted(enum busted flavour);

/* Something does not hold: counted, and the first ones shown. */
#define torture_expect(subject, holds, format, ...) do {		\
	if (!(holds))							\
		torture_violated("%s: " format, (subject)->name, ##__VA_ARGS__); \
} while (0)

__printf(1, 2) void torture_violated(const char *format, ...);

/*
 * What an approximate subject says now, with @margin of MARGIN standard deviations,
 * against the events since its last reset.
 */
void torture_judge(struct subject *subject, s64 done, u64 value, u64 margin, s64 begun);

/*
 * Remember a reset that found units of @unit, between what was @done before and now.
 * An increment that was on its way brings such a unit with it, or nothing.  Of 4
 * contexts on 4 CPUs at most 16 do: more than 8 units too many are as rare as
 * MARGIN standard deviations.
 */
void torture_reset_done(struct subject *subject, s64 done, u64 unit);

int torture_churn_start(void);
void torture_churn_stop(void);
u64 torture_churned(void);

/* One of them. */
void torture_churn_set(const char *name);

int torture_reclaim_start(void);
void torture_reclaim_stop(void);
u64 torture_evicted(void);

#endif /* _SCOUNTER_TORTURE_H */
