// SPDX-License-Identifier: GPL-2.0
/*
 * array: what the cells of an array should be for a largest count, and what given cells
 * count to.  The choice is that of scounter_array_type_for() in the kernel, from the same
 * source; nothing is read from the module.
 */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scounter.h"
#include "cells.h"
#include "repr/choose.h"

static const unsigned int widths[] = { 4, 5, 6, 7, 8, 10, 12, 16 };

static const char *const kinds[] = {
	NULL, "morris", "morris2", "csuros2", "csuros", "dlm_probability", "dlm_float",
};

#define KINDS	(sizeof(kinds) / sizeof(*kinds))

static double real_number(const char *option, const char *text, double least, double most)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= least && value <= most))
		usage_error("%s is a number from %g to %g, not '%s'", option, least, most, text);
	return value;
}

static unsigned int whole_number(const char *option, const char *text, unsigned int most)
{
	unsigned long value = number_of(option, text);

	if (value > most)
		usage_error("%s is at most %u, not '%s'", option, most, text);
	return value;
}

static unsigned int width_of_cells(const char *text)
{
	unsigned int value = whole_number("--bits", text, 16);

	if (!scounter_bits_allowed(value))
		usage_error("--bits is 4 to 8, 10, 12 or 16, not '%s'", text);
	return value;
}

/* The largest count, by the representation itself. */
static double most_of(const struct scounter_array_type *type)
{
	u32 count = scounter_repr_rungs(type);
	struct scounter_rung *rungs = count ? calloc(count, sizeof(*rungs)) : NULL;
	struct scounter_repr repr;
	double most;

	if (count && !rungs)
		fail(FAILED, "out of memory");
	if (count)
		count = scounter_csuros_fill(rungs, count, type->q_ppm, type->m);
	scounter_repr_init(&repr, type, rungs, count);
	most = repr.most.whole + ldexp(repr.most.part, -64);
	free(rungs);
	return most;
}

/* sqrt(xi); of a type whose error grows along its range, at its beginning. */
static double error_of(const struct scounter_array_type *type)
{
	const struct scounter_repr repr = { .type = *type };

	if (type->kind == SCOUNTER_REPR_CSUROS2 && type->m >= 1U << type->bits)
		return 0;
	return sqrt(scounter_repr_xi(&repr, 0) / 1e12);
}

static void put_head(void)
{
	puts("kind             bits         q      m            largest    error  exact below  bytes");
}

static void put_type(const struct scounter_array_type *type)
{
	const struct scounter_repr repr = { .type = *type };
	double most = most_of(type);
	u32 exact = scounter_repr_exact(&repr);

	printf("%-15s  %4u  %.6f  %5u  %17.2f  %6.2f%%  %11u  %5.3f\n", kinds[type->kind],
	       type->bits, type->q_ppm / 1e6, type->m, most, 100 * error_of(type),
	       type->m >= 1U << type->bits ? 1U << type->bits : exact, 8.0 / (64 / type->bits));
}

/* The largest power of two with which a binary Csuros counter reaches it: cheaper to count in. */
static bool binary_for(struct scounter_array_type *type, unsigned int bits, u64 most)
{
	u32 m;

	for (m = 1U << bits; m; m /= 2) {
		const char *why;

		*type = (struct scounter_array_type){
			.kind = SCOUNTER_REPR_CSUROS2, .bits = bits, .m = m,
		};
		if (!scounter_type_check(type, &why) && most_of(type) >= most)
			return true;
	}
	return false;
}

/* The q of a Morris counter whose last state is that count, or 0. */
static double morris_q(unsigned int bits, double most)
{
	double low = 1, high = 2;
	unsigned int i, last = (1U << bits) - 1;

	if (most <= last || most > exp2(last) - 1)
		return 0;
	for (i = 0; i < 100; i++) {
		double q = (low + high) / 2;

		if ((pow(q, last) - 1) / (q - 1) < most)
			low = q;
		else
			high = q;
	}
	return high;
}

static bool put_choices(unsigned int bits, double most)
{
	struct scounter_array_type type, binary;
	const char *why;

	if (scounter_type_for(&type, bits, ceil(most), &why))
		return false;
	put_type(&type);
	if (type.kind != SCOUNTER_REPR_CSUROS2 && binary_for(&binary, bits, ceil(most)))
		put_type(&binary);
	return true;
}

