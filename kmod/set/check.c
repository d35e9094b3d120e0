// SPDX-License-Identifier: GPL-2.0
/* What a description of sets may say. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "registry/registry.h"
#include "set/set.h"

#define set_refuse(object, fmt, ...)					\
	(pr_warn_ratelimited("set '%s': " fmt, (object) ?: "", ##__VA_ARGS__), -EINVAL)

/* Why words of this class cannot be in a set, or NULL. */
static const char *set_fault_of_class(const struct scounter_set_desc *desc,
				      const struct scounter_class *class)
{
	const struct scounter_kind_row *kind = NULL;

	/* A class has a kind, never a choice. */
	if (class->kind && class->kind <= __SCOUNTER_KINDS)
		kind = scounter_kind_row(class->kind);
	if (!kind)
		return "there is no such kind";
	if (!kind->bare)
		return "this kind has no word of its own";
	if (kind->kind == SCOUNTER_RACING)
		return "this kind loses counts";
	if (class->flags & SCOUNTER_CLASS_WRAP)
		return "a counter of a set does not begin again at its end";
	if (class->flags & SCOUNTER_CLASS_RESETS)
		return "a counter of a set is not reset";
	if (desc->flags & SCOUNTER_SET_WORDS32 && kind->word != __SCOUNTER_WORD32)
		return "this kind has a word of eight bytes";
	return NULL;
}

int scounter_set_check_words(const struct scounter_set_desc *desc, const char *object)
{
	const char *fault;
	u32 i;

	if (!desc || !desc->rows || !desc->count)
		return set_refuse(object, "it has no rows\n");
	if (desc->count > SCOUNTER_SET_ROWS_MAX)
		return set_refuse(object, "%u rows are more than %u\n", desc->count,
				  SCOUNTER_SET_ROWS_MAX);
	if (desc->flags & ~(SCOUNTER_SET_WORDS32 | SCOUNTER_SET_SPARSE))
		return set_refuse(object, "there are no flags %#x\n", desc->flags);
	for (i = 0; i < desc->count; i++) {
		fault = set_fault_of_class(desc, &desc->rows[i].class);
		if (fault)
			return set_refuse(object, "row %u, kind %u: %s\n", i,
					  desc->rows[i].class.kind, fault);
	}
	return 0;
}

/* OpenMetrics keeps names that begin so to itself, and the others are of all counters. */
static int set_check_label(const char *label, const char *object)
{
	static const char *const others[] = { "group", "name", "kind" };
	int err = label ? scounter_check_word("label", label) : 0;
	u32 i;

	if (err || !label)
		return err;
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(label, others[i]) || !strncmp(label, "__", 2))
			return set_refuse(object, "its label cannot be '%s'\n", label);
	return 0;
}

static int set_check_row(const struct scounter_set_row *row)
{
	const struct scounter_description description = { row->unit, row->help };

	return scounter_check_name("row of a set", row->name) ?:
		scounter_check_description(row->name, &description);
}

static int set_check_hiding(const struct scounter_set_desc *desc, const char *object)
{
	if (desc->hide & ~SCOUNTER_HIDE_ALL)
		return set_refuse(object, "there is nothing %#x to hide from\n", desc->hide);
	if (desc->flags & SCOUNTER_SET_SPARSE && !(desc->hide & SCOUNTER_HIDE_SYSFS))
		return set_refuse(object, "a sparse set cannot be in sysfs\n");
	return 0;
}

int scounter_set_check_texts(const struct scounter_set_desc *desc, const char *object)
{
	int err = scounter_check_name("set", object);
	u32 i;

	if (!err)
		err = set_check_label(desc->label, object);
	if (!err)
		err = set_check_hiding(desc, object);
	for (i = 0; !err && i < desc->count; i++)
		err = set_check_row(&desc->rows[i]);
	return err;
}

/* A table of hashed rows, each as its index and one, that is full at the end. */
int scounter_set_check_twins(const struct scounter_set_desc *desc, const char *object,
			     u32 *scratch)
{
	const struct scounter_set_row *rows = desc->rows;
	u32 i, at;

	memset(scratch, 0, desc->count * sizeof(*scratch));
	for (i = 0; i < desc->count; i++) {
		at = reciprocal_scale(full_name_hash(NULL, rows[i].name, strlen(rows[i].name)),
				      desc->count);
		while (scratch[at]) {
			if (!strcmp(rows[scratch[at] - 1].name, rows[i].name))
				return set_refuse(object, "two rows have the name '%s'\n",
						  rows[i].name);
			at = at + 1 == desc->count ? 0 : at + 1;
		}
		scratch[at] = i + 1;
	}
	return 0;
}
