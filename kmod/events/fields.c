// SPDX-License-Identifier: GPL-2.0
/*
 * Counts by the fields of one event: which values are the most frequent, the sum of them,
 * and how many are in each power of two.
 *
 * A probe has the arguments of its tracepoint, and not the fields of the event.  These are
 * in the record that the kernel makes for perf.  So a *tally* is a perf event on each CPU,
 * with a sample for each hit, whose handler reads the record where perf would copy it.
 *
 * The kernel's list of an event's fields is not for modules, but what the list is made from
 * is: sizes and alignments, in order.  field_offset() repeats trace_event_define_fields().
 *
 * A perf event ends with its CPU, and may not be made or released in a callback of CPU
 * hotplug: both take event_mutex, below which other CPUs wait for hotplug to end.  So such a
 * callback has work do it.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/scounter_set.h>
#include <linux/scounter_topk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "events/events.h"

enum reading {
	READ_NOTHING, READ_UNSIGNED, READ_SIGNED, READ_STRING, READ_PID, READ_COMM, READ_CPU
};

/*
 * struct field - where a value is
 * @symbol: it is the address of a function
 */
struct field {
	enum reading reading;
	u32 offset;
	u32 size;
	bool symbol;
};

/* A bucket for 0, and one for each power of two. */
#define BUCKETS		65

/* The rows of a tally's set: buckets are behind the sum, or in its place if there is none. */
enum { ROW_HITS, ROW_SKIPPED, ROW_SUM, ROWS = ROW_SUM + 1 + BUCKETS };

struct tally {
	struct list_head list;
	const struct event *event;
	const struct variant *variant;
	struct field top, sum, hist;
	char *said;
	const char *group;
	u32 id, k, row_hist;
	struct scounter_topk *topk;
	struct scounter_set *set;
	struct perf_event *perf[];
};

static LIST_HEAD(tallies);

/* CPUs that were offline since their perf events were made. */
static struct cpumask stale;
static int hotplug_state;

static notrace u64 number(const struct field *field, const void *at)
{
	const bool is_signed = field->reading == READ_SIGNED;

	switch (field->size) {
	case 1:
		return is_signed ? *(const s8 *)at : *(const u8 *)at;
	case 2:
		return is_signed ? *(const s16 *)at : *(const u16 *)at;
	case 4:
		return is_signed ? *(const s32 *)at : *(const u32 *)at;
	default:
		return *(const u64 *)at;
	}
}

/* Keys are compared as a whole: behind the end of a string there are zeros. */
static notrace void string_key(const char *string, u32 size, void *key)
{
	memset(key, 0, SCOUNTER_TOPK_KEY_MAX);
	memcpy(key, string, strnlen(string, size));
}

static notrace void key_of(const struct field *field, const void *record, u64 *key)
{
	switch (field->reading) {
	case READ_STRING:
		string_key(record + field->offset, field->size, key);
		break;
	case READ_COMM:
		string_key(current->comm, TASK_COMM_LEN, key);
		break;
	case READ_PID:
		*key = current->pid;
		break;
	case READ_CPU:
		*key = raw_smp_processor_id();
		break;
	default:
		*key = number(field, record + field->offset);
	}
}

static notrace void count_top(struct tally *tally, const void *record)
{
	u64 key[SCOUNTER_TOPK_KEY_MAX / sizeof(u64)];

	key_of(&tally->top, record, key);
	scounter_topk_hit(tally->topk, key);
}

static notrace bool fits(const struct field *field, u32 size)
{
	return field->offset + field->size <= size;
}

static notrace bool below_zero(const struct field *field, const void *record)
{
	return field->reading == READ_SIGNED && (s64)number(field, record + field->offset) < 0;
}

/* A record that cannot be counted as a whole is not counted by parts. */
static notrace bool is_countable(const struct tally *tally, const void *record, u32 size)
{
	/* There, a table is not for NMI. */
	if (!IS_ENABLED(CONFIG_64BIT) && tally->topk && in_nmi())
		return false;
	return fits(&tally->top, size) && fits(&tally->sum, size) && fits(&tally->hist, size) &&
	       !below_zero(&tally->sum, record) && !below_zero(&tally->hist, record);
}

static notrace void count_record(struct tally *tally, const void *record, u32 size)
{
	if (!is_countable(tally, record, size)) {
		scounter_set_inc(tally->set, ROW_SKIPPED);
		return;
	}
	scounter_set_inc(tally->set, ROW_HITS);
	if (tally->topk)
		count_top(tally, record);
	if (tally->sum.reading)
		scounter_set_add(tally->set, ROW_SUM,
				 number(&tally->sum, record + tally->sum.offset));
	if (tally->hist.reading)
		scounter_set_inc(tally->set, tally->row_hist +
				 fls64(number(&tally->hist, record + tally->hist.offset)));
}

static notrace void hit(struct perf_event *perf, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	count_record(perf->overflow_handler_context, data->raw->frag.data, data->raw->frag.size);
}

