// SPDX-License-Identifier: GPL-2.0
/*
 * Which events are counted.
 *
 * A *rule* is a pattern of a line that was written to `attach`, and stays in force: the
 * events of modules that load later match it, too.
 *
 * A line is carried out as a whole.  If one event cannot be attached, or a signal comes,
 * those before it are let go.  An event is counted once: a pattern passes over those that
 * are attached.
 */
#include <linux/glob.h>
#include <linux/module.h>
#include <linux/scounter_set.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "events/events.h"

struct rule {
	struct list_head list;
	struct choice choice;
	char pattern[EVENT_NAME_SIZE];
};

static LIST_HEAD(rules);

/* Read without the mutex, as a line takes seconds. */
static const char *doing = "idle";
static u32 done, total;

static void progress(const char *what, u32 of)
{
	WRITE_ONCE(done, 0);
	WRITE_ONCE(total, of);
	WRITE_ONCE(doing, what);
}

static void one_more(void)
{
	WRITE_ONCE(done, done + 1);
	cond_resched();
}

void scounter_events_progress_show(struct seq_file *seq)
{
	seq_printf(seq, "%s %u %u\n", READ_ONCE(doing), READ_ONCE(done), READ_ONCE(total));
}

bool scounter_events_any(void)
{
	return !list_empty(&rules) || scounter_fields_any();
}

bool scounter_event_matches(const char *pattern, const struct event *event)
{
	char name[EVENT_NAME_SIZE];

	return glob_match(pattern, scounter_event_name(event, name));
}

static void let_go(struct event *event)
{
	scounter_batch_detach(event);
	one_more();
}

/* What let_go() has left. */
static void free_unused(void)
{
	struct source *source;

	tracepoint_synchronize_unregister();
	list_for_each_entry(source, &scounter_sources, list)
		scounter_batch_free_unused(source);
}

static void drop_rule(struct rule *rule)
{
	list_del(&rule->list);
	kfree(rule);
	module_put(THIS_MODULE);
}

static struct rule *add_rule(const char *pattern, const struct choice *choice)
{
	struct rule *rule = kzalloc(sizeof(*rule), GFP_KERNEL);

	if (!rule)
		return NULL;
	strscpy(rule->pattern, pattern, sizeof(rule->pattern));
	rule->choice = *choice;
	list_add_tail(&rule->list, &rules);
	/* What is attached keeps the module. */
	__module_get(THIS_MODULE);
	return rule;
}

static int take(struct source *source, struct event *event, const struct choice *choice)
{
	struct batch *batch = scounter_batch_get(source, event->system, choice);
	int err = PTR_ERR_OR_ZERO(batch) ?: scounter_batch_attach(batch, event);

	event->fresh = !err;
	one_more();
	return err;
}

/* All of a source that the rule wants; *failed is the event that could not be attached. */
static int take_source(struct rule *rule, struct source *source, struct event **failed)
{
	u32 i;
	int err;

	for (i = 0; i < source->count; i++) {
		struct event *event = *failed = &source->events[i];

		if (event->batch || !scounter_event_matches(rule->pattern, event))
			continue;
		err = signal_pending(current) ? -EINTR : take(source, event, &rule->choice);
		if (err)
			return err;
	}
	return 0;
}

static u32 count_matching(const char *pattern, bool attached)
{
	const struct source *source;
	u32 i, count = 0;

	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++)
			count += !!source->events[i].batch == attached &&
				 scounter_event_matches(pattern, &source->events[i]);
	return count;
}

static int attach_pattern(const struct request *request, const char *pattern)
{
	u32 count = count_matching(pattern, false);
	struct source *source;
	struct event *failed;
	struct rule *rule;
	int err;

	if (SCOUNTER_COMPARES_PROTOTYPES)
		return scounter_request_refuse(request, pattern, -EOPNOTSUPP,
			"This kernel compares the prototypes of what it calls (CFI)");
	if (!count && count_matching(pattern, true))
		return scounter_request_refuse(request, pattern, -EEXIST,
					       "What matches is attached already");
	if (!count)
		return scounter_request_refuse(request, pattern, -ENOENT,
					       "No event matches; `available` has them all");
	progress("attaching", count);
	rule = add_rule(pattern, &request->choice);
	if (!rule)
		return -ENOMEM;
	list_for_each_entry(source, &scounter_sources, list) {
		err = take_source(rule, source, &failed);
		if (err == -EINTR)
			return scounter_request_refuse(request, pattern, err, "Interrupted");
		if (err)
			return scounter_request_refuse(request, pattern, err,
						       "Error %d when attaching %s:%s", err,
						       failed->system,
						       failed->tracepoint->name);
	}
	return 0;
}

/* Of the events that a line has attached: keep them, or let them go. */
static void end_line(bool keep)
{
	struct source *source;
	u32 i;

	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++) {
			struct event *event = &source->events[i];

			if (event->fresh && !keep)
				let_go(event);
			event->fresh = false;
		}
	if (!keep)
		free_unused();
}

