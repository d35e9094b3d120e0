// SPDX-License-Identifier: GPL-2.0
/*
 * Records of an event, as the kernel makes them for perf: a perf event on each CPU, with a
 * sample for each hit, whose handler reads the record where perf would copy it.
 *
 * The kernel's list of an event's fields is not for modules, but what the list is made from
 * is: sizes and alignments, in order.  find_field() repeats trace_event_define_fields().
 */
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "events/events.h"
#include "events/tally.h"

static notrace void hit(struct perf_event *perf, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	struct moment moment = {
		.record = data->raw->frag.data,
		.size = data->raw->frag.size,
		.caller = instruction_pointer(regs),
	};

	scounter_tally_count(perf->overflow_handler_context, &moment);
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

void scounter_record_forget_cpu(struct tally *tally, u32 cpu)
{
	if (tally->perf[cpu])
		perf_event_release_kernel(tally->perf[cpu]);
	tally->perf[cpu] = NULL;
}

/* A handler may still run until tracepoint_synchronize_unregister(). */
void scounter_record_stop(struct tally *tally)
{
	u32 cpu;

	for_each_possible_cpu(cpu)
		scounter_record_forget_cpu(tally, cpu);
}

/* On all CPUs that are online and have none; a CPU that is just going has no more hits. */
int scounter_record_start(struct tally *tally)
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

/* "__data_loc char[]", "__rel_loc char[]": text whose length is that of each hit. */
static bool is_located(const char *type, bool *relative)
{
	*relative = !strcmp(type, "__rel_loc char[]");
	return *relative || !strcmp(type, "__data_loc char[]");
}

static void describe_field(struct value *value, const struct trace_event_fields *of)
{
	value->size = of->size;
	if (is_located(of->type, &value->relative)) {
		value->reading = READ_STRING;
		value->located = true;
	} else if (!strncmp(of->type, "char[", 5)) {
		value->reading = READ_STRING;
	} else if (!strchr(of->type, '[') && is_power_of_2(of->size) && of->size <= 8 &&
		   (strncmp(of->type, "struct ", 7) || strchr(of->type, '*'))) {
		value->reading = of->is_signed ? READ_SIGNED : READ_UNSIGNED;
	}
}

/*
 * The field of that name; *value reads nothing if its type cannot be read.  -ENOENT if
 * there is none, and -EOPNOTSUPP if there are no records.
 */
int scounter_record_find(const struct source *source, const struct event *event,
			 const char *name, struct value *value, u32 *id)
{
	const struct trace_event_call *call = call_of(source, event);
	const struct trace_event_fields *field;

	if (!call)
		return -EOPNOTSUPP;
	*id = call->event.type;
	field = find_field(call, name, &value->offset);
	if (!field)
		return -ENOENT;
	value->source = IN_RECORD;
	describe_field(value, field);
	return 0;
}
