// SPDX-License-Identifier: GPL-2.0
/* Tables 2 and 3 of Steele & Tristan 2017, measured here, beside theirs. */
#include <err.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "array.h"
#include "tap.h"
#include "util.h"
#include "variants.h"

enum { STATES = 256, MEASUREMENTS = 9 };

static const char usage[] =
"Usage: arrays-bench [--seed N] [--cells N] [--state X] [--csv] VERB\n"
"\n"
"  check    every variant adds every pair of states as the module does\n"
"  table2   time of an addition in every variant, and in the paper (about a minute)\n"
"  table3   time of the standard operators on bytes, and in the paper\n"
"\n"
"  --seed N    of the random numbers, 1\n"
"  --cells N   of an array, 1000 to 10000000; 1000000 as in the paper\n"
"  --state X   of every cell, 0 to 255; 43 as in the paper\n"
"  --csv       one line a variant\n"
"\n"
"Times are measured: the processor time of this program, the mean of seven of nine\n"
"measurements without the least and the largest.  The paper's are of 250 rounds of\n"
"MPI_Allreduce by 32 processes, so that only ratios compare.\n"
"Exit status: 0, 1 for a test that failed, 2 for a wrong call.\n";

static u32 cells = 1000000, start_state = 43;
static bool csv;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static u8 *dst, *src;

/* Nanoseconds a cell, as the paper averages. */
static double time_of(void (*loop)(u8 *dst, const u8 *src, u32 count))
{
	double times[MEASUREMENTS], sum = 0;
	u32 i;

	for (i = 0; i < MEASUREMENTS; i++) {
		double begin;

		memset(dst, start_state, cells);
		memset(src, start_state, cells);
		begin = now();
		loop(dst, src, cells);
		times[i] = (now() - begin) / cells * 1e9;
	}
	qsort(times, MEASUREMENTS, sizeof(*times), compare_doubles);
	for (i = 1; i < MEASUREMENTS - 1; i++)
		sum += times[i];
	return sum / (MEASUREMENTS - 2);
}

static void prepare(u64 seed)
{
	variants_init(seed);
	dst = allocate(cells, 1);
	src = allocate(cells, 1);
}

static void print_head(u64 seed)
{
	printf("# measured; seed %llu, %u cells of state %u, a byte each\n", seed, cells,
	       start_state);
}

static double sum_time(void)
{
	time_of(operators[SUM].loop);
	return time_of(operators[SUM].loop);
}

static int print_table3(u64 seed)
{
	double sum;
	u32 i;

	prepare(seed);
	sum = sum_time();
	print_head(seed);
	printf("# ratio: to SUM.  paper: table 3, its time over that of SUM, %u ms\n"
	       "%-9s %8s %8s %8s\n", operators[SUM].paper, "# op", "ns", "ratio", "paper");
	for (i = 0; i < OPERATORS; i++) {
		double time = time_of(operators[i].loop);

		printf("%-9s %8.2f %8.2f %8.2f\n", operators[i].name, time, time / sum,
		       (double)operators[i].paper / operators[SUM].paper);
	}
	return 0;
}

static double *measured, sum_of_bytes;

static void measure_all(void)
{
	u32 i;

	measured = allocate(variant_count, sizeof(*measured));
	sum_of_bytes = sum_time();
	for (i = 0; i < variant_count; i++) {
		measured[i] = time_of(variants[i].loop);
		progress("variants", i + 1, variant_count);
	}
}

static void print_csv(void)
{
	u32 i;

	printf("s,k,v,g,representation,types,ns,ratio,paper_ms,paper_ratio\n");
	for (i = 0; i < variant_count; i++) {
		const struct variant *variant = &variants[i];
		const struct column *column = &columns[variant->column];
		u32 paper = paper_time(variant);

		printf("%s,%s,%s,%s,%s,%s,%.3f,%.3f,", variant->s, variant->k, variant->v,
		       variant->g, column->name, column->types, measured[i],
		       measured[i] / sum_of_bytes);
		if (paper)
			printf("%u,%.3f", paper, (double)paper / operators[SUM].paper);
		else
			printf(",");
		putchar('\n');
	}
}

static bool same_how(const struct variant *a, const struct variant *b)
{
	return !strcmp(a->s, b->s) && !strcmp(a->k, b->k) && !strcmp(a->v, b->v) &&
	       !strcmp(a->g, b->g);
}

static void print_cell(u32 which)
{
	u32 paper = paper_time(&variants[which]);

	printf(" %6.2f", measured[which] / sum_of_bytes);
	if (paper)
		printf("/%-5.2f", (double)paper / operators[SUM].paper);
	else if (variants[which].column < PAPER_COLUMNS)
		printf("/?    ");
	else
		printf("      ");
}

