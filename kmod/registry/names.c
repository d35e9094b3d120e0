// SPDX-License-Identifier: GPL-2.0
/*
 * What a counter, a group, an array or a table may be named: names become those of
 * files, and are shown on terminals.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "registry/registry.h"

int scounter_check_name(const char *what, const char *name)
{
	size_t length = name ? strnlen(name, SCOUNTER_NAME_MAX + 1) : 0;
	size_t i;

	if (!length) {
		pr_warn_ratelimited("the name of a %s is empty\n", what);
		return -EINVAL;
	}
	if (length > SCOUNTER_NAME_MAX) {
		pr_warn_ratelimited("%s '%.16s...': more than %d bytes\n", what, name,
			SCOUNTER_NAME_MAX);
		return -ENAMETOOLONG;
	}
	for (i = 0; i < length; i++) {
		if (name[i] == '/' || (u8)name[i] < ' ' || name[i] == 0x7f) {
			pr_warn_ratelimited("%s '%*pE': '/' or a control character in a name\n",
					    what, (int)length, name);
			return -EINVAL;
		}
	}
	if (!strcmp(name, ".") || !strcmp(name, "..")) {
		pr_warn_ratelimited("a %s cannot be named '%s'\n", what, name);
		return -EINVAL;
	}
	return 0;
}
