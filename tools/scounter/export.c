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
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scounter.h"

enum format { NONE, OPENMETRICS, PROMETHEUS, JSON };

static void put_label(FILE *file, const char *key, const unsigned char *value)
{
	char text[NAME_ROOM];
	const char *p;

	text_of(value, text);
	fprintf(file, "%s=\"", key);
	for (p = text; *p; p++) {
		if (*p == '"' || *p == '\\')
			fputc('\\', file);
		fputc(*p, file);
	}
	fputc('"', file);
}

static void put_name(FILE *file, const char *metric, const record_t *r)
{
	fprintf(file, "%s{", metric);
	put_label(file, "group", r->group);
	fputc(',', file);
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

static uint64_t lower_of(const record_t *r)
{
	return has_bounds(r) ? r->lower : 0;
}

static uint64_t upper_of(const record_t *r)
{
	return has_bounds(r) ? r->upper : UINT64_MAX;
}

static double saturated(const record_t *r) { return !!(r->flags & SCOUNTER_F_SATURATED); }
static double lossy(const record_t *r) { return !!(r->flags & SCOUNTER_F_LOSSY); }

static const struct {
	const char *name, *help;
	double (*value)(const record_t *r);
} gauges[] = {
	{ "scounter_relative_error", "Relative standard deviation at most; 0 is exact.", relative_error },
	{ "scounter_variance", "Variance of the value at most; variances of independent counters add.", variance },
	{ "scounter_saturated", "1 if the counter is at the end of its range.", saturated },
	{ "scounter_lossy", "1 if the kind loses counts.", lossy },
};

static void put_value(FILE *file, double value)
{
	fprintf(file, isinf(value) ? "+Inf\n" : "%.17g\n", value);
}

static void put_created(FILE *file, const record_t *r)
{
	uint64_t ns = start_of(r).real_ns;

	put_name(file, "scounter_events_created", r);
	fprintf(file, "%" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void put_metrics(FILE *file, const struct snapshot *s, bool open)
{
	const char *family = open ? "scounter_events" : "scounter_events_total";
	uint64_t i;
	size_t g;

	fprintf(file, "# HELP %s Events that a scounter has counted.\n# TYPE %s counter\n",
		family, family);
	for (i = 0; i < s->header.count; i++) {
		put_name(file, "scounter_events_total", &s->records[i]);
		fprintf(file, "%" PRIu64 "\n", (uint64_t)s->records[i].value);
		if (open)
			put_created(file, &s->records[i]);
	}
	if (!open) {
		fputs("# HELP scounter_events_created When the counter last began at 0, in seconds since 1970.\n"
		      "# TYPE scounter_events_created gauge\n", file);
		for (i = 0; i < s->header.count; i++)
			put_created(file, &s->records[i]);
	}
	for (g = 0; g < 2; g++) {
		const char *name = g ? "scounter_upper_bound" : "scounter_lower_bound";

		fprintf(file, "# HELP %s The true count is %s it in at most 0.135 %% of all cases.\n# TYPE %s gauge\n",
			name, g ? "above" : "below", name);
		for (i = 0; i < s->header.count; i++) {
			const record_t *r = &s->records[i];

			put_name(file, name, r);
			if (g && upper_of(r) == UINT64_MAX)
				fputs("+Inf\n", file);
			else
				fprintf(file, "%" PRIu64 "\n", g ? upper_of(r) : lower_of(r));
		}
	}
	for (g = 0; g < sizeof(gauges) / sizeof(*gauges); g++) {
		fprintf(file, "# HELP %s %s\n# TYPE %s gauge\n", gauges[g].name, gauges[g].help,
			gauges[g].name);
		for (i = 0; i < s->header.count; i++) {
			put_name(file, gauges[g].name, &s->records[i]);
			put_value(file, gauges[g].value(&s->records[i]));
		}
	}
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

static struct json_object *json_of(const record_t *r)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "group", r->group);
	add_text(object, "name", r->name);
	add_text(object, "kind", r->kind_name);
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

static void put_json(FILE *file, const struct snapshot *s)
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
		json_object_array_add(list, json_of(&s->records[i]));
	json_object_object_add(top, "counters", list);
	fprintf(file, "%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}

/* Hold what would fall although it was not reset. */
static void hold(struct snapshot *now, const char *state)
{
	struct snapshot last;
	uint64_t i;

	if (access(state, F_OK) == 0) {
		snapshot_read(state, &last);
		if (memcmp(last.header.boot_id, now->header.boot_id, 16))
			last.header.count = 0;
		for (i = 0; i < now->header.count; i++) {
			record_t *r = &now->records[i];
			const record_t *l = snapshot_find(&last, r);

			if (l && r->flags & SCOUNTER_F_LOSSY && goes_on(l, r) &&
			    l->value > r->value)
				r->value = l->value;
		}
		snapshot_free(&last);
	}
}

int cmd_export(int argc, char **argv)
{
	static const struct option options[] = {
		{ "openmetrics", no_argument, NULL, OPENMETRICS },
		{ "prometheus", no_argument, NULL, PROMETHEUS },
		{ "json", no_argument, NULL, JSON },
		{ "state", required_argument, NULL, 's' },
		{ "output", required_argument, NULL, 'o' },
		{}
	};
	const char *state = NULL, *output = NULL;
	struct atomic_file out = {}, keep = {};
	enum format format = NONE;
	struct snapshot snapshot;
	bool complete;
	FILE *file = stdout;
	int option;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case OPENMETRICS: case PROMETHEUS: case JSON:
			if (format != NONE)
				usage_error("export wants one format");
			format = option;
			break;
		case 's': state = optarg; break;
		case 'o': output = optarg; break;
		default: return USAGE;
		}
	}
	if (format == NONE)
		usage_error("export wants --openmetrics, --prometheus or --json");
	snapshot_read(from, &snapshot);
	complete = snapshot_select(&snapshot, argv + optind, true);
	if (state)
		hold(&snapshot, state);
	if (output) {
		atomic_open(&out, output);
		file = out.file;
	}
	if (format == JSON)
		put_json(file, &snapshot);
	else
		put_metrics(file, &snapshot, format == OPENMETRICS);
	if (output)
		atomic_close(&out);
	if (state) {
		atomic_open(&keep, state);
		snapshot_write(&snapshot, keep.file);
		atomic_close(&keep);
	}
	snapshot_free(&snapshot);
	return complete ? OK : FAILED;
}
