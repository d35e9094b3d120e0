/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter_events.ko: counts tracepoints without a module of one's own.
 *
 * What is where:
 *	catalogue	the tracepoints that there are, and the systems they belong to
 *	request		a line that was written to `attach` or `detach`
 *	describe	descriptions of sets
 *	batch		the counters of events
 *	attach		which events are counted
 *	functions	calls of functions
 *	fields		counts by the fields of an event: a tally
 *	value		what a hit gives to a tally
 *	args		from the arguments of the tracepoint
 *	record		from the record that the kernel makes for perf
 *	files		the files in debugfs
 * All of it but the counters is protected by scounter_events_mutex.
 */
#ifndef _SCOUNTER_EVENTS_H
#define _SCOUNTER_EVENTS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scounter_set.h>
#include <linux/string.h>
#include <linux/types.h>

struct module;
struct seq_file;
struct tracepoint;

extern struct mutex scounter_events_mutex;

/* "system:event", with a NUL; both are identifiers of C, the kernel's longest have 60. */
#define EVENT_NAME_SIZE		128

/* Which system a tracepoint is said to be in that no trace event has. */
#define BARE_SYSTEM		"bare"

/* Errors that counters of events may have; the probe counts in the word of that class. */
struct variant {
	const char *kind;
	u32 error_ppm;
	struct scounter_class class;
	void (*probe)(void *word);
	/* Behind the system's name, so that two variants are two sets. */
	const char *suffix;
};

/* What may be chosen of the counters that a line asks for. */
struct choice {
	const struct variant *variant;
	char group[SCOUNTER_NAME_MAX + 1];
};

/*
 * struct batch - the counters of the events of a system
 * @list: in the source
 * @attached: how many of them are
 */
struct batch {
	struct list_head list;
	const char *system;
	const struct variant *variant;
	const char *group;
	struct scounter_set *set;
	u32 attached;
};

/*
 * struct event - a tracepoint
 * @system: stays as long as the source
 * @batch: where it is counted; NULL while it is not
 * @row: which counter of a batch, the same in all of its system
 * @fresh: attached by the line that is being carried out
 */
struct event {
	struct tracepoint *tracepoint;
	const char *system;
	struct batch *batch;
	u32 row;
	bool fresh;
};

/*
 * struct source - the tracepoints of the kernel or of a module
 * @module: NULL for the kernel
 */
struct source {
	struct list_head list;
	struct list_head batches;
	struct module *module;
	u32 count;
	struct event events[];
};

extern struct list_head scounter_sources;

const char *scounter_event_name(const struct event *event, char name[EVENT_NAME_SIZE]);
int scounter_catalogue_init(void);
void scounter_catalogue_exit(void);
struct source *scounter_catalogue_add(struct module *module);
void scounter_catalogue_remove(struct source *source);
void scounter_catalogue_resolve(void);
int scounter_catalogue_learn(const char *system);
void scounter_catalogue_show_systems(struct seq_file *seq);

#define PATTERNS_MAX	16

/*
 * struct request - a line, taken apart
 * @line: as it was written, for the error log
 * @words: the same, with a NUL behind each word
 * @patterns: begin of each in @words
 * @top: fields to count by, NULL for none; so are @sum and @hist
 * @k: entries of the table of @top
 */
struct request {
	const char *line;
	char *words;
	u32 patterns;
	char *pattern[PATTERNS_MAX];
	struct choice choice;
	char *top, *sum, *hist;
	u32 k;
};

int scounter_request_parse(struct request *request, const char *line, bool options);
void scounter_request_free(struct request *request);
int scounter_request_refuse(const struct request *request, const char *at, int err,
			    const char *why, ...) __printf(4, 5);
void scounter_error_log_show(struct seq_file *seq);
void scounter_error_log_clear(void);

/*
 * struct description - of one set
 * @variant: of all its rows
 * @names: where the name of the next row goes, which is cut at @end
 */
struct description {
	struct scounter_set_desc desc;
	char group[SCOUNTER_NAME_MAX + 1];
	const struct variant *variant;
	char *names, *end;
	struct scounter_set_row rows[];
};

struct description *scounter_describe_set(const struct choice *choice, const char *label,
					  u8 flags, u32 rows, size_t names);
u32 scounter_describe_row(struct description *description, const char *unit, const char *name,
			  ...) __printf(3, 4);

const struct variant *scounter_variant(const char *kind, u32 error_ppm);
struct batch *scounter_batch_get(struct source *source, const char *system,
				 const struct choice *choice);
void scounter_batch_free_unused(struct source *source);
int scounter_batch_attach(struct batch *batch, struct event *event);
void scounter_batch_detach(struct event *event);
void scounter_batch_show(struct seq_file *seq, const struct event *event);

/* The pattern of a function, which is not one of events. */
#define FUNCTION_PREFIX		"function:"

static inline bool scounter_is_function(const char *pattern)
{
	return !strncmp(pattern, FUNCTION_PREFIX, strlen(FUNCTION_PREFIX));
}

int scounter_functions_attach(const struct request *request, const char *pattern);
bool scounter_functions_attached(void);
void scounter_functions_detach(void);
void scounter_functions_exit(void);
void scounter_functions_show(struct seq_file *seq);

static inline bool scounter_wants_fields(const struct request *request)
{
	return request->top || request->sum || request->hist;
}

int scounter_fields_init(void);
void scounter_fields_exit(void);
int scounter_fields_attach(const struct request *request);
bool scounter_fields_any(void);
u32 scounter_fields_matching(const char *pattern);
u32 scounter_fields_leave(const struct source *source);
void scounter_fields_detach(const char *pattern);
void scounter_fields_show(struct seq_file *seq);

bool scounter_event_matches(const char *pattern, const struct event *event);
void scounter_attached_line(struct seq_file *seq, const struct event *event,
			    const char *kind, const struct scounter_estimate *estimate,
			    const char *group, const char *fields);
int scounter_events_attach(const struct request *request);
bool scounter_events_any(void);
int scounter_events_detach(const struct request *request);
void scounter_events_module_comes(struct module *module);
void scounter_events_module_goes(struct module *module);
void scounter_events_progress_show(struct seq_file *seq);
void scounter_events_attached_show(struct seq_file *seq);

void scounter_events_files_init(void);
void scounter_events_files_exit(void);

#endif /* _SCOUNTER_EVENTS_H */
