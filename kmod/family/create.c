// SPDX-License-Identifier: GPL-2.0
/* Families are registered and unregistered, and what snapshots say of them. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "family/family.h"
#include "kinds/kind.h"
#include "registry/counters.h"

const char *const scounter_family_row_names[SCOUNTER_FAMILY_ROWS] = {
	[SCOUNTER_FAMILY_WORDS] = "words",
	[SCOUNTER_FAMILY_SUM] = "sum",
	[SCOUNTER_FAMILY_LARGEST] = "largest",
	[SCOUNTER_FAMILY_P50] = "p50",
	[SCOUNTER_FAMILY_P90] = "p90",
	[SCOUNTER_FAMILY_P99] = "p99",
	[SCOUNTER_FAMILY_BYTES] = "bytes",
};

/* All rows are of one pass, which the first one to be shown makes. */
static void family_find(struct scounter_family *family, struct scounter_row *row)
{
	u32 i;

	if (row->is_found)
		return;
	row->is_found = true;
	if (!scounter_family_read(family, row->found))
		return;
	/* Nothing is known of them then. */
	for (i = 0; i < SCOUNTER_FAMILY_ROWS; i++)
		row->found[i] = (struct scounter_estimate) { .flags = SCOUNTER_F_LOSSY };
}

static void family_show(struct scounter_row *row, struct scounter_snapshot_record *record)
{
	struct scounter_family *family = row->of;
	const struct scounter_estimate *estimate = &row->found[row->i];

	family_find(family, row);
	record->kind = 0;
	record->parameters[0] = row->i == SCOUNTER_FAMILY_WORDS ||
				row->i == SCOUNTER_FAMILY_SUM || row->i == SCOUNTER_FAMILY_BYTES;
	record->value = estimate->value;
	record->lower = estimate->lower;
	record->upper = estimate->upper;
	record->error_ppm = estimate->error_ppm;
	record->flags = estimate->flags | SCOUNTER_F_GAUGE;
	if (row->i == SCOUNTER_FAMILY_SUM)
		record->bytes = min_t(u64, row->found[SCOUNTER_FAMILY_BYTES].value, U32_MAX);
	record->created_ns = family->created_ns;
	record->created_real_ns = family->created_real_ns;
}

static u32 family_rows(const struct scounter_item *item)
{
	return SCOUNTER_FAMILY_ROWS;
}

static const char *family_help(const struct scounter_family_desc *desc, u32 i)
{
	if (i == SCOUNTER_FAMILY_WORDS)
		return "Words that there are now.";
	if (i == SCOUNTER_FAMILY_BYTES)
		return "Bytes that they take.";
	return desc->help;
}

static const char *family_unit(const struct scounter_family_desc *desc, u32 i)
{
	if (i == SCOUNTER_FAMILY_WORDS)
		return "words";
	if (i == SCOUNTER_FAMILY_BYTES)
		return "bytes";
	return desc->unit;
}

static bool family_row(struct scounter_item *item, u32 i, struct scounter_row *row)
{
	struct scounter_family *family = scounter_family_of(item);

	BUILD_BUG_ON(SCOUNTER_FAMILY_ROWS > SCOUNTER_ROWS_FOUND);
	/* One by one: what was found stays. */
	row->group = item->spot.group->name;
	row->object = item->name;
	row->name = scounter_family_row_names[i];
	row->unit = family_unit(family->desc, i);
	row->help = family_help(family->desc, i);
	row->label = "family";
	row->class = family->desc->class;
	row->full_since = NULL;
	row->show = family_show;
	row->of = family;
	row->i = i;
	if (!i)
		row->is_found = false;
	return true;
}

static void family_free(struct scounter_item *item)
{
	kfree(scounter_family_of(item));
}

static struct scounter_item_type families = {
	.what = "family",
	.folder = "",
	.among = &scounter_counters,
	.add = scounter_family_files_add,
	.remove = scounter_family_files_remove,
	.free = family_free,
	.rows = family_rows,
	.row = family_row,
	.slow = true,
};

#define family_refuse(name, fmt, ...)					\
	(pr_warn_ratelimited("family '%s': " fmt, name, ##__VA_ARGS__), -EINVAL)

static int family_check_class(const char *name, const struct scounter_class *class)
{
	const struct scounter_kind_row *kind = NULL;

	if (class && class->kind && class->kind <= __SCOUNTER_KINDS)
		kind = scounter_kind_row(class->kind);
	if (!kind || !kind->bare)
		return family_refuse(name, "it has no class of a kind that has words\n");
	return 0;
}

static int family_check(const char *name, const struct scounter_family_desc *desc)
{
	struct scounter_description description;
	int err = scounter_check_name("family", name);

	if (err)
		return err;
	if (!desc || !desc->walk)
		return family_refuse(name, "it has no function that goes over the words\n");
	if (desc->hide & ~SCOUNTER_HIDE_ALL)
		return family_refuse(name, "there is nothing %#x to hide from\n", desc->hide);
	description = (struct scounter_description) { desc->unit, desc->help };
	err = family_check_class(name, desc->class);
	return err ?: scounter_check_description(name, &description);
}

/* See scounter_family_register(). */
struct scounter_family *__scounter_family_register(const char *name, const char *group,
						   const struct scounter_family_desc *desc,
						   void *context, struct module *owner)
{
	struct scounter_family *family;
	int err = family_check(name, desc);

	might_sleep();
	if (err)
		return ERR_PTR(err);
	family = kzalloc(sizeof(*family) + strlen(name) + 1, GFP_KERNEL);
	if (!family)
		return ERR_PTR(-ENOMEM);
	memcpy(family->name, name, strlen(name) + 1);
	family->item.type = &families;
	family->item.name = family->name;
	family->item.without_files = !!(desc->hide & SCOUNTER_HIDE_DEBUGFS);
	family->item.hidden = !!(desc->hide & SCOUNTER_HIDE_SNAPSHOT);
	family->desc = desc;
	family->context = context;
	family->created_ns = ktime_get_ns();
	family->created_real_ns = ktime_get_real_ns();
	err = scounter_item_enter(&family->item, group, owner, GFP_KERNEL);
	if (err) {
		kfree(family);
		return ERR_PTR(err);
	}
	return family;
}
EXPORT_SYMBOL_GPL(__scounter_family_register);

/**
 * scounter_family_unregister - let the words of objects not be seen any more
 * @family: the family; nothing happens if it is NULL or an ERR_PTR
 *
 * Waits for readers, who leave as soon as their call of walk() returns.  None is in there
 * afterwards, and the objects may go.
 *
 * Context: Task context; may sleep.  Not with locks that the family's walk() takes; for
 * lockdep it is also an allocation with GFP_KERNEL.
 */
void scounter_family_unregister(struct scounter_family *family)
{
	might_sleep();
	if (IS_ERR_OR_NULL(family))
		return;
	scounter_family_may_wait();
	scounter_item_take_down(&family->item);
	kfree(family);
}
EXPORT_SYMBOL_GPL(scounter_family_unregister);
