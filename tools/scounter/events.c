// SPDX-License-Identifier: GPL-2.0
/*
 * events: what scounter_events.ko could count, and what it counts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"
#include "events.h"

#define MODULE	"/sys/module/scounter_events"

const char *events_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s",
		 root_of("SCOUNTER_EVENTS", "/sys/kernel/debug/scounter_events"), name);
	return path;
}

void events_fail(const char *name, int error)
{
	const char *why = "";

	if (error == ENOENT && access(events_path(""), F_OK)) {
		if (access(MODULE, F_OK))
			fail(NOT_LOADED, "the module scounter_events is not loaded; to load it, as root: modprobe scounter_events");
		why = "; debugfs is not mounted: mount -t debugfs none /sys/kernel/debug";
	}
	if (error == EACCES)
		why = "; only root may";
	if (error == EPERM)
		why = "; the kernel may be locked down, see kernel_lockdown(7)";
	fail(FAILED, "%s: %s%s", events_path(name), strerror(error), why);
}

void events_lines(const char *name, void (*take)(char *line, void *argument), void *argument)
{
	FILE *file = fopen(events_path(name), "re");
	char *line = NULL;
	size_t room = 0;

	if (!file)
		events_fail(name, errno);
	while (getline(&line, &room, file) >= 0) {
		line[strcspn(line, "\n")] = 0;
		take(line, argument);
	}
	if (ferror(file))
		fail(FAILED, "%s: %s", events_path(name), strerror(errno));
	free(line);
	fclose(file);
}

static DIR *open_tracefs(void)
{
	const char *other = getenv("SCOUNTER_TRACEFS");
	char path[4096];
	DIR *dir;

	if (other && *other) {
		snprintf(path, sizeof(path), "%s/events", other);
		return opendir(path);
	}
	dir = opendir("/sys/kernel/tracing/events");
	return dir ? dir : opendir("/sys/kernel/debug/tracing/events");
}

/*
 * A name a write, so that one that the module does not take stops no other.  While
 * anything is attached it takes none, as it was told all before.  Where the file cannot
 * be opened, the next one tells why, or can be read, as under lockdown.
 */
void events_tell_systems(void)
{
	static bool told;
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (told)
		return;
	told = true;
	fd = open(events_path("systems"), O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	dir = open_tracefs();
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
			continue;
		if (dprintf(fd, "%s\n", entry->d_name) < 0 && errno == EBUSY)
			break;
	}
	if (dir)
		closedir(dir);
	close(fd);
}

struct event {
	char *name, *module;
	bool attached;
	/* Of what is attached. */
	char *kind, *error, *group;
	uint64_t value, lower, upper;
};

struct events {
	struct event *event;
	size_t count;
};

static struct event *add(struct events *events)
{
	events->event = events_room(events->event, events->count, sizeof(struct event));
	events->event[events->count] = (struct event) { 0 };
	return &events->event[events->count++];
}

static char *next_word(char **line)
{
	char *word = strtok_r(NULL, " \t", line);

	return text_dup(word ? word : "");
}

static void take_available(char *line, void *argument)
{
	char *rest, *name = strtok_r(line, " \t", &rest);
	struct event *event;

	if (!name)
		return;
	event = add(argument);
	event->name = text_dup(name);
	event->module = next_word(&rest);
	/* "[module]" */
	if (*event->module == '[') {
		memmove(event->module, event->module + 1, strlen(event->module));
		event->module[strcspn(event->module, "]")] = 0;
	}
}

static void take_attached(char *line, void *argument)
{
	char kind[64], error[64], group[256], name[256];
	struct event *event;
	uint64_t value, lower, upper;

	if (*line == '#')
		return;
	if (sscanf(line, "%255s %63s %" SCNu64 " %63s %" SCNu64 " %" SCNu64 " %255s", name, kind,
		   &value, error, &lower, &upper, group) != 7)
		fail(FAILED, "%s: a line that cannot be: %s", events_path("attached"), text_dup(line));
	event = add(argument);
	*event = (struct event) {
		.name = text_dup(name), .module = text_dup(""), .attached = true,
		.kind = text_dup(kind), .error = text_dup(error), .group = text_dup(group),
		.value = value, .lower = lower, .upper = upper,
	};
}

static void release(struct event *event)
{
	free(event->name);
	free(event->module);
	free(event->kind);
	free(event->error);
	free(event->group);
}

