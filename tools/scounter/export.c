// SPDX-License-Identifier: GPL-2.0
/*
 * export: OpenMetrics 1.0, the older text format of Prometheus (which is what
 * node_exporter's textfile collector takes), and JSON.
 *
 * A _total may fall only when its _created changes.  With --state FILE the last
 * exported snapshot is kept: where a counter that loses counts is below what was
 * exported, with no reset between, it is exported as it was.  No other counter falls
 * without a reset or a wrap.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"

enum format { NONE, OPENMETRICS, PROMETHEUS, JSON, OTLP };

#define GAUGES	"scounter_family_"	/* of families of words */

void put_escaped(FILE *file, const char *text, bool quotes)
{
	for (; *text; text++) {
		if ((quotes && *text == '"') || *text == '\\')
			fputc('\\', file);
		fputc(*text, file);
	}
}

static void put_label(FILE *file, const char *key, const unsigned char *value)
{
	char text[NAME_ROOM];

	text_of(value, text);
	fprintf(file, "%s=\"", key);
	put_escaped(file, text, true);
	fputc('"', file);
}

const char *key_of_object(const struct snapshot *s, const record_t *r)
{
	static const char *const others[] = { "group", "name", "kind", "le", "quantile" };
	const char *key = label_of(s, r);
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(key, others[i]))
			return "object";
	return key;
}

static void put_name(FILE *file, const char *metric, const char *suffix, const struct snapshot *s,
		     const record_t *r)
{
	fprintf(file, "%s%s{", metric, suffix);
	put_label(file, "group", r->group);
	fputc(',', file);
	if (*r->object) {
		put_label(file, key_of_object(s, r), r->object);
		fputc(',', file);
	}
	put_label(file, "name", r->name);
	fputc(',', file);
	put_label(file, "kind", r->kind_name);
	fputs("} ", file);
}

static double relative_error(const record_t *r)
{
	return unsure_of(r) ? INFINITY : r->error_ppm / 1e6;
}

static double variance(const record_t *r)
{
	return deviation_of(r) * deviation_of(r);
}

/* Nothing is known of a counter that loses counts or has overflown. */
static bool has_bounds(const record_t *r)
{
	return !(r->flags & (SCOUNTER_F_LOSSY | SCOUNTER_F_OVERFLOW));
}

uint64_t lower_of(const record_t *r)
{
	return has_bounds(r) ? r->lower : 0;
}

uint64_t upper_of(const record_t *r)
{
	return has_bounds(r) ? r->upper : UINT64_MAX;
}

const struct gauge gauges[GAUGE_COUNT] = {
	{ "scounter_relative_error", "Relative standard deviation at most; 0 is exact.", relative_error, 0 },
	{ "scounter_variance", "Variance of the value at most; variances of independent counters add.", variance, 0 },
	{ "scounter_saturated", "1 if the counter is at the end of its range.", NULL, SCOUNTER_F_SATURATED },
	{ "scounter_overflowed", "1 if the counter is beyond 2^63 - 1, and right modulo 2^64.", NULL, SCOUNTER_F_OVERFLOW },
	{ "scounter_wrapped", "1 if the counter began again at 0 at the end of its range.", NULL, SCOUNTER_F_WRAPPED },
	{ "scounter_lossy", "1 if the kind loses counts.", NULL, SCOUNTER_F_LOSSY },
};

double gauge_value(const struct gauge *gauge, const record_t *r)
{
	return gauge->value ? gauge->value(r) : !!(r->flags & gauge->flag);
}

static void put_value(FILE *file, const struct gauge *gauge, const record_t *r)
{
	double value = gauge_value(gauge, r);

	fprintf(file, isinf(value) ? "+Inf\n" : "%.17g\n", value);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), of_end = strlen(end);

	return length >= of_end && !strcmp(text + length - of_end, end);
}

static bool has_suffix(const char *family)
{
	return ends_with(family, "_total") || ends_with(family, "_created");
}

