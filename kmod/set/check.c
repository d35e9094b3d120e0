// SPDX-License-Identifier: GPL-2.0
/*
 * What a description of sets may say.  Units, labels and helps go to other programs,
 * which have rules for them: OpenMetrics 1.0, "Label" and "MetricFamily".
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ctype.h>
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

/* Letters, digits and '_', and what @more has. */
static bool set_is_word(const char *text, size_t most, char more)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (i == most || !isascii(text[i]) ||
		    !(isalnum(text[i]) || text[i] == '_' || text[i] == more))
			return false;
	return i;
}

static bool set_is_sentence(const char *text)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (i == SCOUNTER_SET_HELP_MAX || (u8)text[i] < ' ' || text[i] == 0x7f)
			return false;
	return true;
}

static int set_check_label(const char *label, const char *object)
{
	if (!label)
		return 0;
	if (!set_is_word(label, SCOUNTER_NAME_MAX, '_') || isdigit(*label) ||
	    !strncmp(label, "__", 2) || !strcmp(label, "group") ||
	    !strcmp(label, "name") || !strcmp(label, "kind"))
		return set_refuse(object, "'%.64s' cannot be a label\n", label);
	return 0;
}

static int set_check_row(const struct scounter_set_row *row, const char *object)
{
	int err = scounter_check_name("row of a set", row->name);

	if (err)
		return err;
	if (row->unit && !set_is_word(row->unit, SCOUNTER_SET_UNIT_MAX, ':'))
		return set_refuse(object, "row '%s': '%.64s' cannot be a unit\n", row->name,
				  row->unit);
	if (row->help && !set_is_sentence(row->help))
		return set_refuse(object, "row '%s': a help of more than %d bytes, or with a control character\n",
				  row->name, SCOUNTER_SET_HELP_MAX);
	return 0;
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
		err = set_check_row(&desc->rows[i], object);
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