static void release_all(struct events *events)
{
	size_t i;

	for (i = 0; i < events->count; i++)
		release(&events->event[i]);
	free(events->event);
}

static int by_name(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_value(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return by_name(a, b);
}

static void sort(struct events *events, int (*compare)(const void *a, const void *b))
{
	if (events->count)
		qsort(events->event, events->count, sizeof(struct event), compare);
}

static void mark_attached(struct events *events)
{
	struct events attached = { 0 };
	size_t i;

	events_lines("attached", take_attached, &attached);
	sort(&attached, by_name);
	for (i = 0; attached.count && i < events->count; i++)
		events->event[i].attached = bsearch(&events->event[i], attached.event,
						    attached.count, sizeof(struct event), by_name);
	release_all(&attached);
}

/* Keep what the patterns match; false if one matches nothing. */
static bool select_events(struct events *events, char **patterns)
{
	size_t i, kept = 0, count = 0;
	bool *found;

	while (patterns[count])
		count++;
	if (!count)
		return true;
	found = calloc(count, sizeof(*found));
	if (!found)
		fail(FAILED, "out of memory");
	for (i = 0; i < events->count; i++) {
		bool keep = false;
		size_t p;

		for (p = 0; p < count; p++)
			if (!fnmatch(patterns[p], events->event[i].name, 0))
				keep = found[p] = true;
		if (keep)
			events->event[kept++] = events->event[i];
		else
			release(&events->event[i]);
	}
	events->count = kept;
	for (i = 0, kept = 0; i < count; i++) {
		kept += found[i];
		if (!found[i])
			warn("no event %s", patterns[i]);
	}
	free(found);
	return kept == count;
}

static int width_of_names(const struct events *events)
{
	int width = 4;
	size_t i;

	for (i = 0; i < events->count; i++)
		if (width_of(events->event[i].name) > width)
			width = width_of(events->event[i].name);
	return width;
}

static void print_available(const struct events *events, bool tsv)
{
	int width = width_of_names(events);
	size_t i;

	if (tsv)
		puts("name\tmodule\tstate");
	else
		printf("%-*s  %-20s  STATE\n", width, "NAME", "MODULE");
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->event[i];
		const char *state = e->attached ? "attached" : "-";

		if (tsv)
			printf("%s\t%s\t%s\n", e->name, e->module, state);
		else
			printf("%-*s  %-20s  %s\n", width, e->name, *e->module ? e->module : "-", state);
	}
}

static void print_attached(const struct events *events, bool tsv)
{
	int width = width_of_names(events);
	size_t i;

	if (tsv)
		puts("name\tkind\tvalue\terror\tlower\tupper\tgroup");
	else
		printf("%-*s  %-7s %20s %10s %20s %20s  GROUP\n", width, "NAME", "KIND", "VALUE",
		       "ERROR", "LOWER", "UPPER");
	for (i = 0; i < events->count; i++) {
		const struct event *e = &events->event[i];

		if (tsv)
			printf("%s\t%s\t%" PRIu64 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s\n", e->name,
			       e->kind, e->value, e->error, e->lower, e->upper, e->group);
		else
			printf("%-*s  %-7s %20" PRIu64 " %10s %20" PRIu64 " %20" PRIu64 "  %s\n",
			       width, e->name, e->kind, e->value, e->error, e->lower, e->upper,
			       e->group);
	}
}

int cmd_events(int argc, char **argv)
{
	static const struct option options[] = {
		{ "attached", no_argument, NULL, 'a' },
		{ "top", required_argument, NULL, 'n' },
		{ "tsv", no_argument, NULL, 't' },
		{}
	};
	bool attached = false, tsv = false, complete;
	struct events events = { 0 };
	unsigned long top = 0;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'a': attached = true; break;
		case 'n': top = number_of("--top", optarg); break;
		case 't': tsv = true; break;
		default: return USAGE;
		}
	}
	if (top && !attached)
		usage_error("--top wants --attached");
	if (attached) {
		events_lines("attached", take_attached, &events);
	} else {
		events_tell_systems();
		events_lines("available", take_available, &events);
		mark_attached(&events);
	}
	complete = select_events(&events, argv + optind);
	if (top)
		sort(&events, by_value);
	while (top && events.count > top)
		release(&events.event[--events.count]);
	if (attached)
		print_attached(&events, tsv);
	else
		print_available(&events, tsv);
	release_all(&events);
	return complete ? OK : FAILED;
}
