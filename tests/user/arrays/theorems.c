// SPDX-License-Identifier: GPL-2.0
/*
 * Means and variances: every representation, counted one by one, by additions, and
 * by random trees of both, against Steele & Tristan 2017, theorems 11.4, 11.6 and
 * 11.10.
 */
#include <err.h>
#include <math.h>
#include <stdlib.h>

#include "subject.h"
#include "util.h"

#define RUNS		100000
#define CHECK_RUNS	6000	/* of `check`, which is to be quick */
#define BUSTED_RUNS	20000

/*
 * n is small enough that none saturates.  DLM probability counters have few states
 * near their end: with these n the last has a probability below 1e-16 (`arrays dlm`).
 */
static const struct spec {
	u32 kind, bits, q_ppm, m, theta, n;
} specs[] = {
	{ SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS, 8, 1180000, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS, 10, 1030000, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS, 12, 1009000, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS, 16, 1000500, 1, 0, 2000 },
	{ SCOUNTER_REPR_MORRIS2, 4, 0, 1, 0, 50 },
	{ SCOUNTER_REPR_MORRIS2, 5, 0, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS2, 6, 0, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS2, 7, 0, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS2, 8, 0, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS2, 10, 0, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS2, 12, 0, 1, 0, 1000 },
	{ SCOUNTER_REPR_MORRIS2, 16, 0, 1, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS2, 8, 0, 8, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS2, 8, 0, 32, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS2, 10, 0, 32, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS2, 12, 0, 128, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS2, 16, 0, 512, 0, 2000 },
	{ SCOUNTER_REPR_CSUROS, 8, 1200000, 8, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS, 8, 1400000, 4, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS, 10, 1500000, 12, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS, 12, 1400000, 64, 0, 1000 },
	{ SCOUNTER_REPR_CSUROS, 16, 1600000, 512, 0, 2000 },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 8, 1100000, 1, 0, 100 },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 10, 1300000, 1, 0, 60 },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 12, 1200000, 1, 0, 500 },
	{ SCOUNTER_REPR_DLM_PROBABILITY, 16, 1080000, 1, 0, 1000 },
	{ SCOUNTER_REPR_DLM_FLOAT, 8, 0, 16, 16, 1000 },
	{ SCOUNTER_REPR_DLM_FLOAT, 8, 0, 16, 10, 1000 },
	{ SCOUNTER_REPR_DLM_FLOAT, 10, 0, 64, 64, 1000 },
	{ SCOUNTER_REPR_DLM_FLOAT, 12, 0, 256, 100, 1000 },
	{ SCOUNTER_REPR_DLM_FLOAT, 16, 0, 1024, 1024, 3000 },
};

#define SPECS	(sizeof(specs) / sizeof(specs[0]))

/*
 * What is counted: an array of kmod/array/array.c of so many counters, all with n events.
 * Those that are merged into others are kept, as their tables take time.
 */
enum { COUNTERS = 400, DEPTH = 64 };

struct run {
	const struct scounter_array_type *type;
	void *arrays[DEPTH];
	u32 depth;
	u64 seed;
};

static const struct subject *kernel = &subjects[KERNEL];

static void *next_array(struct run *run)
{
	u32 depth = run->depth++;

	if (depth == DEPTH)
		errx(1, "a tree of %u levels", depth);
	if (!run->arrays[depth])
		run->arrays[depth] = create(kernel, run->type, COUNTERS, next_seed(&run->seed));
	else
		kernel->clear(run->arrays[depth]);
	return run->arrays[depth];
}

static u32 below(struct run *run, u32 n)
{
	return next_seed(&run->seed) % n;
}

static void count_up(struct run *run, void *array, u32 n)
{
	u32 i, events;

	(void)run;
	for (i = 0; i < COUNTERS; i++)
		for (events = 0; events < n; events++)
			kernel->inc(array, i);
}

static void add_up(struct run *run, void *array, u32 n)
{
	u32 most = n / 10 + 1, i, left, piece;

	for (i = 0; i < COUNTERS; i++)
		for (left = n; left; left -= piece) {
			piece = 1 + below(run, min(left, most));
			kernel->add(array, i, piece);
		}
}

/* Counters of n events: counted up, added up, or the sums of two such trees. */
static void grow_tree(struct run *run, void *array, u32 n)
{
	u32 choice = below(run, 8);
	u32 left;
	void *other;

	if (n < 2 || choice == 0) {
		count_up(run, array, n);
		return;
	}
	if (choice == 1) {
		add_up(run, array, n);
		return;
	}
	left = 1 + below(run, n - 1);
	grow_tree(run, array, left);
	other = next_array(run);
	grow_tree(run, other, n - left);
	kernel->merge(array, other);
	run->depth--;
}

