/* SPDX-License-Identifier: GPL-2.0 */
/* What export.c has of tables. */
#ifndef SCOUNTER_EXPORT_H
#define SCOUNTER_EXPORT_H

#include <stdio.h>

#include "topk.h"

struct json_object;

struct tables {
	struct topk *table;
	size_t count;
};

/* In a label or a help text. */
void put_escaped(FILE *file, const char *text, bool quotes);
void export_tables_read(struct tables *tables);
void export_tables_free(struct tables *tables);
/* The first keys of each; @open: as OpenMetrics. */
void export_tables_put(FILE *file, const struct tables *tables, size_t keys, bool open);
struct json_object *export_tables_json(const struct tables *tables, size_t keys);

#endif