static void show_unsigned(struct seq_file *seq, const void *key)
{
	seq_printf(seq, "%llu", *(const u64 *)key);
}

static void show_signed(struct seq_file *seq, const void *key)
{
	seq_printf(seq, "%lld", *(const s64 *)key);
}

static void show_symbol(struct seq_file *seq, const void *key)
{
	seq_printf(seq, "%pS", (void *)(unsigned long)*(const u64 *)key);
}

static void show_comm(struct seq_file *seq, const void *key)
{
	seq_printf(seq, "%.*s", TASK_COMM_LEN, (const char *)key);
}

static void show_string(struct seq_file *seq, const void *key)
{
	seq_printf(seq, "%.*s", (int)SCOUNTER_TOPK_KEY_MAX, (const char *)key);
}

static struct scounter_topk *new_topk(const struct tally *tally, const char *name)
{
	struct scounter_topk_spec spec = {
		.capacity = tally->k,
		.key_size = sizeof(u64),
		.show_key = tally->top.symbol ? show_symbol :
			    tally->top.reading == READ_SIGNED ? show_signed : show_unsigned,
	};

	if (tally->top.reading == READ_COMM) {
		spec.key_size = TASK_COMM_LEN;
		spec.show_key = show_comm;
	} else if (tally->top.reading == READ_STRING) {
		spec.key_size = SCOUNTER_TOPK_KEY_MAX;
		spec.show_key = show_string;
	}
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

static int publish(struct tally *tally, const struct request *request)
{
	char name[EVENT_NAME_SIZE], table[2 * EVENT_NAME_SIZE];
	struct description *description = describe(tally, request);

	if (!description)
		return -ENOMEM;
	scounter_event_name(tally->event, name);
	tally->set = scounter_set_create(&description->desc, name, GFP_KERNEL);
	if (IS_ERR(tally->set)) {
		kvfree(description);
		return PTR_ERR(tally->set);
	}
	tally->group = description->group;
	if (!request->top)
		return 0;
	snprintf(table, sizeof(table), "%s:%s", name, request->top);
	tally->topk = new_topk(tally, table);
	return PTR_ERR_OR_ZERO(tally->topk);
}

static void free_tally(struct tally *tally)
{
	scounter_topk_destroy(tally->topk);
	scounter_set_destroy(tally->set);
	kfree(tally->said);
	kfree(tally);
}

/* With the period in the sample, there is one for each hit, whatever the event weighs. */
static struct perf_event *new_perf(struct tally *tally, u32 cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = tally->id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_PERIOD,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, hit, tally);
}

static void release_perf(struct tally *tally, u32 cpu)
{
	if (tally->perf[cpu])
		perf_event_release_kernel(tally->perf[cpu]);
	tally->perf[cpu] = NULL;
}

static void release_all(struct tally *tally)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		release_perf(tally, cpu);
}

/* On all CPUs that are online and have none; a CPU that is just going has no more hits. */
static int add_perfs(struct tally *tally)
{
	struct perf_event *perf;
	u32 cpu;

	for_each_online_cpu(cpu) {
		if (tally->perf[cpu])
			continue;
		perf = new_perf(tally, cpu);
		if (!IS_ERR(perf))
			tally->perf[cpu] = perf;
		else if (PTR_ERR(perf) != -ENODEV)
			return PTR_ERR(perf);
	}
	return 0;
}

static const struct trace_event_call *call_in_module(const struct event *event,
						     const struct module *module)
{
	u32 i;

	for (i = 0; i < module->num_trace_events; i++)
		if (module->trace_events[i]->flags & TRACE_EVENT_FL_TRACEPOINT &&
		    module->trace_events[i]->tp == event->tracepoint)
			return module->trace_events[i];
	return NULL;
}

/* What there is of the kernel's own stays. */
static const struct trace_event_call *call_of(const struct source *source,
					      const struct event *event)
{
	const struct trace_event_call *call;
	struct trace_event_file *file;

	if (source->module)
		return call_in_module(event, source->module);
	file = trace_get_event_file(NULL, event->system, event->tracepoint->name);
	if (IS_ERR(file))
		return NULL;
	call = file->event_call;
	trace_put_event_file(file);
	return call;
}

static const struct trace_event_fields *find_field(const struct trace_event_call *call,
						   const char *name, u32 *offset)
{
	const struct trace_event_fields *field = call->class->fields_array;
	u32 at = sizeof(struct trace_entry);

	for (; field && field->type && field->type != TRACE_FUNCTION_TYPE; field++) {
		at = ALIGN(at, field->align);
		*offset = at;
		if (!strcmp(field->name, name))
			return field;
		at += field->size;
	}
	return NULL;
}

/* Those that the kernel's own events have. */
static bool names_function(const char *name)
{
	return strstr(name, "call_site") || strstr(name, "caller") || strstr(name, "func") ||
	       !strcmp(name, "ip") || strstr(name, "_ip");
}

