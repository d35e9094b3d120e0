// SPDX-License-Identifier: GPL-2.0
/*
 * export --otlp: OTLP/JSON, as an OpenTelemetry collector takes it (opentelemetry-proto 1.x,
 * ExportMetricsServiceRequest).
 *
 * Totals are cumulative and monotonic, and begin when the counter did: a later start says
 * that it was reset.  What else is known of a counter are metrics of their own, as gauges,
 * with the same attributes; what is not known is left out, as JSON has no infinity.  The
 * names are those of the OpenMetrics format, so that a collector makes the same of both.
 *
 * In the JSON form of protobuf, names are in lowerCamelCase, whole numbers of 64 bits are
 * texts, and enumerators are numbers.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export.h"

#define CUMULATIVE	2	/* AGGREGATION_TEMPORALITY_CUMULATIVE */

static void add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	char *shown = text_dup(text);

	add(object, key, json_object_new_string(shown));
	free(shown);
}

static void add_whole(struct json_object *object, const char *key, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	add(object, key, json_object_new_string(digits));
}

/* A point has a signed number, or a real one where that has too few bits. */
static void add_value(struct json_object *point, uint64_t value)
{
	if (value <= INT64_MAX)
		add_whole(point, "asInt", value);
	else
		add(point, "asDouble", json_object_new_double(value));
}

static void add_attribute_of(struct json_object *attributes, const char *key, const char *type,
			     struct json_object *value)
{
	struct json_object *attribute = json_object_new_object(), *typed = json_object_new_object();

	add(typed, type, value);
	add_text(attribute, "key", key);
	add(attribute, "value", typed);
	json_object_array_add(attributes, attribute);
}

static void add_attribute(struct json_object *attributes, const char *key, const char *text)
{
	char *shown = text_dup(text);

	add_attribute_of(attributes, key, "stringValue", json_object_new_string(shown));
	free(shown);
}

static struct json_object *attributes_of(const struct snapshot *s, const record_t *r)
{
	struct json_object *attributes = json_object_new_array();

	add_attribute(attributes, "group", (const char *)r->group);
	if (*r->object)
		add_attribute(attributes, key_of_object(s, r), (const char *)r->object);
	add_attribute(attributes, "name", (const char *)r->name);
	add_attribute(attributes, "kind", (const char *)r->kind_name);
	return attributes;
}

/* @start: 0 if it is not known */
static struct json_object *point_at(const struct snapshot *s, struct json_object *attributes,
				    uint64_t start)
{
	struct json_object *point = json_object_new_object();

	add(point, "attributes", attributes);
	/* A clock that was set back may have had a later time then. */
	if (start && start <= s->header.real_ns)
		add_whole(point, "startTimeUnixNano", start);
	add_whole(point, "timeUnixNano", s->header.real_ns);
	return point;
}

static struct json_object *metric_of(const char *name, const char *help, const char *unit)
{
	struct json_object *metric = json_object_new_object();

	add_text(metric, "name", name);
	add_text(metric, "description", help);
	if (*unit)
		add_text(metric, "unit", unit);
	return metric;
}

/* A metric without a point is none. */
static bool is_empty(struct json_object *metric, struct json_object *points)
{
	if (json_object_array_length(points))
		return false;
	json_object_put(metric);
	json_object_put(points);
	return true;
}

static void add_sum(struct json_object *metrics, struct json_object *metric,
		    struct json_object *points)
{
	struct json_object *sum;

	if (is_empty(metric, points))
		return;
	sum = json_object_new_object();
	add(sum, "dataPoints", points);
	add(sum, "aggregationTemporality", json_object_new_int(CUMULATIVE));
	add(sum, "isMonotonic", json_object_new_boolean(true));
	add(metric, "sum", sum);
	json_object_array_add(metrics, metric);
}

static void add_gauge(struct json_object *metrics, struct json_object *metric,
		      struct json_object *points)
{
	struct json_object *gauge;

