/* SPDX-License-Identifier: GPL-2.0 */
/* What the formats of export have in common. */
#ifndef EXPORT_H
#define EXPORT_H

#include "scounter.h"
#include "topk.h"

#define EVENTS	"scounter_events"
#define LOWER	"scounter_lower_bound"
#define UPPER	"scounter_upper_bound"

struct gauge {
	const char *name, *help;
	double (*value)(const record_t *r);
	uint32_t flag;		/* where there is no value */
};

/* LOWER and UPPER are apart, as whole numbers. */
#define GAUGE_COUNT	6
extern const struct gauge gauges[GAUGE_COUNT];
double gauge_value(const struct gauge *gauge, const record_t *r);	/* or infinity */
uint64_t lower_of(const record_t *r);
uint64_t upper_of(const record_t *r);	/* UINT64_MAX: there is none */

/*
 * A help text, and a unit, are those of a family.  So counters that have one are in a
 * family of their name, and all objects in the same.  Two of one family differ in labels.
 */
struct member {
	char *family;
	const record_t *record;
};

/* By family; as many as records.  free() each family, and all. */
struct member *members_of(const struct snapshot *s);
void members_free(struct member *members, uint64_t count);
/* How many of the members, up to count, are of the family of the first. */
uint64_t family_size(const struct member *members, uint64_t count);
/* Of the first member that has one; EVENTS is for any: its own text, and no unit. */
const char *family_help(const struct snapshot *s, const struct member *members, uint64_t n);
const char *family_unit(const struct snapshot *s, const struct member *members, uint64_t n);

/* Of members with SCOUNTER_F_GAUGE. */
#define FAMILY_HELP	"Of the words of a family, which have no names."

/* The label that an object has: not one that every counter, histogram or summary has. */
const char *key_of_object(const struct snapshot *s, const record_t *r);

struct json_object;

/* Tables of frequent items. */
#define KEYS		"scounter_top"
#define KEYS_HELP	"Hits of a key at most, and with otel.metric.overflow those of all others together."
#define KEY_ERROR	"scounter_top_error"
#define KEY_ERROR_HELP	"By how much the hits of a key may be too many."
#define UNLISTED	"scounter_top_unlisted_max"
#define UNLISTED_HELP	"Hits of any key that is not in the table, at most."
#define HITS		"scounter_top_hits"
#define HITS_HELP	"Hits of all keys."

struct tables {
	struct topk *table;
	size_t count;
};

/* In a label or a help text. */
void put_escaped(FILE *file, const char *text, bool quotes);
void export_tables_read(struct tables *tables);
/* Whether it is the name of one of their families. */
bool export_tables_have(const char *family);
void export_tables_free(struct tables *tables);
/* The first keys of each; @open: as OpenMetrics. */
void export_tables_put(FILE *file, const struct tables *tables, size_t keys, bool open);
struct json_object *export_tables_json(const struct tables *tables, size_t keys);

/* OTLP/JSON; @keys: of each table, 0 for no tables */
struct json_object *otlp_of(const struct snapshot *s, const struct tables *tables, size_t keys);

#endif
