// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

void report_replay(const struct counting *counting, const struct explore_result *result)
{
	printf("# %s %s: %s\n# interleave all %s %s --tries %u", counting->kind,
	       counting->script, result->message, counting->kind, counting->script,
	       counting->tries);
	if (counting->before)
		printf(" --before %s", counting->before);
	if (counting->preload)
		printf(" --preload %llu", (unsigned long long)counting->preload);
	if (counting->grow_rate)
		printf(" --grow-rate %u", counting->grow_rate);
	if (counting->capacity)
		printf(" --capacity %u", counting->capacity);
	if (counting->requests)
		printf(" --requests %u", counting->requests);
	printf("%s%s%s%s --seed %llu --trace --replay %s\n", counting->full ? " --full" : "",
	       counting->samples ? " --samples" : "",
	       counting->deflates ? " --deflates" : "",
	       counting->one_cpu ? " --one-cpu" : "",
	       (unsigned long long)result->seed, result->schedule);
}

int report_run(const struct counting *counting, const struct explore_options *options)
{
	const struct explore_program *program = counting_program(counting);
	struct explore_result result;

	if (!program) {
		fprintf(stderr, "interleave: no kind '%s', or no script '%s'\n",
			counting->kind, counting->script);
		return 2;
	}
	if (!explore(program, options, &result)) {
		fprintf(stderr, "interleave: no memory, or no such schedule\n");
		return 2;
	}
	printf("%s %s: %llu runs, %llu redundant, %llu accesses%s\n", counting->kind,
	       counting->script, (unsigned long long)result.runs,
	       (unsigned long long)result.redundant, (unsigned long long)result.accesses,
	       result.complete ? ", complete" : "");
	if (!result.failed)
		return 0;
	report_replay(counting, &result);
	free(result.schedule);
	return 1;
}
