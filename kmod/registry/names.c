// SPDX-License-Identifier: GPL-2.0
/*
 * What a counter, a group, an array or a table may be named: names become those of
 * files, and are shown on terminals.  Units and labels become parts of names in
 * OpenMetrics.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "registry/registry.h"

/* Of a text, or -ENAMETOOLONG. */
static int names_length(const char *what, const char *text, int most)
{
	int length = strnlen(text, most + 1);

	if (length <= most)
		return length;
	pr_warn_ratelimited("%s '%.16s...': more than %d bytes\n", what, text, most);
	return -ENAMETOOLONG;
}

static bool names_is_control(char c)
{
	return (u8)c < ' ' || c == 0x7f;
}

int scounter_check_name(const char *what, const char *name)
{
	int length = name ? names_length(what, name, SCOUNTER_NAME_MAX) : 0;
	int i;

	if (length < 0)
		return length;
	if (!length) {
		pr_warn_ratelimited("the name of a %s is empty\n", what);
		return -EINVAL;
	}
	for (i = 0; i < length; i++) {
		if (name[i] == '/' || names_is_control(name[i])) {
			pr_warn_ratelimited("%s '%*pE': '/' or a control character in a name\n",
					    what, length, name);
			return -EINVAL;
		}
	}
	if (!strcmp(name, ".") || !strcmp(name, "..")) {
		pr_warn_ratelimited("a %s cannot be named '%s'\n", what, name);
		return -EINVAL;
	}
	return 0;
}

static const char in_words[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

int scounter_check_word(const char *what, const char *word)
{
	int length = names_length(what, word, SCOUNTER_NAME_MAX);

	if (length < 0)
		return length;
	if (length && !word[strspn(word, in_words)] && !(*word >= '0' && *word <= '9'))
		return 0;
	pr_warn_ratelimited("%s '%*pE': other than letters, digits and '_', or a digit first\n",
			    what, length, word);
	return -EINVAL;
}

static int names_check_help(const char *of, const char *help)
{
	int length = names_length("help text", help, SCOUNTER_HELP_MAX);

	if (length < 0)
		return length;
	while (*help && !names_is_control(*help))
		help++;
	if (!*help)
		return 0;
	pr_warn_ratelimited("help text of %s: a control character\n", of);
	return -EINVAL;
}

int scounter_check_description(const char *of, const struct scounter_description *description)
{
	int err = 0;

	if (description->unit)
		err = scounter_check_word("unit", description->unit);
	if (!err && description->help)
		err = names_check_help(of, description->help);
	return err;
}
