// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of frequent items in an export: a series for each of the most frequent keys, and
 * one for all others, with the attribute that OpenTelemetry has for that,
 * otel.metric.overflow.  Gauges: when a key comes among the first, the others lose its hits.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "scounter.h"
#include "events.h"
#include "export.h"

static void take(const char *group, const char *name, void *argument)
{
	struct tables *tables = argument;

	tables->table = events_room(tables->table, tables->count, sizeof(struct topk));
	/* One that has gone meanwhile is none. */
	if (topk_read(group, name, &tables->table[tables->count]))
		tables->count++;
}

void export_tables_read(struct tables *tables)
{
	topk_walk(take, tables);
}

bool export_tables_have(const char *family)
{
	return !strcmp(family, KEYS) || !strcmp(family, KEY_ERROR) ||
	       !strcmp(family, UNLISTED) || !strcmp(family, HITS);
}

void export_tables_free(struct tables *tables)
{
	size_t i;

	for (i = 0; i < tables->count; i++)
		topk_free(&tables->table[i]);
	free(tables->table);
}

static void put_name(FILE *file, const char *metric, const struct topk *table)
{
	fprintf(file, "%s{group=\"", metric);
	put_escaped(file, table->group, true);
	fputs("\",table=\"", file);
	put_escaped(file, table->name, true);
	fputc('"', file);
}

static void put_keys(FILE *file, const char *metric, const struct topk *table, size_t keys,
		     bool error)
{
	size_t i;

	for (i = 0; i < keys && i < table->count; i++) {
		const struct topk_row *row = &table->rows[i];

		put_name(file, metric, table);
		fputs(",key=\"", file);
		put_escaped(file, row->key, true);
		fprintf(file, "\"} %" PRIu64 "\n", error ? row->error : row->count);
	}
}

static void put_head(FILE *file, const char *metric, const char *type, const char *help)
{
	fprintf(file, "# HELP %s %s\n# TYPE %s %s\n", metric, help, metric, type);
}

void export_tables_put(FILE *file, const struct tables *tables, size_t keys, bool open)
{
	size_t i;

	put_head(file, KEYS, "gauge", KEYS_HELP);
	for (i = 0; i < tables->count; i++) {
		put_keys(file, KEYS, &tables->table[i], keys, false);
		put_name(file, KEYS, &tables->table[i]);
		fprintf(file, ",otel_metric_overflow=\"true\"} %" PRIu64 "\n",
			topk_rest(&tables->table[i], keys));
	}
	put_head(file, KEY_ERROR, "gauge", KEY_ERROR_HELP);
	for (i = 0; i < tables->count; i++)
		put_keys(file, KEY_ERROR, &tables->table[i], keys, true);
	put_head(file, UNLISTED, "gauge", UNLISTED_HELP);
	for (i = 0; i < tables->count; i++) {
		put_name(file, UNLISTED, &tables->table[i]);
		fprintf(file, "} %" PRIu64 "\n", tables->table[i].floor + tables->table[i].pending);
	}
	put_head(file, open ? HITS : HITS "_total", "counter", HITS_HELP);
	for (i = 0; i < tables->count; i++) {
		put_name(file, HITS "_total", &tables->table[i]);
		fprintf(file, "} %" PRIu64 "\n", tables->table[i].total);
	}
}

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static struct json_object *json_of(const struct topk *table, size_t keys)
{
	struct json_object *object = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	json_object_object_add(object, "group", json_object_new_string(table->group));
	json_object_object_add(object, "table", json_object_new_string(table->name));
	json_object_object_add(object, "state", json_object_new_string(table->state));
	add_number(object, "capacity", table->capacity);
	add_number(object, "total", table->total);
	add_number(object, "dropped", table->dropped);
	add_number(object, "floor", table->floor);
	add_number(object, "pending", table->pending);
	for (i = 0; i < keys && i < table->count; i++) {
		struct json_object *key = json_object_new_object();

		json_object_object_add(key, "key", json_object_new_string(table->rows[i].key));
		add_number(key, "count", table->rows[i].count);
		add_number(key, "error", table->rows[i].error);
		json_object_array_add(list, key);
	}
	json_object_object_add(object, "keys", list);
	add_number(object, "overflow", topk_rest(table, keys));
	return object;
}

struct json_object *export_tables_json(const struct tables *tables, size_t keys)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < tables->count; i++)
		json_object_array_add(list, json_of(&tables->table[i], keys));
	return list;
}