	if (is_empty(metric, points))
		return;
	gauge = json_object_new_object();
	add(gauge, "dataPoints", points);
	add(metric, "gauge", gauge);
	json_object_array_add(metrics, metric);
}

/* Units as OpenTelemetry has them (UCUM); what it does not know is an annotation. */
static void unit_in(const char *unit, char *to, size_t room)
{
	static const char *const known[][2] = {
		{ "bytes", "By" }, { "bits", "bit" }, { "seconds", "s" }, { "milliseconds", "ms" },
		{ "microseconds", "us" }, { "nanoseconds", "ns" }, { "ratio", "1" },
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strcmp(unit, known[i][0])) {
			snprintf(to, room, "%s", known[i][1]);
			return;
		}
	}
	*to = 0;
	if (*unit)
		snprintf(to, room, "{%s}", unit);
}

static void add_family(struct json_object *metrics, const struct snapshot *s,
		       const struct member *members, uint64_t n)
{
	struct json_object *points = json_object_new_array(), *point;
	bool is_gauge = members->record->flags & SCOUNTER_F_GAUGE;
	char unit[SCOUNTER_NAME_MAX + 3];
	uint64_t i;

	for (i = 0; i < n; i++) {
		const record_t *r = members[i].record;

		point = point_at(s, attributes_of(s, r), is_gauge ? 0 : start_of(r).real_ns);
		add_value(point, r->value);
		json_object_array_add(points, point);
	}
	if (is_gauge) {
		add_gauge(metrics, metric_of(members->family, FAMILY_HELP, ""), points);
		return;
	}
	unit_in(family_unit(s, members, n), unit, sizeof(unit));
	add_sum(metrics, metric_of(members->family, family_help(s, members, n), unit), points);
}

static void add_families(struct json_object *metrics, const struct snapshot *s)
{
	struct member *members = members_of(s);
	uint64_t i, n, count = s->header.count;

	for (i = 0; i < count; i += n) {
		n = family_size(&members[i], count - i);
		add_family(metrics, s, &members[i], n);
	}
	members_free(members, count);
}

static void add_bound(struct json_object *metrics, const struct snapshot *s, bool upper)
{
	struct json_object *points = json_object_new_array(), *point;
	uint64_t i, bound;

	for (i = 0; i < s->header.count; i++) {
		const record_t *r = &s->records[i];

		bound = upper ? upper_of(r) : lower_of(r);
		if (upper && bound == UINT64_MAX)
			continue;
		point = point_at(s, attributes_of(s, r), 0);
		add_value(point, bound);
		json_object_array_add(points, point);
	}
	add_gauge(metrics, metric_of(upper ? UPPER : LOWER, upper ?
				     "The true count is above it in at most 0.135 % of all cases." :
				     "The true count is below it in at most 0.135 % of all cases.", ""),
		  points);
}

static void add_gauge_of(struct json_object *metrics, const struct snapshot *s,
			 const struct gauge *gauge)
{
	struct json_object *points = json_object_new_array(), *point;
	uint64_t i;

	for (i = 0; i < s->header.count; i++) {
		const record_t *r = &s->records[i];
		double value = gauge_value(gauge, r);

		if (isinf(value))
			continue;
		point = point_at(s, attributes_of(s, r), 0);
		if (gauge->value)
			add(point, "asDouble", json_object_new_double(value));
		else
			add_value(point, value);
		json_object_array_add(points, point);
	}
	add_gauge(metrics, metric_of(gauge->name, gauge->help, ""), points);
}

static struct json_object *resource_of(const struct snapshot *s)
{
	struct json_object *resource = json_object_new_object();
	struct json_object *attributes = json_object_new_array();
	const __u8 *id = s->header.boot_id;
	char text[256] = "";
	int i;

