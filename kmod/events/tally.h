/* SPDX-License-Identifier: GPL-2.0 */
/* What is counted by the values of one event, and where these come from. */
#ifndef _SCOUNTER_EVENTS_TALLY_H
#define _SCOUNTER_EVENTS_TALLY_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/types.h>

#include "events/value.h"

struct event;
struct perf_event;
struct scounter_set;
struct scounter_topk;
struct source;
struct variant;

/*
 * struct tally - of one event
 * @layout: of the keys of @topk
 * @names: of the values of these, with ',' between them
 * @by_args: a probe counts, and not perf
 * @plain: in @topk only, by one argument: there is no @set, as no hit is skipped
 * @iterator: calls the probes of the event if there are several
 * @id: of the event, for perf
 * @perf: of each CPU, NULL where there is none
 */
struct tally {
	struct scounter_topk *topk;
	bool by_args, plain;
	struct scounter_set *set;
	const struct layout *layout;
	struct value sum, hist;
	unsigned long iterator, iterator_end;
	u32 row_hist, k;
	struct list_head list;
	const struct event *event;
	const struct source *source;
	const struct variant *variant;
	char *said, *names;
	char group[SCOUNTER_NAME_MAX + 1];
	u32 id;
	struct perf_event *perf[];
};

void scounter_tally_count(struct tally *tally, struct moment *moment);

void scounter_args_choose(struct tally *tally);
int scounter_args_start(struct tally *tally);
void scounter_args_stop(struct tally *tally);

int scounter_record_find(const struct source *source, const struct event *event,
			 const char *name, struct value *value, u32 *id);
int scounter_record_start(struct tally *tally);
void scounter_record_stop(struct tally *tally);
/* The perf events of a CPU that was offline are of no use any more. */
void scounter_record_forget_cpu(struct tally *tally, u32 cpu);

#endif /* _SCOUNTER_EVENTS_TALLY_H */