/* A line is a choice of S, K, V and G; the first column has all of them. */
static void print_line(u32 first)
{
	const struct variant *how = &variants[first];
	u32 column, i;

	printf("%-2s%-3s%-2s%-2s", how->s, how->k, how->v, how->g);
	for (column = 0; column < COLUMNS; column++) {
		for (i = 0; i < variant_count; i++)
			if (variants[i].column == column && same_how(&variants[i], how))
				break;
		if (i < variant_count)
			print_cell(i);
	}
	putchar('\n');
}

static void print_ratios(void)
{
	u32 i;

	printf("# ours/paper's, each over the time of SUM: %.2f ns here, %u ms there (table 3);\n"
	       "# ?: not legible in the text at hand\n# S, K, V, G\n%-9s", sum_of_bytes,
	       operators[SUM].paper, "#");
	for (i = 0; i < COLUMNS; i++)
		printf(" %12s", columns[i].name);
	printf("\n%-9s", "#");
	for (i = 0; i < COLUMNS; i++)
		printf(" %12s", columns[i].types);
	putchar('\n');
	for (i = 0; i < variant_count && !variants[i].column; i++)
		print_line(i);
}

/* The two differ in one choice, @faster and @slower. */
static bool differs_in(u32 a, u32 b, u32 choice, const char *faster, const char *slower)
{
	const char *const one[] = { variants[a].s, variants[a].k, variants[a].v, variants[a].g };
	const char *const other[] = { variants[b].s, variants[b].k, variants[b].v, variants[b].g };
	u32 i;

	for (i = 0; i < 4; i++)
		/* V goes with G. */
		if (i != choice && !(choice == 3 && i == 2) && strcmp(one[i], other[i]))
			return false;
	return variants[a].column == variants[b].column && !strcmp(one[choice], faster) &&
	       !strcmp(other[choice], slower);
}

static void print_claim(const char *claim, u32 choice, const char *faster, const char *slower)
{
	u32 a, b, pairs = 0, hold = 0, legible = 0, paper = 0;

	for (a = 0; a < variant_count; a++)
		for (b = 0; b < variant_count; b++) {
			if (!differs_in(a, b, choice, faster, slower))
				continue;
			pairs++;
			hold += measured[a] < measured[b];
			if (!paper_time(&variants[a]) || !paper_time(&variants[b]))
				continue;
			legible++;
			paper += paper_time(&variants[a]) < paper_time(&variants[b]);
		}
	printf("%-52s %5u of %3u %5u of %3u\n", claim, hold, pairs, paper, legible);
}

/* What section 13 finds, in pairs of variants that differ in nothing else. */
static void print_claims(void)
{
	double slowest = 0;
	u32 i, slower = 0;

	for (i = 0; i < OPERATORS; i++)
		slowest = fmax(slowest, time_of(operators[i].loop));
	for (i = 0; i < variant_count; i++)
		slower += measured[i] > slowest;
	printf("\n%-52s %12s %12s\n", "# what the paper finds, and in how many pairs", "here",
	       "its figures");
	printf("%-52s %5u of %3u\n", "addition is slower than each operator of table 3", slower,
	       variant_count);
	print_claim("K: LI is faster than LA", 1, "LI", "LA");
	print_claim("K: linear search is faster than binary: LA, BA", 1, "LA", "BA");
	print_claim("K: linear search is faster than binary: LT, BT", 1, "LT", "BT");
	print_claim("S: a table is faster than to calculate", 0, "T", "C");
	print_claim("V and G: tables are faster than to calculate", 3, "T", "C");
	print_claim("K: the matrix is faster than to calculate", 1, "M", "C");
	print_claim("K: the matrix is faster than linear search", 1, "M", "LT");
}

static int print_table2(u64 seed)
{
	prepare(seed);
	measure_all();
	print_head(seed);
	if (csv)
		print_csv();
	else
		print_ratios();
	if (!csv)
		print_claims();
	return 0;
}

static const struct scounter_repr *repr_of(const struct column *column)
{
	static struct scounter_rung rungs[STATES];
	static struct scounter_repr repr;
	struct scounter_array_type type = {
		.kind = column->m == 1 && column->q_ppm < SCOUNTER_REPR_Q_PPM_MAX ?
			SCOUNTER_REPR_MORRIS : SCOUNTER_REPR_CSUROS,
		.bits = 8, .q_ppm = column->q_ppm, .m = column->m,
	};
	const char *why;
	u32 count;

	if (scounter_type_check(&type, &why))
		errx(1, "%s: %s", column->name, why);
	count = scounter_csuros_fill(rungs, scounter_repr_rungs(&type), type.q_ppm, type.m);
	scounter_repr_init(&repr, &type, rungs, count);
	return &repr;
}

