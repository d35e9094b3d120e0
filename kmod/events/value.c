// SPDX-License-Identifier: GPL-2.0
/*
 * Values of a hit are read here, in whatever context it happens.
 *
 * Behind a pointer that a hit was given there may be no memory.  To read there may make a
 * page fault, which is an event, too, and may be the one that is counted.  So a context
 * that is reading reads no further one.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "base/context.h"
#include "events/events.h"
#include "events/value.h"

static DEFINE_PER_CPU(u8 [CONTEXTS], reading);

/* Of memory that is there. */
static __always_inline u64 number_at(const struct value *value, const void *at)
{
	const bool is_signed = value->reading == READ_SIGNED;

	switch (value->size) {
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

/* An argument is as wide as a register, and what is above its type is undefined. */
static notrace u64 number_in(const struct value *value, unsigned long arg)
{
	const u32 above = 64 - 8 * value->size;

	return value->reading == READ_SIGNED ? (u64)((s64)((u64)arg << above) >> above) :
					       (u64)arg << above >> above;
}

/* The last address of a chain, in *address. */
static notrace bool follow(const struct value *value, unsigned long *address)
{
	u32 i;

	for (i = 0; i + 1 < value->hops; i++) {
		*address += value->hop[i];
		if (copy_from_kernel_nofault(address, (void *)*address, sizeof(*address)))
			return false;
	}
	*address += value->hop[i];
	return true;
}

/* Bytes up to the NUL, or to what is not there, which may be soon behind it. */
static notrace bool string_from(const char *from, char *to, u32 size)
{
	u32 i;

	for (i = 0; i < size; i++) {
		if (copy_from_kernel_nofault(&to[i], from + i, 1))
			return false;
		if (!to[i])
			return true;
	}
	return true;
}

static notrace bool words_from(const char *from, char *to, u32 size)
{
	u32 i, length;

	for (i = 0; i < size; i += sizeof(u64)) {
		const u32 piece = min_t(u32, size - i, sizeof(u64));

		if (copy_from_kernel_nofault(to + i, from + i, piece))
			return string_from(from + i, to + i, piece);
		length = strnlen(to + i, piece);
		if (length < piece) {
			memset(to + i + length, 0, piece - length);
			break;
		}
	}
	return true;
}

static notrace bool follow_and_read(const struct value *value, unsigned long address, void *to)
{
	u64 bytes;

	if (!follow(value, &address))
		return false;
	if (value->reading == READ_STRING)
		return words_from((const char *)address, to, value->size);
	if (copy_from_kernel_nofault(&bytes, (void *)address, value->size))
		return false;
	*(u64 *)to = number_at(value, &bytes);
	return true;
}

static notrace bool read_memory(const struct value *value, unsigned long address, void *to)
{
	bool done = false;
	u8 *depth;

	preempt_disable_notrace();
	depth = this_cpu_ptr(&reading[scounter_context()]);
	if (!*depth) {
		WRITE_ONCE(*depth, 1);
		barrier();
		done = follow_and_read(value, address, to);
		barrier();
		WRITE_ONCE(*depth, 0);
	}
	preempt_enable_notrace();
	return done;
}

static notrace bool read_arg(const struct value *value, const struct moment *moment, void *to)
{
	if (value->hops)
		return read_memory(value, moment->args[value->arg], to);
	*(u64 *)to = number_in(value, moment->args[value->arg]);
	return true;
}

/* Its place is in the record: 16 bits of offset, and above them of length. */
static notrace noinline bool read_located(const struct value *value,
					  const struct moment *moment, void *to)
{
	u32 where = *(const u32 *)(moment->record + value->offset);
	u32 offset = where & 0xffff, length = where >> 16;

	if (value->relative)
		offset += value->offset + sizeof(where);
	if (offset + length > moment->size)
		return false;
	memcpy(to, moment->record + offset,
	       strnlen(moment->record + offset, min(length, value->size)));
	return true;
}

static __always_inline bool read_record(const struct value *value, const struct moment *moment,
					void *to)
{
	const void *at = moment->record + value->offset;

	if (value->offset + (value->located ? sizeof(u32) : value->size) > moment->size)
		return false;
	if (value->located)
		return read_located(value, moment, to);
	if (value->reading == READ_STRING)
		memcpy(to, at, strnlen(at, value->size));
	else
		*(u64 *)to = number_at(value, at);
	return true;
}

/* Frames of this module, and of perf, are before those of the kernel that hit the event. */
#define FRAMES_BEFORE	16

/* A frame is the lower half of its address, and 0 is none. */
static notrace noinline void read_stack(const struct value *value, const struct moment *moment,
					u32 *to)
{
	unsigned long frames[FRAMES_BEFORE + SCOUNTER_TOPK_KEY_MAX / sizeof(u32)];
	u32 count = stack_trace_save(frames, ARRAY_SIZE(frames), 0), first = 0, i;

	while (first < count && frames[first] != moment->caller)
		first++;
	if (first == count)
		first = 0;
	else if (frames[first] - moment->iterator < moment->iterator_end - moment->iterator)
		first++;
	for (i = 0; first + i < count && i < value->room / sizeof(*to); i++)
		to[i] = frames[first + i];
}

static __always_inline bool read_value(const struct value *value, const struct moment *moment,
				       void *to)
{
	if (likely(value->source == IN_RECORD))
		return read_record(value, moment, to);
	switch (value->reading) {
	case READ_PID:
		*(u64 *)to = current->pid;
		return true;
	case READ_CPU:
		*(u64 *)to = raw_smp_processor_id();
		return true;
	case READ_COMM:
		memcpy(to, current->comm, strnlen(current->comm, TASK_COMM_LEN));
		return true;
	case READ_STACK:
		read_stack(value, moment, to);
		return true;
	default:
		return read_arg(value, moment, to);
	}
}

/* False if it cannot be read, or is below zero. */
notrace bool scounter_value_number(const struct value *value, const struct moment *moment,
				   u64 *number)
{
	return read_value(value, moment, number) &&
	       (value->reading != READ_SIGNED || (s64)*number >= 0);
}

/* Keys are compared as a whole: behind the end of a string there are zeros. */
notrace bool scounter_value_key(const struct layout *layout, const struct moment *moment,
				void *key)
{
	u64 *word = key;
	u32 i;

	for (i = 0; i < layout->size / sizeof(*word); i++)
		word[i] = 0;
	for (i = 0; i < layout->count; i++)
		if (!read_value(&layout->value[i], moment, key + layout->value[i].at))
			return false;
	return true;
}

/* Code is within 2 GiB of this module's. */
static unsigned long frame_address(u32 frame)
{
	unsigned long here = (unsigned long)scounter_value_show;

	return here + (s32)(frame - (u32)here);
}

static void show_stack(struct seq_file *seq, const u32 *frame, u32 count)
{
	u32 i;

	for (i = 0; i < count && frame[i]; i++)
		seq_printf(seq, "%s%pS", i ? " < " : "", (void *)frame_address(frame[i]));
}

/* Who names a task or a file may put any byte there. */
static void show_value(struct seq_file *seq, const struct value *value, const void *key)
{
	u64 number;

	if (value->reading == READ_STRING || value->reading == READ_COMM) {
		seq_printf(seq, "%*pE", (int)strnlen(key, value->room), key);
		return;
	}
	if (value->reading == READ_STACK) {
		show_stack(seq, key, value->room / sizeof(u32));
		return;
	}
	memcpy(&number, key, sizeof(number));
	if (value->symbol)
		seq_printf(seq, "%pS", (void *)(unsigned long)number);
	else
		seq_printf(seq, value->reading == READ_SIGNED ? "%lld" : "%llu", number);
}

void scounter_value_show(struct seq_file *seq, const void *key, const void *data)
{
	const struct layout *layout = data;
	u32 i;

	for (i = 0; i < layout->count; i++) {
		if (i)
			seq_puts(seq, ", ");
		show_value(seq, &layout->value[i], key + layout->value[i].at);
	}
}

/* Those that the kernel's own events have. */
bool scounter_value_names_function(const char *name)
{
	return strstr(name, "call_site") || strstr(name, "caller") || strstr(name, "func") ||
	       !strcmp(name, "ip") || strstr(name, "_ip");
}

enum reading scounter_value_of_task(const char *name)
{
	static const struct {
		const char *name;
		enum reading reading;
	} known[] = {
		{ "pid", READ_PID }, { "comm", READ_COMM }, { "cpu", READ_CPU },
		{ "stack", READ_STACK },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name))
			return known[i].reading;
	return READ_NOTHING;
}

static bool parse_type(char *text, struct value *value)
{
	size_t length = strlen(text);
	char type = length ? text[length - 1] : 0;

	value->reading = type == 'u' ? READ_UNSIGNED : type == 'd' ? READ_SIGNED :
			 type == 's' ? READ_STRING : READ_NOTHING;
	if (!value->reading)
		return false;
	/* "s" is a string of any length. */
	text[length - 1] = '\0';
	value->size = SCOUNTER_TOPK_KEY_MAX + 1;
	if (type == 's' && length == 1)
		return value->hops;
	if (kstrtou32(text, 10, &value->size) || !value->size)
		return false;
	/* A string is somewhere. */
	if (type == 's')
		return value->hops && value->size <= SCOUNTER_TOPK_KEY_MAX;
	return value->size <= (value->hops ? sizeof(u64) : sizeof(long)) &&
	       is_power_of_2(value->size);
}

/* "arg2+0x5d0+8:16s" */
int scounter_value_place(const struct request *request, char *place, struct value *value)
{
	char *rest = place, *word, *type = strchr(place, ':');
	u32 arg;

	if (type)
		*type++ = '\0';
	word = strsep(&rest, "+");
	if (!type || strncmp(word, "arg", 3) || kstrtou32(word + 3, 10, &arg))
		goto out_malformed;
	if (arg >= SCOUNTER_PROBE_ARGS)
		return scounter_request_refuse(request, place, -ERANGE,
			"Probes see the arguments 0 to %u on this machine", SCOUNTER_PROBE_ARGS - 1);
	for (; (word = strsep(&rest, "+")); value->hops++)
		if (value->hops == HOPS_MAX || kstrtou32(word, 0, &value->hop[value->hops]))
			goto out_malformed;
	if (!parse_type(type, value))
		goto out_malformed;
	value->source = IN_ARGS;
	value->arg = arg;
	return 0;

out_malformed:
	return scounter_request_refuse(request, place, -EINVAL,
		"A place is as arg1:8u, or arg1+0x5d0:16s with up to %u offsets", HOPS_MAX);
}

/* Strings of any length, and stacks, share what the others leave. */
static bool is_flexible(const struct value *value)
{
	return value->reading == READ_STACK ||
	       (value->reading == READ_STRING &&
		(value->located || value->size > SCOUNTER_TOPK_KEY_MAX));
}

static u32 fixed_room(const struct value *value)
{
	if (is_flexible(value))
		return 0;
	return value->reading == READ_COMM ? TASK_COMM_LEN :
	       value->reading == READ_STRING ? round_up(value->size, sizeof(u64)) : sizeof(u64);
}

/* Give each value its room in the key; false if there is none. */
bool scounter_layout_fit(struct layout *layout)
{
	u32 i, fixed = 0, flexible = 0, share = 0;

	for (i = 0; i < layout->count; i++) {
		fixed += fixed_room(&layout->value[i]);
		flexible += is_flexible(&layout->value[i]);
	}
	if (fixed > SCOUNTER_TOPK_KEY_MAX)
		return false;
	if (flexible)
		share = round_down((SCOUNTER_TOPK_KEY_MAX - fixed) / flexible, sizeof(u64));
	layout->size = 0;
	for (i = 0; i < layout->count; i++) {
		struct value *value = &layout->value[i];

		value->at = layout->size;
		value->room = fixed_room(value) ?: share;
		if (is_flexible(value))
			value->size = value->room;
		layout->size += value->room;
	}
	return !flexible || share;
}
