// SPDX-License-Identifier: GPL-2.0
/* sum: the total of counters, with the bounds of a sum (kmod/repr/sum.h). */
#include <getopt.h>
#include <inttypes.h>
#include <unistd.h>

#include "scounter.h"
#include "repr/sum.h"
#include "table.h"

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
	static const struct column columns[] = {
		{ .title = "COUNTERS" }, { .title = "VALUE" }, { .title = "ERROR", .rank = 1 },
		{ .title = "LOWER", .rank = 2 }, { .title = "UPPER", .rank = 2 },
		{ .title = "STATE", .left = true },
	};
	struct scounter_estimate total = sum_of(snapshot);
	record_t record = { .flags = total.flags, .error_ppm = total.error_ppm };
	struct table table;
	char error[32];

	if (tsv) {
		puts("counters\tvalue\terror_ppm\tlower\tupper\tstate");
		printf("%" PRIu64 "\t%llu\t%u\t%llu\t%llu\t%s\n", (uint64_t)snapshot->header.count,
		       total.value, total.error_ppm, total.lower, total.upper, state_of(&record));
		return;
	}
	format_error(&record, error, sizeof(error));
	table_begin(&table, columns, sizeof(columns) / sizeof(*columns));
	table_printf(&table, "%" PRIu64, (uint64_t)snapshot->header.count);
	table_printf(&table, "%llu", total.value);
	table_add(&table, error);
	table_printf(&table, "%llu", total.lower);
	table_printf(&table, total.upper == UINT64_MAX ? "-" : "%llu", total.upper);
	table_add(&table, state_of(&record));
	table_print(&table, false);
	table_end(&table);
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
