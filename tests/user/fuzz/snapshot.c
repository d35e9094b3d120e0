// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of counters: tools/scounter.  The last byte chooses what is done with
 * one, if any command is; their output goes nowhere.
 */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "../../../tools/scounter/scounter.h"
#include "../../../tools/scounter/recorded.h"
#include "../../../tools/scounter/series.h"
#include "../../../tools/scounter/topk.h"
#include "fuzz.h"

const struct command *current;
const char *from = "fuzz";
bool colour;
void (*leave_screen)(void);

static jmp_buf ended;
static const uint8_t *input;
static size_t input_size;

void warn(const char *format, ...)
{
	(void)format;
}

void fail(int status, const char *format, ...)
{
	char message[8192];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	require(status && *message);
	longjmp(ended, 1);
}

void usage_error(const char *format, ...)
{
	(void)format;
	abort();
}

int see_help(void)
{
	return USAGE;
}

/* Numbers on the command line: none is given. */
double seconds_of(const char *option, const char *text)
{
	usage_error("%s %s", option, text);
}

unsigned long number_of(const char *option, const char *text)
{
	usage_error("%s %s", option, text);
}

const char *root_of(const char *variable, const char *otherwise)
{
	require(*variable && *otherwise);
	return "/nonexistent";
}

const char *sysfs_root(void)
{
	return "/nonexistent";
}

/*
 * What a command had when it failed: there the program ends, and here it is given
 * back.  Memory is allocated as in a list of what is still there.
 */
#define FILES	8

struct held {
	struct held *next, **at;
	max_align_t memory[];
};

static struct held *all_held;
static FILE *files[FILES];

void *fuzz_realloc(void *memory, size_t size);
void *fuzz_calloc(size_t n, size_t size);
void *fuzz_malloc(size_t size);
char *fuzz_strdup(const char *text);
void fuzz_free(void *memory);
FILE *fuzz_fopen(const char *path, const char *mode);
int fuzz_fclose(FILE *file);

static struct held *held_of(void *memory)
{
	return (struct held *)((char *)memory - offsetof(struct held, memory));
}

static void *hold(struct held *held)
{
	require(held);
	held->next = all_held;
	held->at = &all_held;
	if (all_held)
		all_held->at = &held->next;
	all_held = held;
	return held->memory;
}

static struct held *let_go(void *memory)
{
	struct held *held = held_of(memory);

	*held->at = held->next;
	if (held->next)
		held->next->at = held->at;
	return held;
}

void *fuzz_realloc(void *memory, size_t size)
{
	return hold(realloc(memory ? let_go(memory) : NULL, sizeof(struct held) + size));
}

void *fuzz_calloc(size_t n, size_t size)
{
	return hold(calloc(1, sizeof(struct held) + n * size));
}

void *fuzz_malloc(size_t size)
{
	return hold(malloc(sizeof(struct held) + size));
}

char *fuzz_strdup(const char *text)
{
	return strcpy(fuzz_malloc(strlen(text) + 1), text);
}

/* What a stream in memory has made is not held. */
void fuzz_free(void *memory)
{
	struct held *held = all_held;

	while (held && held->memory != memory)
		held = held->next;
	free(held ? let_go(memory) : memory);
}

/* Whatever file a command reads is the input. */
FILE *fuzz_fopen(const char *path, const char *mode)
{
	int i = 0;

	(void)path;
	(void)mode;
	while (files[i])
		require(++i < FILES);
	return files[i] = fmemopen((void *)input, input_size, "rb");
}

int fuzz_fclose(FILE *file)
{
	int i;

	for (i = 0; i < FILES; i++)
		if (files[i] == file)
			files[i] = NULL;
	return fclose(file);
}

static void give_back(void)
{
	int i;

	while (all_held)
		fuzz_free(all_held->memory);
	for (i = 0; i < FILES; i++)
		if (files[i])
			fuzz_fclose(files[i]);
}

/* The same names, and what other records say. */
static struct snapshot mixed_up(const struct snapshot *snapshot)
{
	uint64_t n = snapshot->header.count, i;
	struct snapshot mixed = *snapshot;

	mixed.records = malloc((n + 1) * sizeof(record_t));
	require(mixed.records);
	for (i = 0; i < n; i++) {
		mixed.records[i] = snapshot->records[n - 1 - i];
		memcpy(mixed.records[i].group, snapshot->records[i].group, 64);
		memcpy(mixed.records[i].object, snapshot->records[i].object, 64);
		memcpy(mixed.records[i].name, snapshot->records[i].name, 64);
	}
	return mixed;
}

