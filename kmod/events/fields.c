// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by the fields of one event: which values are the most frequent, the sum of them,
 * and how many are in each power of two.
 *
 * A probe has the arguments of its tracepoint, and not the fields of the event.  Whoever
 * knows which argument a field is, or where it is behind a pointer, says so in the line;
 * then a probe counts.  Other fields are in the record that the kernel makes for perf, and
 * are counted there, at many times the cost.
 *
 * A perf event ends with its CPU, and may not be made or released in a callback of CPU
 * hotplug: both take event_mutex, below which other CPUs wait for hotplug to end.  So such a
 * callback has work do it.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/scounter_set.h>
#include <linux/scounter_topk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "events/events.h"
#include "events/tally.h"

/* A bucket for 0, and one for each power of two. */
#define BUCKETS		65

/* The rows of a tally's set: buckets are behind the sum, or in its place if there is none. */
enum { ROW_HITS, ROW_SKIPPED, ROW_SUM, ROWS = ROW_SUM + 1 + BUCKETS };

static LIST_HEAD(tallies);

/* CPUs that were offline since their perf events were made. */
static struct cpumask stale;
static int hotplug_state;

/* All that a hit gives; false if one part of it cannot be read, and nothing is to be counted. */
static notrace bool read_hit(const struct tally *tally, const struct moment *moment, u64 *key,
			     u64 *sum, u64 *hist)
{
	/* There, a table is not for NMI. */
	if (!IS_ENABLED(CONFIG_64BIT) && tally->topk && in_nmi())
		return false;
	return (!tally->topk || scounter_value_key(tally->layout, moment, key)) &&
	       (!tally->sum.reading || scounter_value_number(&tally->sum, moment, sum)) &&
	       (!tally->hist.reading || scounter_value_number(&tally->hist, moment, hist));
}

notrace void scounter_tally_count(struct tally *tally, struct moment *moment)
{
	u64 key[SCOUNTER_TOPK_KEY_MAX / sizeof(u64)], sum, hist;

	moment->iterator = tally->iterator;
	moment->iterator_end = tally->iterator_end;
	if (!read_hit(tally, moment, key, &sum, &hist)) {
		scounter_set_inc(tally->set, ROW_SKIPPED);
		return;
	}
	scounter_set_inc(tally->set, ROW_HITS);
	if (tally->topk)
		scounter_topk_hit(tally->topk, key);
	if (tally->sum.reading)
		scounter_set_add(tally->set, ROW_SUM, sum);
	if (tally->hist.reading)
		scounter_set_inc(tally->set, tally->row_hist + fls64(hist));
}

static struct scounter_topk *new_topk(const struct tally *tally, const char *name)
{
	struct scounter_topk_spec spec = {
		.capacity = tally->k,
		.key_size = tally->layout->size,
		.show_key_of = scounter_value_show,
		.show_data = tally->layout,
		.show_data_size = sizeof(*tally->layout),
	};

	return scounter_topk_create(name, tally->group, &spec);
}

/* A field's name may have 128 bytes; that of a row is refused if it is too long. */
#define ROW_NAME_SIZE	(EVENT_NAME_SIZE + 32)

static struct description *describe(struct tally *tally, const struct request *request)
{
	struct description *description;
	u32 i;

	description = scounter_describe_set(&request->choice, "event", 0, ROWS,
					    ROWS * ROW_NAME_SIZE);
	if (!description)
		return NULL;
	scounter_describe_row(description, NULL, "hits");
	scounter_describe_row(description, NULL, "skipped");
	if (tally->sum.reading)
		scounter_describe_row(description, NULL, "sum:%s", request->sum);
	tally->row_hist = description->desc.count;
	for (i = 0; i < BUCKETS && tally->hist.reading; i++)
		scounter_describe_row(description, NULL, "hist:%s:%llu", request->hist,
				      i ? 1ULL << (i - 1) : 0);
	return description;
}

