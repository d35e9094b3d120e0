// SPDX-License-Identifier: GPL-2.0
/* sum: the total of counters, with the bounds of a sum (kmod/repr/sum.h). */
#include <getopt.h>
#include <inttypes.h>
#include <unistd.h>

#include "scounter.h"
#include "repr/sum.h"

static struct scounter_estimate sum_of(const struct snapshot *snapshot)
{
	struct scounter_estimate total, one;
	struct scounter_sum sum = { 0 };
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		estimate_of(&snapshot->records[i], &one);
		scounter_sum_put(&sum, &one);
	}
	scounter_sum_get(&sum, &total);
	return total;
}

static void print(const struct snapshot *snapshot, bool tsv)
{
	struct scounter_estimate total = sum_of(snapshot);
	record_t record = { .flags = total.flags, .error_ppm = total.error_ppm };
	char error[32], upper[32];

	if (tsv) {
		puts("counters\tvalue\terror_ppm\tlower\tupper\tstate");
		printf("%" PRIu64 "\t%llu\t%u\t%llu\t%llu\t%s\n", (uint64_t)snapshot->header.count,
		       total.value, total.error_ppm, total.lower, total.upper, state_of(&record));
		return;
	}
	format_error(&record, error, sizeof(error));
	snprintf(upper, sizeof(upper), total.upper == UINT64_MAX ? "-" : "%llu", total.upper);
	printf("%8s %20s %10s %20s %20s  %s\n", "COUNTERS", "VALUE", "ERROR", "LOWER", "UPPER",
	       "STATE");
	printf("%8" PRIu64 " %20llu %10s %20llu %20s  %s\n", (uint64_t)snapshot->header.count,
	       total.value, error, total.lower, upper, state_of(&record));
}

int cmd_sum(int argc, char **argv)
{
	static const struct option options[] = { { "tsv", no_argument, NULL, 't' }, {} };
	struct snapshot snapshot;
	bool tsv = false, complete;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option != 't')
			return USAGE;
		tsv = true;
	}
	if (optind == argc)
		usage_error("sum wants a counter; '*' is all");
	snapshot_read(from, argv + optind, &snapshot);
	complete = snapshot_select(&snapshot, argv + optind, true);
	print(&snapshot, tsv);
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}