static double real_of(struct scounter_real real)
{
	return real.whole + real.part * 0x1p-64;
}

/*
 * K with the largest random number, K + 1 with one just below Delta, and K with one just
 * above.  Near a whole state, types of few bits may take the one below, and then always
 * go up: the sum is the same.  Estimates of type float are off by 2^-24 of the sum, which
 * is so much more of the gap.
 */
static bool adds_right(const struct variant *variant, const struct scounter_repr *repr,
		       u32 x, u32 z)
{
	bool is_float = strchr(columns[variant->column].types, 'f') &&
			columns[variant->column].types[0] != 'u';
	struct scounter_real sum = scounter_real_sum(scounter_repr_f(repr, x),
						     scounter_repr_f(repr, z));
	double delta, off, gap;
	u32 k, low, high;

	if (!scounter_real_less(sum, repr->most))
		return repr->top < STATES - 1 || variant->add(x, z, 0) == STATES - 1;
	k = scounter_repr_phi(repr, sum);
	gap = real_of(scounter_repr_gap(repr, k));
	delta = real_of(scounter_real_difference(sum, scounter_repr_f(repr, k))) / gap;
	off = 1e-6 + real_of(sum) / gap * (is_float ? 1e-6 : 1e-12);
	low = variant->add(x, z, delta > off ? ldexp(delta - off, 64) : 0);
	high = variant->add(x, z, delta + off < 1 ? ldexp(delta + off, 64) : ~0ULL);
	if (delta + off >= 1)
		return low == k + 1;
	return (low == k + 1 || delta <= off) && high == k;
}

static u32 wrong_pairs(const struct variant *variant, const struct scounter_repr *repr)
{
	u32 x, z, wrong = 0;

	/* The module's counts end at 2^64, these do not. */
	for (x = 0; x <= repr->top; x++)
		for (z = 0; z <= repr->top; z++)
			wrong += !adds_right(variant, repr, x, z);
	if (wrong)
		comment("%s %s %s %s: %u pairs of states are added wrong", variant->s, variant->k,
			variant->v, variant->g, wrong);
	return wrong;
}

static void check_column(u32 column)
{
	const struct scounter_repr *repr = repr_of(&columns[column]);
	u32 i, right = 0, all = 0;

	for (i = 0; i < variant_count; i++) {
		if (variants[i].column != column)
			continue;
		all++;
		right += !wrong_pairs(&variants[i], repr);
	}
	ok(all == (column < 6 ? 42 : 6) && right == all,
	   "%s, %s: %u of %u variants add all pairs of %u states as the module does",
	   columns[column].name, columns[column].types, right, all, repr->top + 1);
}

static bool operator_is(const char *name, u8 x, u8 y, u8 result)
{
	u32 i;

	for (i = 0; i < OPERATORS; i++)
		if (!strcmp(operators[i].name, name)) {
			operators[i].loop(&x, &y, 1);
			return x == result;
		}
	return false;
}

static int check(void)
{
	u32 i;

	variants_init(1);
	for (i = 0; i < COLUMNS; i++)
		check_column(i);
	ok(operator_is("MAX", 3, 200, 200) && operator_is("MIN", 3, 200, 3) &&
	   operator_is("SUM", 100, 200, 44) && operator_is("PROD", 3, 100, 44) &&
	   operator_is("LAND", 4, 2, 1) && operator_is("BAND", 6, 3, 2) &&
	   operator_is("LOR", 0, 9, 1) && operator_is("BOR", 6, 3, 7) &&
	   operator_is("LXOR", 4, 2, 0) && operator_is("BXOR", 6, 3, 5),
	   "the operators of table 3 are those of MPI");
	tap_plan(tap_tests());
	return tap_status();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "seed", required_argument, NULL, 's' },
		{ "cells", required_argument, NULL, 'c' },
		{ "state", required_argument, NULL, 'x' },
		{ "csv", no_argument, NULL, 'v' },
		{ 0 }
	};
	u64 seed = 1;
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 's':
			seed = number_option("seed", optarg, 0, ~0ULL);
			break;
		case 'c':
			cells = number_option("cells", optarg, 1000, 10000000);
			break;
		case 'x':
			start_state = number_option("state", optarg, 0, STATES - 1);
			break;
		case 'v':
			csv = true;
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (argc - optind == 1 && !strcmp(argv[optind], "check"))
		return check();
	if (argc - optind == 1 && !strcmp(argv[optind], "table2"))
		return print_table2(seed);
	if (argc - optind == 1 && !strcmp(argv[optind], "table3"))
		return print_table3(seed);
	fputs(usage, stderr);
	return 2;
}