static bool is_taken(const char *family)
{
	size_t g;

	for (g = 0; g < GAUGE_COUNT; g++)
		if (!strcmp(family, gauges[g].name))
			return true;
	return !strcmp(family, LOWER) || !strcmp(family, UPPER) || has_suffix(family) ||
	       !strncmp(family, GAUGES, strlen(GAUGES)) ||
	       export_tables_have(family);
}

/* Other than letters and digits as '_'. */
static char *put_word(char *to, const char *text)
{
	for (; *text; text++)
		*to++ = isascii(*text) && isalnum(*text) ? *text : '_';
	*to = 0;
	return to;
}

#define FAMILY_ROOM	512

static void family_of(const struct snapshot *s, const record_t *r, char *to)
{
	const char *unit = unit_of(s, r);
	char word[SCOUNTER_NAME_MAX + 2];
	char *end;

	if (r->flags & SCOUNTER_F_GAUGE) {
		put_word(stpcpy(to, GAUGES), (const char *)r->name);
		return;
	}
	strcpy(to, EVENTS);
	if ((!*unit && !*help_of(s, r)) || strlen(unit) > SCOUNTER_NAME_MAX)
		return;
	end = stpcpy(to, "scounter_");
	end = put_word(end, (const char *)r->group);
	end = stpcpy(end, "_");
	put_word(end, (const char *)r->name);
	/* What OpenMetrics appends itself. */
	while (has_suffix(to))
		*strrchr(to, '_') = 0;
	put_word(stpcpy(word, "_"), unit);
	if (*unit && !ends_with(to, word))
		strcat(to, word);
	if (is_taken(to))
		strcpy(to, EVENTS);
}

static int by_family(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = strcmp(x->family, y->family);

	return order ? order : x->record < y->record ? -1 : x->record > y->record;
}

struct member *members_of(const struct snapshot *s)
{
	struct member *members = calloc(s->header.count + 1, sizeof(*members));
	uint64_t i;

	if (!members)
		fail(FAILED, "out of memory");
	for (i = 0; i < s->header.count; i++) {
		char family[FAMILY_ROOM];

		family_of(s, &s->records[i], family);
		members[i].record = &s->records[i];
		members[i].family = realloc(NULL, strlen(family) + 1);
		if (!members[i].family)
			fail(FAILED, "out of memory");
		strcpy(members[i].family, family);
	}
	qsort(members, s->header.count, sizeof(*members), by_family);
	return members;
}

void members_free(struct member *members, uint64_t count)
{
	uint64_t i;

	for (i = 0; i < count; i++)
		free(members[i].family);
	free(members);
}

uint64_t family_size(const struct member *members, uint64_t count)
{
	uint64_t n;

	for (n = 1; n < count && !strcmp(members[0].family, members[n].family); n++)
		;
	return n;
}

const char *family_help(const struct snapshot *s, const struct member *members, uint64_t n)
{
	uint64_t i = strcmp(members->family, EVENTS) ? 0 : n;

	while (i < n && !*help_of(s, members[i].record))
		i++;
	return i < n ? help_of(s, members[i].record) : "Events that a scounter has counted.";
}

const char *family_unit(const struct snapshot *s, const struct member *members, uint64_t n)
{
	uint64_t i = strcmp(members->family, EVENTS) ? 0 : n;

	while (i < n && !*unit_of(s, members[i].record))
		i++;
	return i < n ? unit_of(s, members[i].record) : "";
}

static void put_help(FILE *file, const struct snapshot *s, const char *metric,
		     const struct member *members, uint64_t n, bool open)
{
	char *help = text_dup(family_help(s, members, n));

	fprintf(file, "# HELP %s ", metric);
	put_escaped(file, help, open);
	fputc('\n', file);
	free(help);
}

static void put_unit(FILE *file, const struct snapshot *s, const struct member *members, uint64_t n)
{
	const char *unit = family_unit(s, members, n);
	char word[SCOUNTER_NAME_MAX + 1];

	if (!*unit)
		return;
	put_word(word, unit);
	fprintf(file, "# UNIT %s %s\n", members->family, word);
}

