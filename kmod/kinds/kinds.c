// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the kinds with their functions, and their names.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "compat.h"
#include "kinds/kind.h"

#define KIND_ROW(symbol, number, name_, word_, use, family, options_, paper_)	\
	[number - 1] = {							\
		.name = #name_,							\
		.paper = paper_,						\
		.kind = SCOUNTER_##symbol,					\
		.word = __SCOUNTER_##word_,					\
		.bare = __SCOUNTER_##use == __SCOUNTER_BARE,			\
		.options = options_,						\
		.ops = &scounter_##name_##_ops,					\
	},

const u64 scounter_s64_max = S64_MAX;

const struct scounter_kind_row scounter_kinds[__SCOUNTER_KINDS] = {
	SCOUNTER_KIND_TABLE(KIND_ROW)
};

static const struct {
	const char *name;
	enum scounter_kind kind;
} choices[] = {
#define CHOICE(symbol, number, name)	{ #name, SCOUNTER_##symbol },
	SCOUNTER_CHOICE_TABLE(CHOICE)
};

const struct scounter_kind_row *scounter_kind_row(enum scounter_kind kind)
{
	u32 i = (u32)__SCOUNTER_KIND(kind) - 1;

	return i < ARRAY_SIZE(scounter_kinds) ? &scounter_kinds[i] : NULL;
}

/**
 * scounter_kind_name - the name of a kind
 * @kind: an enum scounter_kind
 *
 * Context: Any context.
 * Return: its name, for SCOUNTER_EXACT and SCOUNTER_APPROX that of the kind
 * they stand for; NULL if there is no such kind.
 */
const char *scounter_kind_name(enum scounter_kind kind)
{
	const struct scounter_kind_row *row = scounter_kind_row(kind);

	return row ? row->name : NULL;
}
EXPORT_SYMBOL_GPL(scounter_kind_name);

const char *scounter_class_name(const struct scounter_class *class)
{
	if (!(class->flags & SCOUNTER_CLASS_CHOSEN))
		return scounter_kind_name(class->kind);
	return class->kind == SCOUNTER_BFP_CSUP ? "approx:bfp_csup" : "exact:multiline_adapt";
}

/*
 * List all kinds for the user that misspelt one in a module parameter.  Only once: a
 * program that tries names in a loop must not fill the log.
 */
static void name_the_kinds(const char *unknown)
{
	char list[256];
	size_t length = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(scounter_kinds); i++)
		length += scnprintf(list + length, sizeof(list) - length, " %s",
				    scounter_kinds[i].name);
	for (i = 0; i < ARRAY_SIZE(choices); i++)
		length += scnprintf(list + length, sizeof(list) - length, " %s",
				    choices[i].name);
	pr_warn_once("there is no kind '%.32s'; the kinds are:%s\n", unknown, list);
}

/**
 * scounter_kind_by_name - the kind with a name
 * @name: the name of a kind, as the file `kinds` in debugfs lists them, or
 *	"exact" or "approx" to leave the choice
 *
 * For module parameters and the like.  The first unknown name is answered with
 * a list of the kinds in the kernel log.
 *
 * Context: Any context.
 * Return: an enum scounter_kind, or -EINVAL if there is none of that name.
 */
int scounter_kind_by_name(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(scounter_kinds); i++)
		if (!strcmp(name, scounter_kinds[i].name))
			return scounter_kinds[i].kind;
	for (i = 0; i < ARRAY_SIZE(choices); i++)
		if (!strcmp(name, choices[i].name))
			return choices[i].kind;
	name_the_kinds(name);
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(scounter_kind_by_name);