static void look(struct snapshot *snapshot)
{
	struct snapshot before = mixed_up(snapshot);
	char name[NAME_ROOM], error[32], rate[32];
	struct change change;
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		full_name(r, name);
		require(*name && width_of(name) >= 3);
		require(strlen(unit_of(snapshot, r)) + strlen(help_of(snapshot, r)) <= 2 * 65536);
		require(*label_of(snapshot, r));
		format_error(r, error, sizeof(error));
		require(*state_of(r) && *error);
		require(snapshot_find(snapshot, r));
		change = change_between(&before, snapshot, r);
		require(change.before && change.deviation >= 0);
		format_rate(&change, rate, sizeof(rate));
		require(*rate);
	}
	free(before.records);
}

/* The same after it was written and read. */
static void write_and_read(const struct snapshot *snapshot)
{
	static char buffer[1 << 18];
	uint64_t count = snapshot->header.count;
	uint32_t texts = snapshot->header.texts_size;
	struct source source = { .path = "again" };
	struct snapshot again;
	FILE *file;
	long size;

	if (count * sizeof(record_t) + texts + sizeof(header_t) + 8 >= sizeof(buffer))
		return;
	file = fmemopen(buffer, sizeof(buffer), "wb");
	require(file);
	snapshot_write(snapshot, file);
	size = ftell(file);
	fclose(file);
	source.file = fuzz_file((uint8_t *)buffer, size);
	require(source_next(&source, &again));
	require(again.header.count == count && again.header.texts_size == texts);
	require(!count || !memcmp(again.records, snapshot->records, count * sizeof(record_t)));
	require(!texts || !memcmp(again.texts, snapshot->texts, texts));
	source_close(&source);
	snapshot_free(&again);
}

/* As the kernel's glob_match(), of patterns with no other character than '*'. */
static bool glob(const char *pattern, const char *text)
{
	for (; *pattern != '*'; pattern++, text++)
		if (*pattern != *text || !*text)
			return *pattern == *text;
	do {
		if (glob(pattern + 1, text))
			return true;
	} while (*text++);
	return false;
}

/* The kernel leaves out nothing that a pattern matches. */
static void filter(const struct snapshot *snapshot)
{
	static char *const all[] = {
		"*/*", "a/*", "a*/*", "a/a", "b/a", "a/\\x0*", "a/?", "?/*", "[a-z]/a", "a/a*/?",
		"*a/b*", "a/b/c", "\\x01/a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/a",
	};
	char path[3 * 64], *patterns[3] = { NULL };
	struct scounter_filter ask;
	uint64_t i;
	size_t p;

	for (p = 0; p + 1 < sizeof(all) / sizeof(*all); p++) {
		patterns[0] = all[p];
		patterns[1] = p % 2 ? all[p + 1] : NULL;
		filter_of(patterns, &ask);
		for (i = 0; i < snapshot->header.count; i++) {
			const record_t *r = &snapshot->records[i];

			if (!pattern_matches(patterns[0], r) &&
			    !(patterns[1] && pattern_matches(patterns[1], r)))
				continue;
			snprintf(path, sizeof(path), "%s/%s%s%s", r->group, r->object,
				 *r->object ? "/" : "", r->name);
			require(!*ask.group || !strcmp((char *)ask.group, (char *)r->group));
			require(!*ask.pattern || glob((char *)ask.pattern, path));
		}
	}
}

/* What is left has the texts that it had. */
static void select_some(struct snapshot *snapshot)
{
	char *patterns[] = { "a*/*", "b/a", NULL };
	struct snapshot before = *snapshot;
	const record_t *b;
	uint64_t i;

	before.records = malloc((before.header.count + 1) * sizeof(record_t));
	before.texts = malloc(before.header.texts_size + 1);
	require(before.records && before.texts);
	if (before.header.count)
		memcpy(before.records, snapshot->records,
		       before.header.count * sizeof(record_t));
	if (before.header.texts_size)
		memcpy(before.texts, snapshot->texts, before.header.texts_size);
	snapshot_select(snapshot, patterns, true);
	require(snapshot->header.texts_size <= before.header.texts_size);
	b = before.records;
	for (i = 0; i < snapshot->header.count; i++, b++) {
		const record_t *r = &snapshot->records[i];

		/* Of equal names all are kept. */
		while (strcmp((char *)b->group, (char *)r->group) ||
		       strcmp((char *)b->object, (char *)r->object) ||
		       strcmp((char *)b->name, (char *)r->name))
			require(++b < before.records + before.header.count);
		require(b->value == r->value);
		require(!strcmp(unit_of(&before, b), unit_of(snapshot, r)));
		require(!strcmp(help_of(&before, b), help_of(snapshot, r)));
		require(!strcmp(label_of(&before, b), label_of(snapshot, r)));
	}
	free(before.records);
	free(before.texts);
}