static void put_created(FILE *file, const char *family, const struct snapshot *s, const record_t *r)
{
	uint64_t ns = start_of(r).real_ns;

	put_name(file, family, "_created", s, r);
	fprintf(file, "%" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void put_family(FILE *file, const struct snapshot *s, const struct member *members,
		       uint64_t n, bool open)
{
	const char *family = members->family;
	char metric[FAMILY_ROOM + 8];
	uint64_t i;

	snprintf(metric, sizeof(metric), "%s%s", family, open ? "" : "_total");
	put_help(file, s, metric, members, n, open);
	fprintf(file, "# TYPE %s counter\n", metric);
	if (open)
		put_unit(file, s, members, n);
	for (i = 0; i < n; i++) {
		put_name(file, family, "_total", s, members[i].record);
		fprintf(file, "%" PRIu64 "\n", (uint64_t)members[i].record->value);
		if (open)
			put_created(file, family, s, members[i].record);
	}
	if (open)
		return;
	fprintf(file, "# HELP %s_created When the counter last began at 0, in seconds since 1970.\n"
		"# TYPE %s_created gauge\n", family, family);
	for (i = 0; i < n; i++)
		put_created(file, family, s, members[i].record);
}

/* Of now: these have no unit, as each family of words may have another. */
static void put_gauges(FILE *file, const struct snapshot *s, const struct member *members,
		       uint64_t n)
{
	uint64_t i;

	fprintf(file, "# HELP %s " FAMILY_HELP "\n# TYPE %s gauge\n",
		members->family, members->family);
	for (i = 0; i < n; i++) {
		put_name(file, members->family, "", s, members[i].record);
		fprintf(file, "%" PRIu64 "\n", (uint64_t)members[i].record->value);
	}
}

static void put_families(FILE *file, const struct snapshot *s, bool open)
{
	struct member *members = members_of(s);
	uint64_t i, n, count = s->header.count;

	for (i = 0; i < count; i += n) {
		n = family_size(&members[i], count - i);
		if (members[i].record->flags & SCOUNTER_F_GAUGE)
			put_gauges(file, s, &members[i], n);
		else
			put_family(file, s, &members[i], n, open);
	}
	members_free(members, count);
}

/* @keys: of each table, 0 for no tables */
static void put_metrics(FILE *file, const struct snapshot *s, const struct tables *tables,
			size_t keys, bool open)
{
	uint64_t i;
	size_t g;

	put_families(file, s, open);
	for (g = 0; g < 2; g++) {
		const char *name = g ? UPPER : LOWER;

		fprintf(file, "# HELP %s The true count is %s it in at most 0.135 %% of all cases.\n# TYPE %s gauge\n",
			name, g ? "above" : "below", name);
		for (i = 0; i < s->header.count; i++) {
			const record_t *r = &s->records[i];

			put_name(file, name, "", s, r);
			if (g && upper_of(r) == UINT64_MAX)
				fputs("+Inf\n", file);
			else
				fprintf(file, "%" PRIu64 "\n", g ? upper_of(r) : lower_of(r));
		}
	}
	for (g = 0; g < GAUGE_COUNT; g++) {
		fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", gauges[g].name, gauges[g].help,
			gauges[g].name);
		for (i = 0; i < s->header.count; i++) {
			put_name(file, gauges[g].name, "", s, &s->records[i]);
			put_value(file, &gauges[g], &s->records[i]);
		}
	}
	if (keys)
		export_tables_put(file, tables, keys, open);
	if (open)
		fputs("# EOF\n", file);
}

static void add_text(struct json_object *object, const char *key, const unsigned char *value)
{
	char text[NAME_ROOM];

	text_of(value, text);
	json_object_object_add(object, key, json_object_new_string(text));
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void add_number_if(struct json_object *object, const char *key, bool known,
			  uint64_t value)
{
	json_object_object_add(object, key, known ? json_object_new_uint64(value) : NULL);
}

/* null: there is none. */
static void add_text_if(struct json_object *object, const char *key, const char *value)
{
	char *text = text_dup(value);

	json_object_object_add(object, key, *text ? json_object_new_string(text) : NULL);
	free(text);
}

static struct json_object *json_of(const struct snapshot *s, const record_t *r)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "group", r->group);
	add_text_if(object, "object", (const char *)r->object);
	add_text_if(object, "label", *r->object ? label_of(s, r) : "");
	add_text(object, "name", r->name);
	add_text(object, "kind", r->kind_name);
	add_text_if(object, "unit", unit_of(s, r));
	add_text_if(object, "help", help_of(s, r));
	add_number(object, "value", r->value);
	/* What has no bound is null, not a number that looks like one. */
	add_number_if(object, "error_ppm", !unsure_of(r), r->error_ppm);
	json_object_object_add(object, "variance", unsure_of(r) ? NULL :
			       json_object_new_double(variance(r)));
	add_number(object, "lower", lower_of(r));
	add_number_if(object, "upper", upper_of(r) != UINT64_MAX, upper_of(r));
	json_object_object_add(object, "state", json_object_new_string(state_of(r)));
	add_number(object, "flags", r->flags);
	add_number(object, "bytes", r->bytes);
	add_number(object, "resets", r->resets);
	add_number(object, "created_ns", r->created_ns);
	add_number(object, "created_real_ns", r->created_real_ns);
	add_number(object, "reset_ns", r->reset_ns);
	add_number(object, "reset_real_ns", r->reset_real_ns);
	add_number(object, "saturated_ns", r->saturated_ns);
	add_number(object, "wraps", r->wraps);
	add_number(object, "wrapped_ns", r->wrapped_ns);
	add_number(object, "wrapped_real_ns", r->wrapped_real_ns);
	return object;
}

