// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum type { NAME, NUMBER, YES_NO, PERCENT, NANOSECONDS, NO_OR_NUMBER, NO_OR_NANOSECONDS };

static const struct key {
	const char *name;
	enum type type;
	size_t offset;
	uint64_t max;
} keys[] = {
#define KEY(name, type, member, max) { name, type, offsetof(struct machine, member), max }
	KEY("name", NAME, name, 0),
	KEY("nodes", NUMBER, nodes, MACHINE_NODES_MAX),
	KEY("cpus_per_node", NUMBER, cpus_per_node, MACHINE_CPUS_MAX),
	KEY("cache_lines", NUMBER, cache_lines, 1 << 24),
	KEY("fetch_op", YES_NO, fetch_op, 0),
	KEY("migratory", PERCENT, migratory, 0),
	KEY("store_buffer", NO_OR_NUMBER, store_buffer, MACHINE_STORES_MAX),
	KEY("shared_cache_ns", NO_OR_NANOSECONDS, shared_cache, 0),
	KEY("hold_ns", NO_OR_NANOSECONDS, hold, 0),
	KEY("hit_ns", NANOSECONDS, hit, 0),
	KEY("rmw_ns", NANOSECONDS, rmw, 0),
	KEY("cas_ns", NANOSECONDS, cas, 0),
	KEY("retry_ns", NO_OR_NANOSECONDS, retry, 0),
	KEY("node_ns", NANOSECONDS, node, 0),
	KEY("remote_ns", NANOSECONDS, remote, 0),
	KEY("memory_ns", NANOSECONDS, memory, 0),
	KEY("pause_ns", NANOSECONDS, pause, 0),
	KEY("draw_ns", NANOSECONDS, draw, 0),
	KEY("call_ns", NANOSECONDS, call, 0),
	KEY("loop_ns", NO_OR_NANOSECONDS, loop, 0),
	KEY("choose_ns", NO_OR_NANOSECONDS, choose, 0),
	KEY("pipe_threads", NO_OR_NUMBER, pipe_threads, MACHINE_CPUS_MAX),
	KEY("issue", PERCENT, issue, 0),
	KEY("pause_issue", PERCENT, pause_issue, 0),
};

#define KEYS	(sizeof(keys) / sizeof(keys[0]))

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end && *number > 0 && *number <= max;
}

static bool parse_percent(const char *text, uint64_t *percent)
{
	*percent = strcmp(text, "yes") ? 0 : 100;
	return *percent || !strcmp(text, "no") || !strcmp(text, "0") ||
	       parse_number(text, 100, percent);
}

/* Up to a millisecond; more than nothing, as no access is free. */
static bool parse_nanoseconds(const char *text, uint64_t *picoseconds)
{
	double nanoseconds;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	nanoseconds = strtod(text, &end);
	if (*end || !(nanoseconds >= 0.001 && nanoseconds <= 1e6))
		return false;
	*picoseconds = (uint64_t)(nanoseconds * 1000 + 0.5);
	return true;
}

/* NULL, or what the value should have been. */
static const char *parse(struct machine *machine, const struct key *key, const char *text)
{
	static char expected[80];
	char *at = (char *)machine + key->offset;

	switch (key->type) {
	case NAME:
		if (!*text || strlen(text) > MACHINE_NAME_MAX)
			return "a name of 1 to 63 bytes";
		strcpy(at, text);
		return NULL;
	case NUMBER:
		snprintf(expected, sizeof(expected), "a number from 1 to %llu",
			 (unsigned long long)key->max);
		return parse_number(text, key->max, (uint64_t *)at) ? NULL : expected;
	case YES_NO:
		*(uint64_t *)at = !strcmp(text, "yes");
		return !strcmp(text, "yes") || !strcmp(text, "no") ? NULL : "yes or no";
	case PERCENT:
		return parse_percent(text, (uint64_t *)at) ? NULL :
		       "yes, no or a number from 0 to 100";
	case NO_OR_NUMBER:
		snprintf(expected, sizeof(expected), "no or a number from 1 to %llu",
			 (unsigned long long)key->max);
		if (!strcmp(text, "no"))
			return NULL;
		return parse_number(text, key->max, (uint64_t *)at) ? NULL : expected;
	case NO_OR_NANOSECONDS:
		if (!strcmp(text, "no"))
			return NULL;
		return parse_nanoseconds(text, (uint64_t *)at) ? NULL : "no or a time";
	case NANOSECONDS:
		return parse_nanoseconds(text, (uint64_t *)at) ? NULL :
		       "a time in nanoseconds, from 0.001 to 1000000";
	}
	return "known";
}

static const struct key *find_key(const char *name)
{
	size_t i;

	for (i = 0; i < KEYS; i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static bool parse_line(struct machine *machine, char *line, bool *seen,
		       const char *where, int number)
{
	char *value = strchr(line, '#');
	const struct key *key;
	const char *expected;

	if (value)
		*value = '\0';
	line = trim(line);
	if (!*line)
		return true;
	value = strchr(line, '=');
	if (!value) {
		fprintf(stderr, "%s:%d: no '=' in '%s'\n", where, number, line);
		return false;
	}
	*value++ = '\0';
	line = trim(line);
	value = trim(value);
	key = find_key(line);
	if (!key) {
		fprintf(stderr, "%s:%d: unknown key '%s'\n", where, number, line);
		return false;
	}
	if (seen[key - keys]) {
		fprintf(stderr, "%s:%d: '%s' is there twice\n", where, number, line);
		return false;
	}
	seen[key - keys] = true;
	expected = parse(machine, key, value);
	if (expected)
		fprintf(stderr, "%s:%d: %s is '%s', but must be %s\n", where, number,
			line, value, expected);
	return !expected;
}

static bool is_complete(const struct machine *machine, const bool *seen, const char *path)
{
	bool complete = true;
	size_t i;

	for (i = 0; i < KEYS; i++) {
		if (!seen[i]) {
			fprintf(stderr, "%s: '%s' is missing\n", path, keys[i].name);
			complete = false;
		}
	}
	if (complete && machine->nodes * machine->cpus_per_node > MACHINE_CPUS_MAX) {
		fprintf(stderr, "%s: more than %d CPUs\n", path, MACHINE_CPUS_MAX);
		return false;
	}
	if (complete && machine->pipe_threads && machine->cpus_per_node % machine->pipe_threads) {
		fprintf(stderr, "%s: cpus_per_node is no multiple of pipe_threads\n", path);
		return false;
	}
	return complete;
}

bool machine_parse(struct machine *machine, FILE *file, const char *path)
{
	bool seen[KEYS] = { false };
	char line[256];
	int number = 0;
	bool good = true;

	memset(machine, 0, sizeof(*machine));
	while (good && fgets(line, sizeof(line), file)) {
		number++;
		if (!strchr(line, '\n') && !feof(file)) {
			fprintf(stderr, "%s:%d: line too long\n", path, number);
			good = false;
			break;
		}
		good = parse_line(machine, line, seen, path, number);
	}
	if (ferror(file)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		good = false;
	}
	return good && is_complete(machine, seen, path);
}

bool machine_read(struct machine *machine, const char *path)
{
	FILE *file = fopen(path, "r");
	bool good;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	good = machine_parse(machine, file, path);
	fclose(file);
	return good;
}

int machine_place(const struct machine *machine, int thread)
{
	int node = thread % (int)machine->nodes;

	return node * (int)machine->cpus_per_node + thread / (int)machine->nodes;
}