int scounter_events_attach(const struct request *request)
{
	struct list_head *last = rules.prev;
	const char *function = NULL;
	int err = 0;
	u32 i;

	lockdep_assert_held(&scounter_events_mutex);
	scounter_catalogue_resolve();
	if (scounter_wants_fields(request))
		return scounter_fields_attach(request);
	for (i = 0; i < request->patterns && !err; i++) {
		if (scounter_is_function(request->pattern[i]))
			function = request->pattern[i];
		else
			err = attach_pattern(request, request->pattern[i]);
	}
	/* All patterns of functions together. */
	if (!err && function)
		err = scounter_functions_attach(request, function);
	end_line(!err);
	while (err && rules.prev != last)
		drop_rule(list_last_entry(&rules, struct rule, list));
	progress("idle", 0);
	return err;
}

/* A pattern that covers a rule's ends it: "sched:*" does "sched:sched_s*". */
static bool any_rule_ends(const char *pattern)
{
	const struct rule *rule;

	list_for_each_entry(rule, &rules, list)
		if (glob_match(pattern, rule->pattern))
			return true;
	return false;
}

/* So does letting go of all that it matches, if there is any. */
static void end_rules(const char *pattern)
{
	struct rule *rule, *next;

	list_for_each_entry_safe(rule, next, &rules, list)
		if (glob_match(pattern, rule->pattern) ||
		    (count_matching(rule->pattern, false) &&
		     !count_matching(rule->pattern, true)))
			drop_rule(rule);
}

/* They go all at once. */
static bool ends_functions(const char *pattern)
{
	return scounter_functions_attached() && glob_match(pattern, FUNCTION_PREFIX "*");
}

static void detach_pattern(const char *pattern)
{
	struct source *source;
	u32 i;

	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++)
			if (source->events[i].batch && scounter_event_matches(pattern, &source->events[i]))
				let_go(&source->events[i]);
}

int scounter_events_detach(const struct request *request)
{
	u32 i, events = 0;

	lockdep_assert_held(&scounter_events_mutex);
	for (i = 0; i < request->patterns; i++) {
		const char *pattern = request->pattern[i];
		u32 count = count_matching(pattern, true) + scounter_fields_matching(pattern);

		if (!count && !any_rule_ends(pattern) && !ends_functions(pattern))
			return scounter_request_refuse(request, pattern, -ENOENT,
						       "Nothing that matches is attached");
		events += count;
	}
	progress("detaching", events);
	for (i = 0; i < request->patterns; i++) {
		if (ends_functions(request->pattern[i]))
			scounter_functions_detach();
		detach_pattern(request->pattern[i]);
		scounter_fields_detach(request->pattern[i]);
	}
	free_unused();
	for (i = 0; i < request->patterns; i++)
		end_rules(request->pattern[i]);
	progress("idle", 0);
	return 0;
}

/* Nobody is there to be told of an error but the log. */
void scounter_events_module_comes(struct module *module)
{
	struct source *source = scounter_catalogue_add(module);
	struct event *failed;
	struct rule *rule;

	if (!source) {
		pr_warn("scounter_events: no memory for the events of %s\n", module->name);
		return;
	}
	list_for_each_entry(rule, &rules, list)
		if (take_source(rule, source, &failed))
			pr_warn("scounter_events: %s:%s of %s is not counted\n",
				failed->system, failed->tracepoint->name, module->name);
	end_line(true);
}

void scounter_events_module_goes(struct module *module)
{
	struct source *source, *next;
	u32 i, gone;

	list_for_each_entry_safe(source, next, &scounter_sources, list) {
		if (source->module != module)
			continue;
		gone = scounter_fields_leave(source);
		for (i = 0; i < source->count; i++)
			if (source->events[i].batch) {
				let_go(&source->events[i]);
				gone++;
			}
		if (!list_empty(&source->batches))
			free_unused();
		if (gone)
			pr_info("scounter_events: %s goes, and the counts of %u of its events with it\n",
				module->name, gone);
		scounter_catalogue_remove(source);
	}
}

/* Of `attached`; what is counted of the fields comes last. */
void scounter_attached_line(struct seq_file *seq, const struct event *event,
			    const char *kind, const struct scounter_estimate *estimate,
			    const char *group, const char *fields)
{
	char name[EVENT_NAME_SIZE];

	seq_printf(seq, "%-39s %-8s %20llu %4u.%04u%% %20llu %20llu %s%s%s\n",
		   scounter_event_name(event, name), kind, estimate->value,
		   estimate->error_ppm / 10000, estimate->error_ppm % 10000, estimate->lower,
		   estimate->upper, group, fields ? " " : "", fields ?: "");
}

void scounter_events_attached_show(struct seq_file *seq)
{
	const struct source *source;
	u32 i;

	seq_printf(seq, "%-39s %-8s %20s %10s %20s %20s %s\n", "# system:event", "kind",
		   "value", "error", "lower", "upper", "group fields");
	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++)
			if (source->events[i].batch)
				scounter_batch_show(seq, &source->events[i]);
	scounter_fields_show(seq);
}
