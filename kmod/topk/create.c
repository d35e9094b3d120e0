// SPDX-License-Identifier: GPL-2.0
/* Tables of frequent items are made and destroyed. */
#define pr_fmt(fmt) KBUILD_MODNAME ": topk: " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "topk/designs.h"
#include "topk/topk.h"

#define PPB	1000000000U

static int topk_check_size(const struct topk_ops *ops, u32 capacity, u32 key_size)
{
	int err = ops->check ? ops->check(capacity, key_size) : 0;

	if (err)
		pr_warn_ratelimited("a query cannot merge %u entries for each of %u CPUs: no table of the design %s\n",
				    capacity, num_possible_cpus(), ops->name);
	return err;
}

/* What of it is wrong, or NULL. */
static const char *topk_wrong_spec(const struct scounter_topk_spec *spec, u32 *capacity, int *err)
{
	*err = -EINVAL;
	if (!topk_ops_of(spec->design))
		return "there is no such design";
	if (spec->capacity && spec->epsilon_ppb)
		return "capacity or epsilon_ppb is 0";
	*err = -ERANGE;
	if (spec->epsilon_ppb > PPB)
		return "epsilon_ppb is at most 10^9";
	*capacity = spec->capacity;
	if (spec->epsilon_ppb)
		*capacity = DIV_ROUND_UP(PPB, spec->epsilon_ppb);
	if (!*capacity || *capacity > SCOUNTER_TOPK_CAPACITY_MAX)
		return "capacity, or 10^9 over epsilon_ppb, is 1 to 2^20";
	if (spec->key_size < SCOUNTER_TOPK_KEY_MIN || spec->key_size > SCOUNTER_TOPK_KEY_MAX)
		return "key_size is 4 to 64 bytes";
	*err = 0;
	return NULL;
}

static int topk_check_spec(const struct scounter_topk_spec *spec, const char *name, u32 *capacity)
{
	int err;
	const char *why = topk_wrong_spec(spec, capacity, &err);

	if (why) {
		pr_warn_ratelimited("table '%*pE': design %u, capacity %u, epsilon_ppb %u, key_size %u: %s\n",
				    (int)strnlen(name, SCOUNTER_NAME_MAX), name, spec->design,
				    spec->capacity, spec->epsilon_ppb, spec->key_size, why);
		return err;
	}
	return topk_check_size(topk_ops_of(spec->design), *capacity, spec->key_size);
}

/* See scounter_topk_create(). */
struct scounter_topk *__scounter_topk_create(const char *name, const char *group,
					     const struct scounter_topk_spec *spec,
					     struct module *owner)
{
	struct scounter_topk *topk;
	struct topk_table *table;
	u32 capacity;
	int err;

	might_sleep();
	err = topk_check_spec(spec, name ?: "", &capacity);
	if (err)
		return ERR_PTR(err);
	topk = kzalloc(struct_size(topk, show_data, spec->show_data_size), GFP_KERNEL);
	if (!topk)
		return ERR_PTR(-ENOMEM);
	mutex_init(&topk->mutex);
	topk->show_key = spec->show_key;
	topk->show_key_of = spec->show_key_of;
	if (spec->show_data_size)
		memcpy(topk->show_data, spec->show_data, spec->show_data_size);
	topk->item.without_files = spec->hidden;
	table = topk_create_table(topk_ops_of(spec->design), capacity, spec->key_size);
	if (!table) {
		kfree(topk);
		return ERR_PTR(-ENOMEM);
	}
	rcu_assign_pointer(topk->table, table);
	err = topk_publish(topk, name, group, owner);
	if (err) {
		table->ops->destroy(table);
		kfree(topk);
		return ERR_PTR(err);
	}
	return topk;
}
EXPORT_SYMBOL_GPL(__scounter_topk_create);

/**
 * scounter_topk_destroy - free a table
 * @topk: the table; nothing happens if it is NULL or an ERR_PTR
 *
 * Never waits.  Its name is free at once.  Its files go a moment later, and its memory
 * when nobody reads it through one any more.  Until then a reader may call what shows
 * its keys, and has left that when the module that made the table has gone.
 *
 * Context: Any context but NMI: also where memory is reclaimed, with locks that
 * reclaiming takes, and in callbacks of RCU.
 */
void scounter_topk_destroy(struct scounter_topk *topk)
{
	if (!IS_ERR_OR_NULL(topk))
		scounter_item_withdraw(&topk->item);
}
EXPORT_SYMBOL_GPL(scounter_topk_destroy);
