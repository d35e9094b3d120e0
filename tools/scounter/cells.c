// SPDX-License-Identifier: GPL-2.0
/* array list, show and sum: what the cells of an array say, from the module or a file. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"

#include "scounter.h"
#include "cells.h"
#include "folder.h"
#include "recorded.h"
#include "table.h"

#define TOP	20

static const char *const kinds[] = {
	[SCOUNTER_REPR_MORRIS] = "morris", [SCOUNTER_REPR_MORRIS2] = "morris2",
	[SCOUNTER_REPR_CSUROS2] = "csuros2", [SCOUNTER_REPR_CSUROS] = "csuros",
	[SCOUNTER_REPR_DLM_PROBABILITY] = "dlm_probability",
	[SCOUNTER_REPR_DLM_FLOAT] = "dlm_float", [SCOUNTER_REPR_SHARED] = "shared",
};

/* @name: in --from or of the module; NULL: --from is of one array */
static struct array *load(const char *name)
{
	FILE *file = from ? recorded_open(&array_folder, name) : folder_open(&array_folder, name);
	struct array *array;

	if (array_load(&array, file))
		fail(FAILED, "%s: %s", name ? name : from, array_error());
	if (file != stdin)
		fclose(file);
	return array;
}

static const char *state_of_array(const struct array *array)
{
	return array_saturated(array) ? "saturated" : "complete";
}

/* Relative to the sum; "-": nothing is known of it. */
static void format_deviation(const struct array_total *sum, char *to, size_t room)
{
	if (sum->flags & SCOUNTER_F_SATURATED || (sum->value <= 0 && sum->variance))
		snprintf(to, room, "-");
	else if (sum->value <= 0)
		snprintf(to, room, "0.0000%%");
	else
		snprintf(to, room, "%.4f%%", 100 * sqrt(sum->variance) / sum->value);
}

static struct array_total sum_of(struct array *array)
{
	struct array_total sum;

	if (array_sum(array, 0, array->length, &sum))
		fail(FAILED, "%s", array_error());
	return sum;
}

static void put_tsv(const struct table *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		printf("%s%c", table->columns[i].title, i + 1 < table->count ? '\t' : '\n');
	for (i = 0; i < table->used; i++)
		printf("%s%c", table->cells[i], i % table->count + 1 < table->count ? '\t' : '\n');
}

static void put_table(struct table *table)
{
	if (isatty(STDOUT_FILENO))
		table_print(table, false);
	else
		put_tsv(table);
	table_end(table);
}

static int no_options(int argc, char **argv)
{
	static const struct option options[] = { {} };

	return getopt_long(argc, argv, "", options, NULL) == -1;
}

/* A file of one array has no names. */
static bool is_one_name(int count)
{
	return count == 1 || (from && !count);
}

int array_list(int argc, char **argv)
{
	static const struct column columns[] = {
		{ .title = "ARRAY", .left = true, .least = 20 },
		{ .title = "COUNTERS" },
		{ .title = "CELLS", .left = true, .rank = 2 },
		{ .title = "COPIES", .rank = 3 },
		{ .title = "BYTES", .rank = 1 },
		{ .title = "SUM" },
		{ .title = "ERROR", .rank = 1 },
		{ .title = "STATE", .left = true },
	};
	char **names, **name, error[32];
	struct table table;

	if (!no_options(argc, argv))
		return USAGE;
	if (optind != argc)
		usage_error("array list takes no argument");
	names = from ? recorded_names(&array_folder) : folder_names(&array_folder);
	table_begin(&table, columns, sizeof(columns) / sizeof(*columns));
	for (name = names; *name; name++) {
		struct array *array = load(*name);
		struct array_total sum = sum_of(array);
		const struct scounter_array_type *type = &array->cells.repr.type;

		format_deviation(&sum, error, sizeof(error));
		table_add(&table, *name);
		table_printf(&table, "%" PRIu64, (uint64_t)array->length);
		table_printf(&table, "%u bits %s", type->bits, kinds[type->kind]);
		table_printf(&table, "%u", array->copies);
		table_printf(&table, "%" PRIu64, (uint64_t)(array->cells.words * array->copies * 8));
		table_printf(&table, "%.0f", sum.value);
		table_add(&table, error);
		table_add(&table, state_of_array(array));
		array_free(array);
		free(*name);
	}
	free(names);
	put_table(&table);
	return OK;
}

int array_total(int argc, char **argv)
{
	static const struct column columns[] = {
		{ .title = "COUNTERS" }, { .title = "SUM" }, { .title = "ERROR" }, { .title = "DEVIATION" }, { .title = "STATE", .left = true },
	};
	struct array_total sum;
	struct array *array;
	struct table table;
	char error[32];

	if (!no_options(argc, argv))
		return USAGE;
	if (!is_one_name(argc - optind))
		usage_error("array sum takes a GROUP/NAME, or --from FILE");
	array = load(argv[optind]);
	sum = sum_of(array);
	format_deviation(&sum, error, sizeof(error));
	table_begin(&table, columns, sizeof(columns) / sizeof(*columns));
	table_printf(&table, "%" PRIu64, (uint64_t)array->length);
	table_printf(&table, "%.0f", sum.value);
	table_add(&table, error);
	table_printf(&table, "%.0f", sqrt(sum.variance));
	table_add(&table, sum.flags & SCOUNTER_F_SATURATED ? "saturated" : "complete");
	put_table(&table);
	array_free(array);
	return OK;
}