static void ignore(void *of, enum oddity oddity, const record_t *record)
{
	(void)of;
	(void)oddity;
	require(*record->name);
}

/* The sum of it and another has each name once, and no less than it had. */
static void add_up(const struct snapshot *snapshot)
{
	const struct remarks remarks = { .say = ignore };
	struct snapshot sum, part = *snapshot;
	uint64_t i;
	int round;

	part.records = malloc((part.header.count + 1) * sizeof(record_t));
	require(part.records);
	if (part.header.count)
		memcpy(part.records, snapshot->records, part.header.count * sizeof(record_t));
	snapshot_empty(&sum);
	for (round = 0; round < 2; round++) {
		if (snapshot_merge(&sum, &part, true, &remarks)) {
			require(*array_error());
			break;
		}
		snapshot_settle(&sum);
		require(sum.header.count == part.header.count);
		for (i = 0; i < sum.header.count; i++) {
			const record_t *r = &sum.records[i];

			require(!record_order(r, &part.records[i]));
			require(!r->kind && r->value >= part.records[i].value);
			require(r->lower <= r->value && r->value <= r->upper);
			unit_of(&sum, r);
			help_of(&sum, r);
		}
	}
	snapshot_free(&sum);
	free(part.records);
}

static void read_all(void)
{
	struct source source = { .path = "fuzz" };
	struct snapshot snapshot = { 0 };

	source.file = fuzz_file(input, input_size);
	if (!setjmp(ended)) {
		while (source_next(&source, &snapshot)) {
			look(&snapshot);
			write_and_read(&snapshot);
			filter(&snapshot);
			add_up(&snapshot);
			select_some(&snapshot);
			snapshot_free(&snapshot);
		}
	}
	source_close(&source);
	snapshot_free(&snapshot);
	give_back();
}

static void command(int (*run)(int argc, char **argv), char *first, char *second)
{
	char *arguments[] = { "command", first, second, NULL };

	optind = 0;
	if (!setjmp(ended))
		run(1 + !!first + !!second, arguments);
	give_back();
}

/* What is beside the counters, and tables as text. */
static void read_others(void)
{
	struct topk table = { 0 };
	char **names, **name;
	size_t i;

	if (!setjmp(ended)) {
		names = recorded_names(&topk_folder);
		for (name = names; *name; name++)
			topk_take(&table, recorded_open(&topk_folder, *name));
		topk_take(&table, recorded_open(&array_folder, "g/n"));
	}
	give_back();
	if (!setjmp(ended) && topk_take(&table, fuzz_fopen("fuzz", "r"))) {
		topk_compare(&table, &table);
		for (i = 0; i < table.count; i++)
			require(table.rows[i].error <= table.rows[i].count &&
				table.rows[i].hits >= 0);
	}
	give_back();
}

static void draw_rates(void)
{
	struct recording_rates rates;
	uint64_t i;

	if (!setjmp(ended)) {
		rates_read(&rates, "fuzz", (char *[]){ NULL });
		for (i = 0; i < rates.anchors.header.count; i++)
			require(series_most(&rates.series[i]) >= 0);
	}
	give_back();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool silent;

	if (!silent)
		require(freopen("/dev/null", "w", stdout));
	silent = true;
	if (size < 2)
		return 0;
	input = data;
	input_size = size - 1;
	read_all();
	switch (data[size - 1]) {
	case 1:
		command(cmd_list, NULL, NULL);
		break;
	case 2:
		command(cmd_list, "--tsv", NULL);
		break;
	case 3:
		command(cmd_export, "--openmetrics", NULL);
		break;
	case 4:
		command(cmd_export, "--prometheus", NULL);
		break;
	case 5:
		command(cmd_export, "--json", NULL);
		break;
	case 11:
		command(cmd_export, "--otlp", NULL);
		break;
	case 6:
		command(cmd_report, "fuzz", NULL);
		break;
	case 8:
		command(cmd_report, "--csv", "fuzz");
		break;
	case 7:
		command(cmd_diff, "fuzz", "fuzz");
		break;
	case 9:
		read_others();
		break;
	case 10:
		draw_rates();
		break;
	}
	return 0;
}
