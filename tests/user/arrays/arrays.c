// SPDX-License-Identifier: GPL-2.0
/* Arrays of approximate counters in user space: tests, measurements, snapshots. */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arrays.h"
#include "shim.h"
#include "util.h"

static const char *const kind_names[] = {
	NULL, "morris", "morris2", "csuros2", "csuros", "dlm_probability", "dlm_float", "shared",
};

const char *kind_name(u32 kind)
{
	return kind && kind < sizeof(kind_names) / sizeof(kind_names[0]) ? kind_names[kind] :
	       "no kind";
}

const char *type_name(const struct scounter_array_type *type)
{
	static char texts[4][80];
	static u32 next;
	char *text = texts[next++ % 4];
	int used;

	used = sprintf(text, "%s %u bits", kind_names[type->kind], type->bits);
	if (type->q_ppm != SCOUNTER_REPR_Q_PPM_MAX)
		used += sprintf(text + used, " q %g", type->q_ppm / 1e6);
	if (type->m != 1)
		used += sprintf(text + used, " m %u", type->m);
	if (type->theta && type->theta != type->m)
		used += sprintf(text + used, " theta %u", type->theta);
	if (type->group != 1)
		sprintf(text + used, " group %u", type->group);
	return text;
}

/* Until the program ends: there are not many different ones. */
static struct kept {
	struct scounter_repr repr;
	struct kept *next;
} *kept;

const struct scounter_repr *repr_of(u32 kind, u32 bits, u32 q_ppm, u32 m, u32 theta)
{
	struct scounter_array_type type = {
		.kind = kind, .bits = bits, .q_ppm = q_ppm, .m = m, .theta = theta,
	};
	struct scounter_rung *rungs = NULL;
	struct kept *repr;
	const char *why;
	u32 count;

	if (scounter_type_check(&type, &why))
		errx(1, "repr_of(%u, %u, %u, %u, %u): %s", kind, bits, q_ppm, m, theta, why);
	for (repr = kept; repr; repr = repr->next)
		if (!memcmp(&repr->repr.type, &type, sizeof(type)))
			return &repr->repr;
	repr = allocate(1, sizeof(*repr));
	count = scounter_repr_rungs(&type);
	if (count) {
		rungs = allocate(count, sizeof(*rungs));
		count = scounter_csuros_fill(rungs, count, type.q_ppm, type.m);
	}
	scounter_repr_init(&repr->repr, &type, rungs, count);
	repr->next = kept;
	kept = repr;
	return &repr->repr;
}

void seed_rnd(struct rnd_state *rnd, u64 seed)
{
	u64 words[2] = { next_seed(&seed), next_seed(&seed) };

	rnd->s1 = __seed(words[0] >> 32, 2U);
	rnd->s2 = __seed((u32)words[0], 8U);
	rnd->s3 = __seed(words[1] >> 32, 16U);
	rnd->s4 = __seed((u32)words[1], 128U);
}

double real_of(struct scounter_real real)
{
	return (double)real.whole + (double)real.part * 0x1p-64;
}

double f_of(const struct scounter_repr *repr, u32 x)
{
	return real_of(scounter_repr_f(repr, x));
}

double xi_of(const struct scounter_repr *repr)
{
	return scounter_repr_xi(repr, 0) / 1e12;
}

struct array *new_array(u32 kind, u32 bits, u32 q_ppm, u32 m, u64 length, u64 seed)
{
	struct scounter_array_type type = {
		.kind = kind, .bits = bits, .q_ppm = q_ppm, .m = m,
	};
	struct array *array;

	if (array_create(&array, &type, length))
		errx(1, "%s", array_error());
	array_seed(array, seed);
	return array;
}

/* Neighbours whose expected number is below 10 share a bin; how many there are. */
static u32 pool(u64 *counts, double *mass, u32 states, u32 runs)
{
	double expected = 0;
	u32 x, bins = 0;
	u64 count = 0;

	for (x = 0; x < states; x++) {
		expected += mass[x];
		count += counts[x];
		if (expected * runs >= 10) {
			mass[bins] = expected;
			counts[bins++] = count;
			expected = 0;
			count = 0;
		}
	}
	mass[bins - 1] += expected;
	counts[bins - 1] += count;
	return bins;
}

bool mass_fits(u64 *counts, double *mass, u32 states, u32 runs, u32 *bins, double *tail)
{
	*bins = pool(counts, mass, states, runs);
	return chi_square_fits(counts, mass, *bins, tail);
}

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const struct {
	const char *name;
	void (*test)(u64 seed);
} groups[] = {
	{ "table1", test_table1 },
	{ "library", test_library },
	{ "both", test_both },
	{ "lost", test_lost },
	{ "hidden", test_hidden },
	{ "sums", test_sums },
	{ "three", test_three },
	{ "choose", test_choose },
	{ "sizes", test_sizes },
	{ "memory", test_memory },
	{ "bulk", test_bulk },
	{ "figures", test_figures },
	{ "dlm", test_dlm },
	{ "group", test_group },
	{ "exact", test_exact },
	{ "cover", test_cover },
	{ "theorems", test_theorems },
	{ "busted", test_busted },
};

static int check(const char *only, u64 seed)
{
	u32 i;

	comment("seed %llu", seed);
	comment("a test of chance may fail without cause: at most 1e-9 each, but %.1e for each",
		normal_tails(MEAN_LIMIT));
	comment("unbiased mean (%g standard errors); the seed is fixed, so that it always passes",
		MEAN_LIMIT);
	comment("or always fails");
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!only || !strcmp(only, groups[i].name))
			groups[i].test(derive_seed(seed, groups[i].name, 0));
	if (!tap_tests())
		errx(2, "no group of tests is named '%s'", only);
	tap_plan(tap_tests());
	return tap_status();
}