static void describe_field(struct field *field, const struct trace_event_fields *of)
{
	field->size = of->size;
	if (!strncmp(of->type, "char[", 5) && of->size <= SCOUNTER_TOPK_KEY_MAX) {
		field->reading = READ_STRING;
	} else if (!strchr(of->type, '[') && is_power_of_2(of->size) && of->size <= 8 &&
		   (strncmp(of->type, "struct ", 7) || strchr(of->type, '*'))) {
		field->reading = of->is_signed ? READ_SIGNED : READ_UNSIGNED;
		field->symbol = of->size == sizeof(long) && !of->is_signed &&
				names_function(of->name);
	}
}

static enum reading of_task(const char *name)
{
	return !strcmp(name, "pid") ? READ_PID : !strcmp(name, "comm") ? READ_COMM :
	       !strcmp(name, "cpu") ? READ_CPU : READ_NOTHING;
}

/* A field of that name goes before what is known of the task. */
static int choose_field(const struct request *request, const struct trace_event_call *call,
			const char *name, struct field *field, bool number_only)
{
	const struct trace_event_fields *of;
	u32 offset;

	if (!name)
		return 0;
	of = find_field(call, name, &offset);
	if (of) {
		describe_field(field, of);
		field->offset = offset;
	} else if (!number_only) {
		field->reading = of_task(name);
	}
	if (!of && !field->reading)
		return scounter_request_refuse(request, name, -ENOENT,
			"The event has no such field; tracefs has its format");
	if (number_only && field->reading == READ_STRING)
		field->reading = READ_NOTHING;
	if (!field->reading)
		return scounter_request_refuse(request, name, -EINVAL, number_only ?
			"This field is no number" :
			"This field is neither a number nor a string of 64 bytes or fewer");
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

static struct tally *find_tally(const struct event *event)
{
	struct tally *tally;

	list_for_each_entry(tally, &tallies, list)
		if (tally->event == event)
			return tally;
	return NULL;
}

static int fill(struct tally *tally, const struct request *request,
		const struct trace_event_call *call)
{
	int err = choose_field(request, call, request->top, &tally->top, false) ?:
		  choose_field(request, call, request->sum, &tally->sum, true) ?:
		  choose_field(request, call, request->hist, &tally->hist, true);

	if (err)
		return err;
	tally->k = request->k;
	tally->variant = request->choice.variant;
	tally->said = kstrdup(request->line, GFP_KERNEL);
	err = tally->said ? publish(tally, request) : -ENOMEM;
	if (err == -EEXIST)
		return scounter_request_refuse(request, request->pattern[0], err,
			"The group has a set or a table of this name");
	return err ? scounter_request_refuse(request, request->pattern[0], err,
					     "Error %d of a set or a table", err) : 0;
}

static int start(struct tally *tally, const struct request *request)
{
	int err = add_perfs(tally);

	if (!err) {
		list_add_tail(&tally->list, &tallies);
		/* What is attached keeps the module. */
		__module_get(THIS_MODULE);
		return 0;
	}
	release_all(tally);
	tracepoint_synchronize_unregister();
	return scounter_request_refuse(request, request->pattern[0], err,
				       "perf refuses: error %d", err);
}

int scounter_fields_attach(const struct request *request)
{
	const struct trace_event_call *call;
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
	if (find_tally(event))
		return scounter_request_refuse(request, request->pattern[0], -EEXIST,
			"Fields of this event are attached already");
	call = call_of(source, event);
	if (!call)
		return scounter_request_refuse(request, request->pattern[0], -EOPNOTSUPP,
			"This tracepoint has no trace event, and so no fields");
	tally = kzalloc(struct_size(tally, perf, nr_cpu_ids), GFP_KERNEL);
	if (!tally)
		return -ENOMEM;
	tally->event = event;
	tally->id = call->event.type;
	err = fill(tally, request, call) ?: start(tally, request);
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

/* A handler may still run until tracepoint_synchronize_unregister(). */
void scounter_fields_detach(const char *pattern)
{
	struct tally *tally, *next;

	lockdep_assert_held(&scounter_events_mutex);
	list_for_each_entry_safe(tally, next, &tallies, list) {
		if (!scounter_event_matches(pattern, tally->event))
			continue;
		list_del(&tally->list);
		release_all(tally);
		tracepoint_synchronize_unregister();
		free_tally(tally);
		module_put(THIS_MODULE);
	}
}

void scounter_fields_show(struct seq_file *seq)
{
	const struct tally *tally;

	list_for_each_entry(tally, &tallies, list)
		scounter_attached_line(seq, tally->event, tally->variant, tally->set, ROW_HITS,
				       tally->group, tally->said);
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
			release_perf(tally, cpu);
	}
	list_for_each_entry(tally, &tallies, list)
		if (add_perfs(tally))
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