struct counter {
	uint64_t index;
	struct scounter_array_estimate estimate;
};

static int by_value(const void *a, const void *b)
{
	const struct counter *x = a, *y = b;

	if (x->estimate.value != y->estimate.value)
		return x->estimate.value < y->estimate.value ? 1 : -1;
	return x->index < y->index ? -1 : 1;
}

static struct scounter_array_estimate counter_estimate(struct array *array, uint64_t index)
{
	struct scounter_array_estimate estimate;

	if (array_estimate(array, index, &estimate))
		fail(FAILED, "%s", array_error());
	return estimate;
}

/* The largest, by insertion: `top` are few. */
static size_t find_top(struct array *array, struct counter *counters, size_t top)
{
	size_t count = 0, i;
	uint64_t index;

	for (index = 0; index < array->length; index++) {
		struct counter counter = { .index = index };

		counter.estimate.value = array_value(array, index);
		if (!counter.estimate.value ||
		    (count == top && counter.estimate.value <= counters[top - 1].estimate.value))
			continue;
		for (i = count < top ? count++ : top - 1; i && by_value(&counters[i - 1], &counter) > 0; i--)
			counters[i] = counters[i - 1];
		counters[i] = counter;
	}
	for (i = 0; i < count; i++)
		counters[i].estimate = counter_estimate(array, counters[i].index);
	return count;
}

static void add_counter(struct table *table, const struct counter *counter)
{
	const struct scounter_array_estimate *e = &counter->estimate;
	char error[32];

	append_percent(error, e->error_ppm, 0);
	table_printf(table, "%" PRIu64, counter->index);
	table_printf(table, "%" PRIu64, (uint64_t)e->value);
	table_add(table, e->flags & SCOUNTER_F_SATURATED ? "-" : error);
	table_printf(table, "%" PRIu64, (uint64_t)e->lower);
	if (e->upper == UINT64_MAX)
		table_add(table, "-");
	else
		table_printf(table, "%" PRIu64, (uint64_t)e->upper);
	table_add(table, e->flags & SCOUNTER_F_SATURATED ? "saturated" :
			 e->flags & SCOUNTER_F_SAMPLING ? "sampling" : "exact");
}

static void show_top(struct array *array, unsigned long top)
{
	static const struct column columns[] = {
		{ .title = "COUNTER" }, { .title = "VALUE" }, { .title = "ERROR" }, { .title = "LOWER", .rank = 1 },
		{ .title = "UPPER", .rank = 1 }, { .title = "STATE", .left = true },
	};
	size_t room = top < array->length ? top : array->length, count, i;
	struct counter *counters = calloc(room + 1, sizeof(*counters));
	struct table table;

	if (!counters)
		fail(FAILED, "out of memory");
	count = find_top(array, counters, room);
	table_begin(&table, columns, sizeof(columns) / sizeof(*columns));
	for (i = 0; i < count; i++)
		add_counter(&table, &counters[i]);
	put_table(&table);
	free(counters);
}

#define BINS	65

static int bin_of(uint64_t value)
{
	return value ? 64 - __builtin_clzll(value) : 0;
}

/* Counters by the powers of two of their values, and a bar for each. */
static void show_histogram(struct array *array)
{
	static const struct column columns[] = {
		{ .title = "FROM" }, { .title = "TO" }, { .title = "COUNTERS" }, { .title = "SHARE" }, { .title = "", .left = true, .rank = 1 },
	};
	uint64_t bins[BINS] = { 0 }, most = 0, i;
	int bin, first = BINS, last = -1, n;
	struct table table;
	char bar[41];

	for (i = 0; i < array->length; i++)
		bins[bin_of(array_value(array, i))]++;
	for (bin = 0; bin < BINS; bin++) {
		if (!bins[bin])
			continue;
		first = bin < first ? bin : first;
		last = bin;
		most = bins[bin] > most ? bins[bin] : most;
	}
	table_begin(&table, columns, sizeof(columns) / sizeof(*columns));
	for (bin = first; bin <= last; bin++) {
		n = most ? (bins[bin] * 40 + most - 1) / most : 0;
		memset(bar, '#', n);
		bar[n] = 0;
		table_printf(&table, "%" PRIu64, bin ? (uint64_t)1 << (bin - 1) : 0);
		table_printf(&table, "%" PRIu64, !bin ? 0 : bin == 64 ? UINT64_MAX : ((uint64_t)1 << bin) - 1);
		table_printf(&table, "%" PRIu64, bins[bin]);
		table_printf(&table, "%.2f%%", 100.0 * bins[bin] / array->length);
		table_add(&table, bar);
	}
	put_table(&table);
}

int array_show(int argc, char **argv)
{
	static const struct option options[] = {
		{ "top", required_argument, NULL, 't' },
		{ "histogram", no_argument, NULL, 'h' },
		{}
	};
	unsigned long top = 0;
	bool histogram = false;
	struct array *array;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 't': top = number_of("--top", optarg); break;
		case 'h': histogram = true; break;
		default: return USAGE;
		}
	}
	if (top && histogram)
		usage_error("array show takes --top N or --histogram, not both");
	if (!is_one_name(argc - optind))
		usage_error("array show takes a GROUP/NAME, or --from FILE");
	array = load(argv[optind]);
	if (histogram)
		show_histogram(array);
	else
		show_top(array, top ? top : TOP);
	array_free(array);
	return OK;
}
