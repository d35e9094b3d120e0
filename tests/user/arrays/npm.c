// SPDX-License-Identifier: GPL-2.0
/*
 * Real counts: the downloads of all npm packages in a month, through arrays of 8,
 * 12 and 16 bits, by one addition each, and split in eight parts and merged.
 */
#include <err.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

#include "arrays.h"
#include "util.h"

#define PARTS	8

static const struct {
	u32 kind, bits, q_ppm, m;
} types[] = {
	{ SCOUNTER_REPR_MORRIS, 8, 1100000, 1 },
	{ SCOUNTER_REPR_CSUROS, 12, 1400000, 64 },
	{ SCOUNTER_REPR_CSUROS, 16, 1600000, 2048 },
	{ SCOUNTER_REPR_SHARED, 16, 0, 1 },
};

struct counts {
	u64 *of;
	u64 length, largest;
};

static struct counts read_counts(const char *path)
{
	json_object *object = json_object_from_file(path);
	struct counts counts = { 0 };

	if (!object || !json_object_is_type(object, json_type_object))
		errx(2, "%s: %s", path, object ? "not an object of counts" :
		     json_util_get_last_err());
	counts.of = allocate(json_object_object_length(object) + 1, sizeof(*counts.of));
	json_object_object_foreach(object, name, value) {
		s64 count = json_object_get_int64(value);

		if (!json_object_is_type(value, json_type_int) || count < 0)
			errx(2, "%s: the count of %s is no count", path, name);
		counts.largest = max(counts.largest, (u64)count);
		counts.of[counts.length++] = count;
	}
	json_object_put(object);
	if (!counts.length)
		errx(2, "%s: no counts", path);
	return counts;
}

/* Each count is cut at random, unevenly, so that parts differ in size. */
static void split(u64 count, u64 *parts, u64 *seed)
{
	u32 i;

	for (i = 0; i < PARTS - 1; i++) {
		parts[i] = count ? next_seed(seed) % (count / (PARTS - i) * 2 + 1) : 0;
		parts[i] = min(parts[i], count);
		count -= parts[i];
	}
	parts[PARTS - 1] = count;
}

static struct array *add_whole(u32 which, const struct counts *counts, u64 seed)
{
	struct array *array = new_array(types[which].kind, types[which].bits, types[which].q_ppm,
					types[which].m, counts->length, seed);
	u64 i;

	for (i = 0; i < counts->length; i++)
		array_add(array, i, counts->of[i]);
	return array;
}

static struct array *add_split(u32 which, const struct counts *counts, u64 seed)
{
	struct array *arrays[PARTS];
	u64 parts[PARTS], i;
	u32 part;

	for (part = 0; part < PARTS; part++)
		arrays[part] = new_array(types[which].kind, types[which].bits,
					 types[which].q_ppm, types[which].m, counts->length,
					 derive_seed(seed, "part", part));
	for (i = 0; i < counts->length; i++) {
		split(counts->of[i], parts, &seed);
		for (part = 0; part < PARTS; part++)
			array_add(arrays[part], i, parts[part]);
	}
	for (part = 1; part < PARTS; part++) {
		if (array_merge(arrays[0], arrays[part]))
			errx(1, "%s", array_error());
		array_free(arrays[part]);
	}
	return arrays[0];
}

static void print_errors(const char *how, u32 which, struct array *array,
			 const struct counts *counts, u64 least)
{
	double *errors = allocate(counts->length, sizeof(*errors));
	double *values = allocate(counts->length, sizeof(*values));
	double sum = 0, square = 0;
	char limit[16] = "-";	/* additive errors have none */
	u64 i, n = 0;

	array_values(array, 0, counts->length, values);
	for (i = 0; i < counts->length; i++) {
		double truth = counts->of[i];

		if (counts->of[i] < least)
			continue;
		errors[n] = values[i] / truth - 1;
		sum += errors[n];
		square += errors[n] * errors[n];
		n++;
	}
	if (types[which].kind != SCOUNTER_REPR_SHARED)
		snprintf(limit, sizeof(limit), "%.3f%%", 100 * sqrt(xi_of(&array->cells.repr)));
	if (!n)
		return;
	qsort(errors, n, sizeof(*errors), compare_doubles);
	printf("%-28s %-7s %8llu %8llu %+8.3f%% %+8.3f%% %+8.3f%% %+8.3f%% %8.3f%% %9s\n",
	       type_name(&array->cells.repr.type), how, least, n, 100 * errors[n / 4],
	       100 * errors[n / 2], 100 * errors[n * 3 / 4], 100 * sum / n,
	       100 * sqrt(square / n), limit);
	free(errors);
	free(values);
}

int print_npm(const char *path, u64 seed)
{
	static const u64 least[] = { 1, 1000, 1000000 };
	struct counts counts = read_counts(path);
	u32 which, i, how;

	printf("# %llu counts, the largest %llu; seed %llu\n"
	       "# errors relative to the true count: quartiles, mean, root mean square;\n"
	       "# limit: the theorem's relative standard deviation\n"
	       "%-28s %-7s %8s %8s %9s %9s %9s %9s %9s %9s\n", counts.length, counts.largest,
	       seed, "# representation", "by", "from", "counts", "1st q", "median", "3rd q",
	       "mean", "rms", "limit");
	for (which = 0; which < sizeof(types) / sizeof(types[0]); which++)
		for (how = 0; how < 2; how++) {
			u64 own = derive_seed(seed, how ? "split" : "whole", which);
			struct array *array = how ? add_split(which, &counts, own) :
					      add_whole(which, &counts, own);

			for (i = 0; i < sizeof(least) / sizeof(least[0]); i++)
				print_errors(how ? "merged" : "added", which, array, &counts,
					     least[i]);
			if (types[which].kind == SCOUNTER_REPR_SHARED) {
				struct scounter_array_estimate estimate;

				array_estimate(array, 0, &estimate);
				printf("# additive error of the line above: deviation at most %llu\n",
				       estimate.additive);
			}
			if (array_saturated(array))
				printf("# saturated\n");
			array_free(array);
		}
	return 0;
}