static const struct workload {
	const char *name;
	void (*work)(struct run *run, void *array, u32 n);
} workloads[] = {
	{ "increments", count_up },
	{ "additions", add_up },
	{ "trees", grow_tree },
};

#define WORKLOADS	(sizeof(workloads) / sizeof(workloads[0]))

struct measured {
	struct summary summary;
	double bound;		/* of the variance: the theorem's, or the Csuros one */
	double limit_z;		/* how far the variance is above what it may be */
	bool saturated;
};

/*
 * The variance of a count of n is at most this: theorems 11.4, 11.6 and 11.10.  For
 * the DLM counters, which have no theorem, that of a Csuros counter of the same q, or
 * with m = theta / 2.
 */
static double bound_of(const struct scounter_repr *repr, u32 n)
{
	const struct scounter_array_type *type = &repr->type;
	double mu = (type->theta ? type->theta / 2.0 : type->m) / (type->q_ppm / 1e6 - 1);
	double rho = type->kind == SCOUNTER_REPR_MORRIS2 ? 0 :
		     mu * mu / (4 * mu * mu + 4 * mu - 2);

	return n * (n - 1.0) / (2 * mu) + rho;
}

/* DLM probability counters are promised 5 / 4 of it: see scounter_repr_xi(). */
static double limit_of(const struct scounter_repr *repr)
{
	return repr->type.kind == SCOUNTER_REPR_DLM_PROBABILITY ? 1.25 : 1;
}

static struct measured measured_of(const struct moments *moments,
				   const struct scounter_repr *repr, u32 n, bool saturated)
{
	struct measured measured = {
		.summary = summarize(moments),
		.bound = bound_of(repr, n),
		.saturated = saturated,
	};

	measured.limit_z = variance_z(&measured.summary, measured.bound * limit_of(repr));
	return measured;
}

static struct measured measure(const struct scounter_repr *repr, u32 n,
			       const struct workload *workload, u32 runs, u64 seed)
{
	struct run run = { .type = &repr->type, .seed = seed };
	struct moments moments = { 0 };
	double values[COUNTERS];
	bool saturated = false;
	u32 i, j;

	for (i = 0; i < runs / COUNTERS; i++) {
		void *array;

		run.depth = 0;
		array = next_array(&run);
		workload->work(&run, array, n);
		saturated |= kernel->saturated(array);
		kernel->values(array, 0, COUNTERS, values);
		for (j = 0; j < COUNTERS; j++)
			moments_add(&moments, values[j] - n);
	}
	for (i = 0; i < DEPTH && run.arrays[i]; i++)
		kernel->free(run.arrays[i]);
	return measured_of(&moments, repr, n, saturated);
}

static struct measured measure_spec(u32 which, u32 how, u32 runs, u64 seed)
{
	const struct spec *spec = &specs[which];
	const struct scounter_repr *repr = repr_of(spec->kind, spec->bits, spec->q_ppm, spec->m,
						   spec->theta);
	struct measured measured;

	measured = measure(repr, spec->n, &workloads[how], runs,
			   derive_seed(seed, workloads[how].name, which));
	progress("theorems", which * WORKLOADS + how, SPECS * WORKLOADS);
	return measured;
}

static const char *spec_name(u32 which)
{
	const struct spec *spec = &specs[which];

	return type_name(&repr_of(spec->kind, spec->bits, spec->q_ppm, spec->m,
				  spec->theta)->type);
}

static bool within(const struct measured *m)
{
	return !m->saturated && fabs(m->summary.mean_z) <= MEAN_LIMIT && m->limit_z <= Z_LIMIT;
}

void test_theorems(u64 seed)
{
	u32 which, how;

	for (which = 0; which < SPECS; which++)
		for (how = 0; how < WORKLOADS; how++) {
			struct measured m = measure_spec(which, how, CHECK_RUNS, seed);

			ok(within(&m), "%s, %u %s: mean %+.2f standard errors, variance %.4f of its bound",
			   spec_name(which), specs[which].n, workloads[how].name,
			   m.summary.mean_z, m.summary.variance / m.bound);
		}
}

int print_theorems(u64 seed)
{
	u32 which, how, outside = 0;

	printf("# %u runs each, seed %llu; bound: of the theorem, or for the DLM counters of\n"
	       "# the Csuros counter with the same q, or m = theta / 2\n", RUNS, seed);
	printf("%-34s %6s %-10s %8s %12s %12s %7s\n", "# representation", "n", "by",
	       "mean z", "variance", "bound", "ratio");
	for (which = 0; which < SPECS; which++)
		for (how = 0; how < WORKLOADS; how++) {
			struct measured m = measure_spec(which, how, RUNS,
							 derive_seed(seed, "theorems", 0));

			outside += !within(&m);
			printf("%-34s %6u %-10s %+8.2f %12.2f %12.2f %7.4f\n",
			       spec_name(which), specs[which].n, workloads[how].name,
			       m.summary.mean_z, m.summary.variance, m.bound,
			       m.summary.variance / m.bound);
		}
	printf("# %u of %lu outside of %g standard errors of the mean, or %g above the bound (for\n"
	       "# DLM probability, 5 / 4 of it)\n", outside, SPECS * WORKLOADS, MEAN_LIMIT, Z_LIMIT);
	return outside ? 1 : 0;
}