	add_attribute(attributes, "service.name", "scounter");
	/* Another one after each start of the machine, as counters are. */
	for (i = 0; i < 16; i++)
		sprintf(text + strlen(text), "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			id[i]);
	add_attribute(attributes, "service.instance.id", text);
	/* A file is of some machine. */
	if (!from && !gethostname(text, sizeof(text) - 1) && strcmp(text, "(none)"))
		add_attribute(attributes, "host.name", text);
	add(resource, "attributes", attributes);
	return resource;
}

/* An array of one. */
static struct json_object *list_of(struct json_object *element)
{
	struct json_object *list = json_object_new_array();

	json_object_array_add(list, element);
	return list;
}

/* A series for each of the first keys, and one for all others. */
static struct json_object *attributes_of_key(const struct topk *table, const char *key)
{
	struct json_object *attributes = json_object_new_array();

	add_attribute(attributes, "group", table->group);
	add_attribute(attributes, "table", table->name);
	/* A key is read as it is shown. */
	if (key)
		add_attribute_of(attributes, "key", "stringValue", json_object_new_string(key));
	return attributes;
}

static struct json_object *attributes_of_rest(const struct topk *table)
{
	struct json_object *attributes = attributes_of_key(table, NULL);

	add_attribute_of(attributes, "otel.metric.overflow", "boolValue",
			 json_object_new_boolean(true));
	return attributes;
}

static void add_point(struct json_object *points, const struct snapshot *s,
		      struct json_object *attributes, uint64_t value)
{
	/* When a table began is not known: a total that falls says that it began again. */
	struct json_object *point = point_at(s, attributes, 0);

	add_value(point, value);
	json_object_array_add(points, point);
}

static void add_tables(struct json_object *metrics, const struct snapshot *s,
		       const struct tables *tables, size_t keys)
{
	struct json_object *counts = json_object_new_array(), *errors = json_object_new_array();
	struct json_object *unlisted = json_object_new_array(), *hits = json_object_new_array();
	size_t t, i;

	for (t = 0; t < tables->count; t++) {
		const struct topk *table = &tables->table[t];

		for (i = 0; i < keys && i < table->count; i++) {
			const struct topk_row *row = &table->rows[i];

			add_point(counts, s, attributes_of_key(table, row->key), row->count);
			add_point(errors, s, attributes_of_key(table, row->key), row->error);
		}
		add_point(counts, s, attributes_of_rest(table), topk_rest(table, keys));
		add_point(unlisted, s, attributes_of_key(table, NULL), table->floor + table->pending);
		add_point(hits, s, attributes_of_key(table, NULL), table->total);
	}
	add_gauge(metrics, metric_of(KEYS, KEYS_HELP, ""), counts);
	add_gauge(metrics, metric_of(KEY_ERROR, KEY_ERROR_HELP, ""), errors);
	add_gauge(metrics, metric_of(UNLISTED, UNLISTED_HELP, ""), unlisted);
	add_sum(metrics, metric_of(HITS, HITS_HELP, ""), hits);
}

struct json_object *otlp_of(const struct snapshot *s, const struct tables *tables, size_t keys)
{
	struct json_object *metrics = json_object_new_array(), *scope = json_object_new_object();
	struct json_object *of_scope = json_object_new_object();
	struct json_object *of_resource = json_object_new_object(), *all = json_object_new_object();
	size_t g;

	add_families(metrics, s);
	add_bound(metrics, s, false);
	add_bound(metrics, s, true);
	for (g = 0; g < GAUGE_COUNT; g++)
		add_gauge_of(metrics, s, &gauges[g]);
	if (keys)
		add_tables(metrics, s, tables, keys);
	add_text(scope, "name", "scounter");
	add_text(scope, "version", VERSION);
	add(of_scope, "scope", scope);
	add(of_scope, "metrics", metrics);
	add(of_resource, "resource", resource_of(s));
	add(of_resource, "scopeMetrics", list_of(of_scope));
	add(all, "resourceMetrics", list_of(of_resource));
	return all;
}