static struct scounter_set *new_set(struct tally *tally, const struct request *request,
				    const char *name)
{
	struct description *description = describe(tally, request);
	struct scounter_set *set;

	if (!description)
		return ERR_PTR(-ENOMEM);
	set = scounter_set_create(&description->desc, name, GFP_KERNEL);
	if (IS_ERR(set))
		kvfree(description);
	return set;
}

static int publish(struct tally *tally, const struct request *request)
{
	char name[EVENT_NAME_SIZE], table[2 * EVENT_NAME_SIZE];

	scounter_event_name(tally->event, name);
	if (!tally->plain)
		tally->set = new_set(tally, request, name);
	if (IS_ERR(tally->set))
		return PTR_ERR(tally->set);
	if (!tally->layout)
		return 0;
	if (snprintf(table, sizeof(table), "%s:%s", name, tally->names) >= sizeof(table))
		return -ENAMETOOLONG;
	tally->topk = new_topk(tally, table);
	return PTR_ERR_OR_ZERO(tally->topk);
}

static void free_tally(struct tally *tally)
{
	scounter_topk_destroy(tally->topk);
	scounter_set_destroy(tally->set);
	kfree(tally->layout);
	kfree(tally->names);
	kfree(tally->said);
	kfree(tally);
}

/* A field of that name goes before what is known of the task. */
static int find_value(const struct request *request, struct tally *tally, char *name,
		      struct value *value, bool number_only)
{
	int err = scounter_record_find(tally->source, tally->event, name, value, &tally->id);

	if (!err)
		return 0;
	if (!number_only)
		value->reading = scounter_value_of_task(name);
	if (value->reading)
		return 0;
	return scounter_request_refuse(request, name, err, err == -ENOENT ?
		"The event has no such field; tracefs has its format" :
		"This event has no record with fields");
}

/* NAME, or NAME@PLACE, which begins to be two strings. */
static int choose_value(const struct request *request, struct tally *tally, char *name,
			struct value *value, bool number_only)
{
	char *place = strchr(name, '@');
	int err;

	if (place)
		*place++ = '\0';
	if (!*name)
		return scounter_request_refuse(request, name, -EINVAL, "This field has no name");
	if (place && SCOUNTER_COMPARES_PROTOTYPES)
		return scounter_request_refuse(request, place, -EOPNOTSUPP,
			"This kernel compares the prototypes of what it calls (CFI)");
	err = place ? scounter_value_place(request, place, value) :
		      find_value(request, tally, name, value, number_only);
	if (err)
		return err;
	if (number_only && value->reading == READ_STRING)
		value->reading = READ_NOTHING;
	if (!value->reading)
		return scounter_request_refuse(request, name, -EINVAL, number_only ?
			"This field is no number" :
			"This field is neither a number nor a string");
	value->symbol = value->reading == READ_UNSIGNED && value->size == sizeof(long) &&
			scounter_value_names_function(name);
	return 0;
}

/* The names as they are said, without the places. */
static int add_name(struct tally *tally, const char *name)
{
	char *names = kasprintf(GFP_KERNEL, "%s%s%s", tally->names ?: "",
				tally->names ? "," : "", name);

	kfree(tally->names);
	tally->names = names;
	return names ? 0 : -ENOMEM;
}

static int choose_key(const struct request *request, struct tally *tally)
{
	struct layout layout = { };
	char *rest = request->top, *name;
	int err = 0;

	while (!err && (name = strsep(&rest, ","))) {
		if (layout.count == VALUES_MAX)
			return scounter_request_refuse(request, name, -E2BIG,
						       "More than %zu fields", VALUES_MAX);
		err = choose_value(request, tally, name, &layout.value[layout.count++], false) ?:
		      add_name(tally, name);
	}
	if (err || !layout.count)
		return err;
	if (!scounter_layout_fit(&layout))
		return scounter_request_refuse(request, request->top, -E2BIG,
			"The fields take more than %u bytes", SCOUNTER_TOPK_KEY_MAX);
	tally->layout = kmemdup(&layout, sizeof(layout), GFP_KERNEL);
	return tally->layout ? 0 : -ENOMEM;
}