/*
 * How additions round: rightly, or in a way that a test must notice.  Of these a cell
 * alone is added to.
 */
typedef u32 (*add_function)(const struct scounter_repr *repr, u32 x, struct scounter_real v,
			    struct rnd_state *rnd, bool *lost);

/* Rounds to the nearer state: no variance, and a bias that adds up. */
static u32 add_nearest(const struct scounter_repr *repr, u32 x, struct scounter_real v,
		       struct rnd_state *rnd, bool *lost)
{
	struct scounter_real sum = scounter_real_sum(scounter_repr_f(repr, x), v);
	u32 k = scounter_repr_phi(repr, sum);
	double rest = real_of(sum) - f_of(repr, k);

	(void)rnd;
	(void)lost;
	return rest * 2 < real_of(scounter_repr_gap(repr, k)) ? k : k + 1;
}

/* Rounds right in the mean, but to states that are too far away. */
static u32 add_far(const struct scounter_repr *repr, u32 x, struct scounter_real v,
		   struct rnd_state *rnd, bool *lost)
{
	struct scounter_real sum = scounter_real_sum(scounter_repr_f(repr, x), v);
	u32 low = scounter_repr_phi(repr, sum), high = low + 1;
	double down, up;

	(void)lost;
	low -= min(low, 12U);
	high += 12;
	down = f_of(repr, low);
	up = f_of(repr, high);
	return prandom_u32_state(rnd) < (real_of(sum) - down) / (up - down) * 0x1p32 ? high : low;
}

/*
 * What kmod/array/array.c does not: when the compare-and-swap fails, which every second
 * one does here, the addition is rounded anew.  A rounding to "no change" does not
 * meet that.
 */
static u32 add_anew(const struct scounter_repr *repr, u32 x, struct scounter_real v,
		    struct rnd_state *rnd, bool *lost)
{
	u32 after;

	do {
		after = scounter_repr_add(repr, x, v, rnd, lost);
	} while (after != x && prandom_u32_state(rnd) & 1);
	return after;
}

/* The same contention, with what the first rounding decided. */
static u32 add_decided(const struct scounter_repr *repr, u32 x, struct scounter_real v,
		       struct rnd_state *rnd, bool *lost)
{
	const struct scounter_cells cells = { .repr = *repr };
	u64 after;

	do {
		after = scounter_cells_add(&cells, x, 0, &v, 0, rnd, lost);
	} while (after != x && prandom_u32_state(rnd) & 1);
	return after;
}

static struct measured measure_busted(add_function add, u64 seed)
{
	const struct scounter_repr *repr = repr_of(SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0);
	enum { EVENTS = 1000 };
	struct moments moments = { 0 };
	struct rnd_state rnd;
	bool lost = false;
	u32 i;

	seed_rnd(&rnd, seed);
	for (i = 0; i < BUSTED_RUNS; i++) {
		u32 x = 0, left, piece;

		for (left = EVENTS; left; left -= piece) {
			piece = 1 + next_seed(&seed) % min(left, EVENTS / 10 + 1U);
			x = add(repr, x, scounter_real(piece), &rnd, &lost);
		}
		moments_add(&moments, f_of(repr, x) - EVENTS);
	}
	return measured_of(&moments, repr, EVENTS, lost);
}

/* The limits above find what they are there for. */
void test_busted(u64 seed)
{
	struct measured m;

	m = measure_busted(add_nearest, seed);
	ok(fabs(m.summary.mean_z) > MEAN_LIMIT,
	   "rounding to the nearest is noticed: mean %+.1f standard errors", m.summary.mean_z);
	m = measure_busted(add_far, seed);
	ok(fabs(m.summary.mean_z) <= MEAN_LIMIT && m.limit_z > Z_LIMIT,
	   "rounding too far is noticed: variance %.2f of its bound, mean %+.1f",
	   m.summary.variance / m.bound, m.summary.mean_z);
	m = measure_busted(add_anew, seed);
	ok(fabs(m.summary.mean_z) > MEAN_LIMIT,
	   "rounding anew under contention is noticed: mean %+.1f standard errors",
	   m.summary.mean_z);
	m = measure_busted(add_decided, seed);
	ok(fabs(m.summary.mean_z) <= MEAN_LIMIT && m.limit_z <= Z_LIMIT,
	   "an addition decided once is unbiased under contention: mean %+.1f standard errors",
	   m.summary.mean_z);
}