static void put_object(FILE *file, struct json_object *top, int how)
{
	fprintf(file, "%s\n",
		json_object_to_json_string_ext(top, how | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}

static void put_json(FILE *file, const struct snapshot *s, const struct tables *tables,
		     size_t keys)
{
	struct json_object *top = json_object_new_object();
	struct json_object *list = json_object_new_array();
	char id[33];
	uint64_t i;

	for (i = 0; i < 16; i++)
		sprintf(id + 2 * i, "%02x", s->header.boot_id[i]);
	json_object_object_add(top, "boot_id", json_object_new_string(id));
	add_number(top, "monotonic_ns", s->header.monotonic_ns);
	add_number(top, "real_ns", s->header.real_ns);
	for (i = 0; i < s->header.count; i++)
		json_object_array_add(list, json_of(s, &s->records[i]));
	json_object_object_add(top, "counters", list);
	if (keys)
		json_object_object_add(top, "tables", export_tables_json(tables, keys));
	put_object(file, top, JSON_C_TO_STRING_PRETTY);
}

/* A state that is of no use stays beside the new one: it may be another file. */
static void set_aside(const char *state, const char *damage)
{
	char aside[4096];

	if (!strcmp(damage, "empty")) {
		warn("%s: empty; what was exported is not known, and exported anew", state);
		return;
	}
	if (snprintf(aside, sizeof(aside), "%s.damaged", state) >= (int)sizeof(aside) ||
	    rename(state, aside))
		fail(FAILED, "%s: %s; it cannot be kept as %s: %s", state, damage, aside,
		     strerror(errno));
	warn("%s: %s; what was exported is not known, and exported anew; the file is now %s",
	     state, damage, aside);
}

/* What was exported last, in this boot. */
static void last_export(const struct snapshot *now, const char *state, struct snapshot *last)
{
	const char *damage;
	struct stat there;

	memset(last, 0, sizeof(*last));
	if (stat(state, &there)) {
		if (errno == ENOENT)
			return;
		fail(FAILED, "%s: %s", state, strerror(errno));
	}
	/* A device would be set aside as a damaged file is, and a pipe waited for. */
	if (!S_ISREG(there.st_mode))
		fail(FAILED, "%s: not a regular file", state);
	if (!snapshot_try(state, last, &damage))
		set_aside(state, damage);
	if (memcmp(last->header.boot_id, now->header.boot_id, 16))
		last->header.count = 0;
}

/* A version that does not know how often may have wrapped again. */
static bool may_have_wrapped(const record_t *r)
{
	return r->flags & SCOUNTER_F_WRAPPED && !r->wraps;
}

/* Hold what would fall although it was not reset. */
static void hold(struct snapshot *now, const struct snapshot *last)
{
	uint64_t i;

	for (i = 0; i < now->header.count; i++) {
		record_t *r = &now->records[i];
		const record_t *l = snapshot_find(last, r);

		if (l && r->flags & SCOUNTER_F_LOSSY && goes_on(l, r) &&
		    !may_have_wrapped(r) && l->value > r->value)
			r->value = l->value;
	}
}

/*
 * Before the output, so that no more was ever exported than the state says.  A counter
 * that is not there may come back, and may be held then.
 */
static void keep(struct snapshot *now, const struct snapshot *last, const char *state)
{
	uint64_t count = now->header.count, room = count + last->header.count, kept = count, i;
	struct atomic_file out;

	now->records = realloc(now->records, (room + 1) * sizeof(record_t));
	if (!now->records)
		fail(FAILED, "out of memory");
	for (i = 0; i < last->header.count; i++) {
		record_t *r = &now->records[kept];

		if (!(last->records[i].flags & SCOUNTER_F_LOSSY) ||
		    snapshot_find(now, &last->records[i]))
			continue;
		*r = last->records[i];
		r->unit = r->help = r->label = 0;
		kept++;
	}
	atomic_open(&out, state);
	now->header.count = kept;
	snapshot_write(now, out.file);
	now->header.count = count;
	atomic_close(&out);
}

static void remember(struct snapshot *now, const char *state)
{
	struct snapshot last;

	last_export(now, state, &last);
	hold(now, &last);
	keep(now, &last, state);
	snapshot_free(&last);
}

int cmd_export(int argc, char **argv)
{
	static const struct option options[] = {
		{ "openmetrics", no_argument, NULL, OPENMETRICS },
		{ "prometheus", no_argument, NULL, PROMETHEUS },
		{ "json", no_argument, NULL, JSON },
		{ "otlp", no_argument, NULL, OTLP },
		{ "state", required_argument, NULL, 's' },
		{ "output", required_argument, NULL, 'o' },
		{ "tables", required_argument, NULL, 't' },
		{}
	};
	const char *state = NULL, *output = NULL;
	struct atomic_file out = {};
	struct tables tables = {};
	unsigned long keys = 0;
	enum format format = NONE;
	struct snapshot snapshot;
	bool complete;
	FILE *file = stdout;
	int option;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case OPENMETRICS: case PROMETHEUS: case JSON: case OTLP:
			if (format != NONE)
				usage_error("export wants one format");
			format = option;
			break;
		case 's': state = optarg; break;
		case 'o': output = optarg; break;
		case 't': keys = number_of("--tables", optarg); break;
		default: return USAGE;
		}
	}
	if (format == NONE)
		usage_error("export wants --openmetrics, --prometheus, --json or --otlp");
	snapshot_read(from, argv + optind, &snapshot);
	if (keys)
		export_tables_read(&tables);
	complete = snapshot_select(&snapshot, argv + optind, true);
	if (state)
		remember(&snapshot, state);
	if (output) {
		atomic_open(&out, output);
		file = out.file;
	}
	if (format == JSON)
		put_json(file, &snapshot, &tables, keys);
	else if (format == OTLP)
		put_object(file, otlp_of(&snapshot, &tables, keys), JSON_C_TO_STRING_PLAIN);
	else
		put_metrics(file, &snapshot, &tables, keys, format == OPENMETRICS);
	if (output)
		atomic_close(&out);
	export_tables_free(&tables);
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}
