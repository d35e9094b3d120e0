/* SPDX-License-Identifier: GPL-2.0 */
/* A table with a name, as topk.c and files.c see it. */
#ifndef _SCOUNTER_TOPK_TOPK_H
#define _SCOUNTER_TOPK_TOPK_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/scounter.h>
#include <linux/scounter_topk.h>

#include "topk/table.h"

struct topk_group;
struct dentry;

/*
 * @table: a reset replaces it, under @mutex; hits find it under RCU
 * @kept: a table that was reset, but for whose snapshot there was no memory yet
 */
struct scounter_topk {
	struct topk_table __rcu *table;
	void (*show_key)(struct seq_file *seq, const void *key);
	struct mutex mutex;
	struct topk_table *kept;
	struct module *owner;
	struct topk_group *group;
	struct list_head node;
	struct dentry *text, *binary;
	char name[SCOUNTER_NAME_MAX + 1];
};

int topk_files_add(struct scounter_topk *topk, const char *group);
void topk_files_remove(struct scounter_topk *topk);

int scounter_topk_init(void);
void scounter_topk_exit(void);

#endif /* _SCOUNTER_TOPK_TOPK_H */