static bool any_in(const struct tally *tally, enum source_of source)
{
	u32 i;

	for (i = 0; tally->layout && i < tally->layout->count; i++)
		if (tally->layout->value[i].source == source)
			return true;
	return (tally->sum.reading && tally->sum.source == source) ||
	       (tally->hist.reading && tally->hist.source == source);
}

static int choose_source(const struct request *request, struct tally *tally)
{
	bool records = any_in(tally, IN_RECORD);

	if (records && any_in(tally, IN_ARGS))
		return scounter_request_refuse(request, request->pattern[0], -EINVAL,
			"Either all fields have a place in the arguments, or none");
	tally->by_args = !records && !SCOUNTER_COMPARES_PROTOTYPES;
	if (!tally->by_args && !tally->id)
		return scounter_request_refuse(request, request->pattern[0], -EOPNOTSUPP,
					       "This event has no record with fields");
	if (tally->by_args)
		scounter_args_choose(tally);
	return 0;
}

static struct event *find_event(const struct request *request, struct source **in)
{
	char name[EVENT_NAME_SIZE];
	struct source *source;
	u32 i;

	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++)
			if (!strcmp(request->pattern[0],
				    scounter_event_name(&source->events[i], name))) {
				*in = source;
				return &source->events[i];
			}
	return NULL;
}

static struct tally *find_tally(const struct event *event, const char *group)
{
	struct tally *tally;

	list_for_each_entry(tally, &tallies, list)
		if (tally->event == event && !strcmp(tally->group, group))
			return tally;
	return NULL;
}

static int choose(const struct request *request, struct tally *tally)
{
	int err = choose_key(request, tally);

	if (!err && request->sum)
		err = choose_value(request, tally, request->sum, &tally->sum, true);
	if (!err && request->hist)
		err = choose_value(request, tally, request->hist, &tally->hist, true);
	return err ?: choose_source(request, tally);
}

static int refuse_names(const struct request *request, int err)
{
	if (err == -EEXIST)
		return scounter_request_refuse(request, request->pattern[0], err,
			"The group has a set or a table of this name");
	if (err == -ENAMETOOLONG)
		return scounter_request_refuse(request, request->pattern[0], err,
			"The event and its fields are too long a name for a set or a table");
	return scounter_request_refuse(request, request->pattern[0], err,
				       "Error %d of a set or a table", err);
}

static int fill(struct tally *tally, const struct request *request)
{
	int err = choose(request, tally);

	if (err)
		return err;
	tally->k = request->k;
	tally->variant = request->choice.variant;
	strscpy(tally->group, request->choice.group, sizeof(tally->group));
	tally->said = kstrdup(request->line, GFP_KERNEL);
	err = tally->said ? publish(tally, request) : -ENOMEM;
	return err ? refuse_names(request, err) : 0;
}

static void stop(struct tally *tally)
{
	if (tally->by_args)
		scounter_args_stop(tally);
	else
		scounter_record_stop(tally);
}

static int start(struct tally *tally, const struct request *request)
{
	int err = tally->by_args ? scounter_args_start(tally) : scounter_record_start(tally);

	if (!err) {
		list_add_tail(&tally->list, &tallies);
		/* What is attached keeps the module. */
		__module_get(THIS_MODULE);
		return 0;
	}
	if (!tally->by_args)
		scounter_record_stop(tally);
	tracepoint_synchronize_unregister();
	return scounter_request_refuse(request, request->pattern[0], err, "%s refuses: error %d",
				       tally->by_args ? "The tracepoint" : "perf", err);
}