static struct array *load(const char *path)
{
	FILE *from = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	struct array *array;

	if (!from)
		err(2, "%s", path);
	if (array_load(&array, from))
		errx(2, "%s: %s", path, array_error());
	printf("# %s, %llu counters, %u copies, %llu refused%s\n",
	       type_name(&array->cells.repr.type), array->length, array->copies, array->refused,
	       array_saturated(array) ? ", saturated" : "");
	return array;
}

int print_sum(const char *path, u64 first, u64 count)
{
	struct array *array = load(path);
	struct array_total sum;

	count = min(count, array->length - min(first, array->length));
	if (array_sum(array, first, count, &sum))
		errx(2, "%s: %s", path, array_error());
	printf("# counters sum deviation\n%llu %.3f %.3f%s\n", count, sum.value,
	       sqrt(sum.variance), sum.flags ? " at least" : "");
	array_free(array);
	return 0;
}

int print_snapshot(const char *path, u64 first, u64 count)
{
	struct scounter_array_estimate estimate;
	struct array *array = load(path);
	u64 i;

	if (first >= array->length)
		errx(2, "%s: no counter %llu", path, first);
	count = min(count, array->length - first);
	printf("# index value lower upper error_ppm additive\n");
	for (i = first; i < first + count; i++) {
		array_estimate(array, i, &estimate);
		printf("%llu %llu %llu %llu %u %llu\n", i, estimate.value, estimate.lower,
		       estimate.upper, estimate.error_ppm, estimate.additive);
	}
	array_free(array);
	return 0;
}

static const char usage[] =
"Usage: arrays [--seed N] VERB\n"
"\n"
"  check [GROUP]     all tests, as TAP (about a minute), or those of one group:\n"
"                    table1 library both lost hidden sums three choose sizes memory\n"
"                    bulk figures dlm group exact cover theorems busted\n"
"  theorems          mean and variance beside their bounds, a line a workload (2 min)\n"
"  table1            log2 of the largest value, for widths, q and m\n"
"  figures           mass within 1, 2 and 3 standard deviations, by recurrence\n"
"  inside            the same of figures 3 and 4, for each n from 0 to 1000\n"
"  bounds            how often bounds miss the truth, by recurrence\n"
"  dlm               exact variance of the DLM counters, and how near their end is\n"
"  memory            bytes of 10^6 counters of each width\n"
"  group             five 6-bit counters over fifty runs, and one tuned counter\n"
"  speed             additions of 8-bit cells, by how they are computed (20 s)\n"
"  add VARIANT N [CELLS]\n"
"                    N times 10^6 additions of one variant, to count instructions\n"
"  npm FILE          the counts of the npm package download-counts (1 min)\n"
"  show FILE [FIRST [COUNT]]\n"
"                    the counters in a snapshot, - for standard input; values are\n"
"                    rounded to whole numbers\n"
"  sum FILE [FIRST [COUNT]]\n"
"                    the sum of its counters, of nothing rounded, and its deviation\n"
"\n"
"The seed is a decimal number; the default is 1.  Exit status: 0, 1 for a test\n"
"that failed, 2 for a wrong call or unreadable input.\n";

static u64 number(const char *text)
{
	char *end;
	u64 value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		errx(2, "'%s' is no number", text);
	return value;
}

static int run(int count, char **words, u64 seed)
{
	const char *verb = count ? words[0] : "";

	if (!strcmp(verb, "check") && count <= 2)
		return check(count > 1 ? words[1] : NULL, seed);
	if (!strcmp(verb, "theorems") && count == 1)
		return print_theorems(seed);
	if (!strcmp(verb, "table1") && count == 1)
		return print_table1();
	if (!strcmp(verb, "figures") && count == 1)
		return print_figures();
	if (!strcmp(verb, "inside") && count == 1)
		return print_inside_each();
	if (!strcmp(verb, "bounds") && count == 1)
		return print_cover();
	if (!strcmp(verb, "dlm") && count == 1)
		return print_dlm();
	if (!strcmp(verb, "memory") && count == 1)
		return print_memory();
	if (!strcmp(verb, "group") && count == 1)
		return print_group(seed);
	if (!strcmp(verb, "speed") && count == 1)
		return print_speed(seed);
	if (!strcmp(verb, "add") && (count == 3 || count == 4))
		return run_add_variant(words[1], number(words[2]), count > 3 ? words[3] : "43",
				       seed);
	if (!strcmp(verb, "npm") && count == 2)
		return print_npm(words[1], seed);
	if (!strcmp(verb, "show") && count >= 2 && count <= 4)
		return print_snapshot(words[1], count > 2 ? number(words[2]) : 0,
				      count > 3 ? number(words[3]) : 20);
	if (!strcmp(verb, "sum") && count >= 2 && count <= 4)
		return print_sum(words[1], count > 2 ? number(words[2]) : 0,
				 count > 3 ? number(words[3]) : U64_MAX);
	fputs(usage, stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "seed", required_argument, NULL, 's' },
		{ 0 }
	};
	u64 seed = 1;
	int option;

	setlinebuf(stdout);
	if (!shim_init(1, 1))
		errx(1, "out of memory");
	while ((option = getopt_long(argc, argv, "+hs:", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 's':
			seed = number(optarg);
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	return run(argc - optind, argv + optind, seed);
}