static int choose_bits(unsigned int bits, double most)
{
	unsigned int i, done = 0;

	for (i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		if (bits && widths[i] != bits)
			continue;
		if (!done && most <= exp2(exp2(widths[i]) - 1) - 1)
			put_head();
		done += put_choices(widths[i], most);
	}
	if (!done)
		fail(FAILED, "no counter of %u bits counts to %.15g", bits, most);
	if (bits && morris_q(bits, most))
		printf("# a Morris counter of %u bits ends at %.15g with q = %.6f\n"
		       "# in the kernel: scounter_array_type_for(&type, %u, %.0f)\n", bits, most,
		       morris_q(bits, most), bits, ceil(most));
	return OK;
}

static int choose_error(double most, double percent)
{
	struct scounter_array_type type;
	const char *why;

	if (scounter_type_for_error(&type, ceil(most), floor(percent * 1e4), &why))
		fail(FAILED, "%.15g with %g%%: %s", most, percent, why);
	put_head();
	put_type(&type);
	printf("# in the kernel: scounter_array_type_for_error(&type, %.0f, %.0f)\n", ceil(most),
	       floor(percent * 1e4));
	return OK;
}

static int choose(int argc, char **argv)
{
	static const struct option options[] = {
		{ "bits", required_argument, NULL, 'b' },
		{ "max", required_argument, NULL, 'm' },
		{ "error", required_argument, NULL, 'e' },
		{}
	};
	double most = 0, percent = -1;
	unsigned int bits = 0;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'b':
			bits = width_of_cells(optarg);
			break;
		case 'm':
			most = real_number("--max", optarg, 1, exp2(63));
			break;
		case 'e':
			percent = real_number("--error", optarg, 0, 100);
			break;
		default:
			return USAGE;
		}
	}
	if (optind != argc || !most || (bits && percent >= 0))
		usage_error("array choose takes --max N, and --bits N or --error PERCENT");
	return percent >= 0 ? choose_error(most, percent) : choose_bits(bits, most);
}

static unsigned int kind_of(const char *text)
{
	unsigned int i;

	for (i = 1; i < KINDS; i++)
		if (!strcmp(kinds[i], text))
			return i;
	usage_error("--kind is morris, morris2, csuros2, csuros, dlm_probability or dlm_float, not '%s'",
		    text);
}

static int range(int argc, char **argv)
{
	static const struct option options[] = {
		{ "kind", required_argument, NULL, 'k' },
		{ "bits", required_argument, NULL, 'b' },
		{ "q", required_argument, NULL, 'q' },
		{ "m", required_argument, NULL, 'm' },
		{ "theta", required_argument, NULL, 't' },
		{}
	};
	struct scounter_array_type type = { 0 };
	const char *why;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'k':
			type.kind = kind_of(optarg);
			break;
		case 'b':
			type.bits = width_of_cells(optarg);
			break;
		case 'q':
			type.q_ppm = lround(1e6 * real_number("--q", optarg, 1.000001, 2));
			break;
		case 'm':
			type.m = whole_number("--m", optarg, 65536);
			break;
		case 't':
			type.theta = whole_number("--theta", optarg, 65536);
			break;
		default:
			return USAGE;
		}
	}
	if (optind != argc || !type.kind || !type.bits)
		usage_error("array range takes --kind KIND and --bits N, and --q Q, --m N, --theta N");
	if (scounter_type_check(&type, &why))
		usage_error("%s", why);
	put_head();
	put_type(&type);
	return OK;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} array_commands[] = {
	{ "list", array_list },
	{ "show", array_show },
	{ "sum", array_total },
	{ "choose", choose },
	{ "range", range },
};

int cmd_array(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned int i;

	for (i = 0; i < sizeof(array_commands) / sizeof(*array_commands); i++) {
		if (strcmp(what, array_commands[i].name))
			continue;
		argv[1] = argv[0];
		return array_commands[i].run(argc - 1, argv + 1);
	}
	usage_error("array takes list, show, sum, choose or range");
}