int scounter_fields_attach(const struct request *request)
{
	struct source *source;
	struct event *event;
	struct tally *tally;
	int err;

	lockdep_assert_held(&scounter_events_mutex);
	if (request->patterns > 1)
		return scounter_request_refuse(request, request->pattern[1], -EINVAL,
					       "Fields are those of one event");
	event = find_event(request, &source);
	if (!event)
		return scounter_request_refuse(request, request->pattern[0], -ENOENT,
			"Fields are those of one event, and no event has this name");
	if (find_tally(event, request->choice.group))
		return scounter_request_refuse(request, request->pattern[0], -EEXIST,
			"The group has fields of this event already");
	tally = kzalloc(struct_size(tally, perf, nr_cpu_ids), GFP_KERNEL);
	if (!tally)
		return -ENOMEM;
	tally->event = event;
	tally->source = source;
	err = fill(tally, request) ?: start(tally, request);
	if (err)
		free_tally(tally);
	return err;
}

bool scounter_fields_any(void)
{
	return !list_empty(&tallies);
}

u32 scounter_fields_matching(const char *pattern)
{
	const struct tally *tally;
	u32 count = 0;

	list_for_each_entry(tally, &tallies, list)
		count += scounter_event_matches(pattern, tally->event);
	return count;
}

static void let_go(struct tally *tally)
{
	list_del(&tally->list);
	stop(tally);
	tracepoint_synchronize_unregister();
	free_tally(tally);
	module_put(THIS_MODULE);
}

void scounter_fields_detach(const char *pattern)
{
	struct tally *tally, *next;

	lockdep_assert_held(&scounter_events_mutex);
	list_for_each_entry_safe(tally, next, &tallies, list)
		if (scounter_event_matches(pattern, tally->event))
			let_go(tally);
}

/* perf keeps the module of its events; a probe does not.  How many are let go. */
u32 scounter_fields_leave(const struct source *source)
{
	struct tally *tally, *next;
	u32 count = 0;

	lockdep_assert_held(&scounter_events_mutex);
	list_for_each_entry_safe(tally, next, &tallies, list)
		if (tally->source == source) {
			let_go(tally);
			count++;
		}
	return count;
}

/* The table of a plain tally has them. */
static void read_hits(const struct tally *tally, struct scounter_estimate *hits)
{
	struct scounter_topk_header *table;

	if (!tally->plain) {
		scounter_set_read_est(tally->set, ROW_HITS, hits);
		return;
	}
	*hits = (struct scounter_estimate) { };
	table = scounter_topk_top(tally->topk, 1);
	if (IS_ERR(table))
		return;
	hits->value = hits->lower = hits->upper = table->total;
	scounter_topk_free(table);
}

void scounter_fields_show(struct seq_file *seq)
{
	const struct tally *tally;

	list_for_each_entry(tally, &tallies, list) {
		struct scounter_estimate hits;

		read_hits(tally, &hits);
		scounter_attached_line(seq, tally->event,
				       tally->plain ? "exact" : tally->variant->kind, &hits,
				       tally->group, tally->said);
	}
}

/* The perf events of a CPU that was offline are of no use any more. */
static void follow_cpus(struct work_struct *unused)
{
	struct tally *tally;
	u32 cpu;

	mutex_lock(&scounter_events_mutex);
	for_each_online_cpu(cpu) {
		if (!cpumask_test_and_clear_cpu(cpu, &stale))
			continue;
		list_for_each_entry(tally, &tallies, list)
			scounter_record_forget_cpu(tally, cpu);
	}
	list_for_each_entry(tally, &tallies, list)
		if (!tally->by_args && scounter_record_start(tally))
			pr_warn("scounter_events: fields of %s are not counted on a new CPU\n",
				tally->event->tracepoint->name);
	mutex_unlock(&scounter_events_mutex);
}
static DECLARE_WORK(following, follow_cpus);

static int cpu_comes(unsigned int cpu)
{
	schedule_work(&following);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &stale);
	return 0;
}

int scounter_fields_init(void)
{
	hotplug_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "scounter/events:online",
						  cpu_comes, cpu_goes);
	return min(hotplug_state, 0);
}

/* When nothing is attached any more. */
void scounter_fields_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
	cancel_work_sync(&following);
}
