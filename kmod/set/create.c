// SPDX-License-Identifier: GPL-2.0
/* Sets with a name: their making and their end. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "registry/counters.h"
#include "set/named.h"

static void create_free(struct scounter_item *item)
{
	struct scounter_named_set *named = scounter_set_of(item);
	const struct scounter_set_desc *desc = named->set.desc;

	scounter_set_exit(&named->set);
	kvfree(named);
	if (desc->release)
		desc->release(desc);
}

static struct scounter_item_type sets = {
	.what = "set",
	.folder = "",
	.among = &scounter_counters,
	.add = scounter_set_files_add,
	.remove = scounter_set_files_remove,
	.free = create_free,
	.rows = scounter_set_rows,
	.row = scounter_set_row,
	.settle = scounter_set_settle_records,
};

static size_t create_bits_bytes(const struct scounter_set_desc *desc)
{
	if (!(desc->flags & SCOUNTER_SET_SPARSE))
		return 0;
	return BITS_TO_LONGS(desc->count) * sizeof(long);
}

static struct scounter_named_set *create_alloc(const struct scounter_set_desc *desc,
					       const char *object, gfp_t gfp)
{
	size_t words = round_up(scounter_set_words_bytes(desc), sizeof(long));
	size_t bits = create_bits_bytes(desc), name_size = strlen(object) + 1;
	size_t size = sizeof(struct scounter_named_set) + words + bits + name_size;
	struct scounter_named_set *named;
	char *behind;

	if (gfpflags_allow_blocking(gfp))
		named = kvzalloc(size, gfp);
	else
		named = kzalloc(size, gfp);
	if (!named)
		return NULL;
	behind = (char *)(named + 1) + words;
	if (bits)
		named->shown = (unsigned long *)behind;
	memcpy(behind + bits, object, name_size);
	named->item.name = behind + bits;
	named->item.type = &sets;
	named->item.without_files = !(~desc->hide & SCOUNTER_HIDE_FILES);
	named->item.hidden = !!(desc->hide & SCOUNTER_HIDE_SNAPSHOT);
	named->created_ns = ktime_get_ns();
	named->created_real_ns = ktime_get_real_ns();
	named->set.desc = desc;
	return named;
}

static int create_publish(struct scounter_named_set *named, struct module *owner, gfp_t gfp)
{
	const struct scounter_set_desc *desc = named->set.desc;
	/* Its words have room for that, and are not used yet. */
	int err = scounter_set_check_twins(desc, named->item.name, (u32 *)(named + 1));

	memset(named + 1, 0, desc->count * sizeof(u32));
	return err ?: scounter_item_enter(&named->item, desc->group, owner, gfp);
}

/* See scounter_set_create(). */
struct scounter_set *__scounter_set_create(const struct scounter_set_desc *desc,
					   const char *object, struct kobject *parent,
					   gfp_t gfp, struct module *owner)
{
	struct scounter_named_set *named;
	int err = scounter_set_check_words(desc, object);

	if (!err)
		err = scounter_set_check_texts(desc, object);
	if (!err && parent)
		err = scounter_check_parent(parent, object, desc->hide, gfp);
	if (err)
		return ERR_PTR(err);
	if (!scounter_item_may_be_made("set", desc->group, object, owner))
		return ERR_PTR(-EWOULDBLOCK);
	named = create_alloc(desc, object, gfp);
	if (!named)
		return ERR_PTR(-ENOMEM);
	named->parent = parent;
	err = create_publish(named, owner, gfp);
	if (err) {
		kvfree(named);
		return ERR_PTR(err);
	}
	return &named->set;
}
EXPORT_SYMBOL_GPL(__scounter_set_create);

/**
 * scounter_set_destroy - free a set that scounter_set_create() made
 * @set: the set; nothing happens if it is NULL or an ERR_PTR
 *
 * Never waits.  Its name is free at once.  Its files go a moment later, and its memory
 * when nobody reads it through one any more; when the module that made it has gone, so
 * have they.
 *
 * Context: Any context but NMI: also where memory is reclaimed, with locks that
 * reclaiming takes, and in callbacks of RCU.
 */
void scounter_set_destroy(struct scounter_set *set)
{
	if (!IS_ERR_OR_NULL(set))
		scounter_item_withdraw(&container_of(set, struct scounter_named_set, set)->item);
}
EXPORT_SYMBOL_GPL(scounter_set_destroy);

/**
 * scounter_set_show_row - let a counter of a sparse set be seen, or not
 * @set: a set with a name, of a description with SCOUNTER_SET_SPARSE
 * @row: which counter; nothing happens but a warning if there is no such
 * @shown: whether it is to be seen in files and snapshots
 *
 * It counts whether it is seen or not.
 *
 * Context: Any context but NMI.
 */
void scounter_set_show_row(struct scounter_set *set, u32 row, bool shown)
{
	struct scounter_named_set *named = container_of(set, struct scounter_named_set, set);

	if (WARN_ONCE(!(set->desc->flags & SCOUNTER_SET_SPARSE) || row >= set->desc->count,
		      "scounter: row %u of %u of a set cannot be shown or not\n", row,
		      set->desc->count))
		return;
	if (shown)
		set_bit(row, named->shown);
	else
		clear_bit(row, named->shown);
}
EXPORT_SYMBOL_GPL(scounter_set_show_row);
