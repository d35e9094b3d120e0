/* SPDX-License-Identifier: GPL-2.0 */
/* A table with a name, as topk.c and files.c see it. */
#ifndef _SCOUNTER_TOPK_TOPK_H
#define _SCOUNTER_TOPK_TOPK_H

#include <linux/mutex.h>
#include <linux/scounter.h>
#include <linux/scounter_topk.h>

#include "registry/registry.h"
#include "topk/table.h"

struct dentry;

/*
 * @table: a reset replaces it, under @mutex; hits find it under RCU
 * @kept: a table that was reset, but for whose snapshot there was no memory yet
 */
struct scounter_topk {
	struct topk_table __rcu *table;
	void (*show_key)(struct seq_file *seq, const void *key);
	void (*show_key_of)(struct seq_file *seq, const void *key, const void *data);
	struct mutex mutex;
	struct topk_table *kept;
	struct scounter_item item;
	struct dentry *text, *binary;
	char name[SCOUNTER_NAME_MAX + 1];
	u8 show_data[] __aligned(8);
};

/* Empty, with a hash of its own. */
struct topk_table *topk_create_table(const struct topk_ops *ops, u32 capacity,
				     u32 key_size);

int topk_publish(struct scounter_topk *topk, const char *name, const char *group,
		 struct module *owner);
void topk_free(struct scounter_topk *topk);

void scounter_topk_init(void);
void scounter_topk_exit(void);

#endif /* _SCOUNTER_TOPK_TOPK_H */
