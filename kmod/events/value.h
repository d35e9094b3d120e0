/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A value of a hit, as a number or a string: from the record that the kernel makes of the
 * event, from the arguments of the tracepoint, or from what is known of the task.
 */
#ifndef _SCOUNTER_EVENTS_VALUE_H
#define _SCOUNTER_EVENTS_VALUE_H

#include <linux/scounter_topk.h>
#include <linux/types.h>

struct request;
struct seq_file;

enum reading {
	READ_NOTHING, READ_UNSIGNED, READ_SIGNED, READ_STRING,
	/* What neither record nor arguments are looked at for. */
	READ_PID, READ_COMM, READ_CPU, READ_STACK
};

enum source_of { IN_TASK, IN_RECORD, IN_ARGS };

/* Of one chain of pointers. */
#define HOPS_MAX	4

/*
 * struct value - where it is read
 * @symbol: it is the address of a function
 * @located: of a record: at @offset there is where the string is; @relative to behind that
 * @offset: in the record
 * @size: bytes that are read; of a string, at most
 * @arg: which argument of the tracepoint, from 0
 * @hop: each is added to the address that was read so far, and what is there is read
 * @at: in the key
 * @room: bytes of the key
 */
struct value {
	enum reading reading;
	enum source_of source;
	bool symbol, located, relative;
	u32 offset, size;
	u8 arg, hops;
	u32 hop[HOPS_MAX];
	u32 at, room;
};

#define VALUES_MAX	(SCOUNTER_TOPK_KEY_MAX / sizeof(u64))

/* struct layout - the values of a key, in their order */
struct layout {
	u32 count, size;
	struct value value[VALUES_MAX];
};

/*
 * struct moment - of what a hit is read
 * @record: with @size; NULL if there are @args
 * @caller: where the function that was traced goes on
 * @iterator: the range of a function that calls the probes if there are several
 */
struct moment {
	const void *record;
	u32 size;
	const unsigned long *args;
	unsigned long caller, iterator, iterator_end;
};

bool scounter_value_number(const struct value *value, const struct moment *moment, u64 *number);
bool scounter_value_key(const struct layout *layout, const struct moment *moment, void *key);
void scounter_value_show(struct seq_file *seq, const void *key, const void *layout);
int scounter_value_place(const struct request *request, char *place, struct value *value);
enum reading scounter_value_of_task(const char *name);
bool scounter_value_names_function(const char *name);
bool scounter_layout_fit(struct layout *layout);

#endif /* _SCOUNTER_EVENTS_VALUE_H */
