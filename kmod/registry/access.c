// SPDX-License-Identifier: GPL-2.0
/*
 * Who may read, as the module's parameters say.  They are checked as they are parsed, so
 * that a wrong one loads nothing, and never change afterwards.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/user_namespace.h>

#include "registry/access.h"

static umode_t device_mode = 0444, file_mode = 0444;
static uint gid;

static int access_set_mode(const char *text, const struct kernel_param *param)
{
	u16 mode;

	if (kstrtou16(text, 8, &mode) || (mode != 0400 && mode != 0440 && mode != 0444)) {
		pr_err("%s=%s: such a mode is 0400, 0440 or 0444\n", param->name, text);
		return -EINVAL;
	}
	*(umode_t *)param->arg = mode;
	return 0;
}

static int access_get_mode(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "%#o\n", *(umode_t *)param->arg);
}

static const struct kernel_param_ops access_mode_ops = {
	.set = access_set_mode,
	.get = access_get_mode,
};

static int access_set_gid(const char *text, const struct kernel_param *param)
{
	uint group;

	if (kstrtouint(text, 10, &group) || !gid_valid(make_kgid(&init_user_ns, group))) {
		pr_err("%s=%s: a group is a number from 0 to 4294967294\n", param->name, text);
		return -EINVAL;
	}
	gid = group;
	return 0;
}

static const struct kernel_param_ops access_gid_ops = {
	.set = access_set_gid,
	.get = param_get_uint,
};

module_param_cb(device_mode, &access_mode_ops, &device_mode, 0444);
MODULE_PARM_DESC(device_mode, "mode of /dev/scounter: 0400, 0440 or 0444 (default)");
module_param_cb(file_mode, &access_mode_ops, &file_mode, 0444);
MODULE_PARM_DESC(file_mode, "mode of the files in sysfs and debugfs that are read: 0400, 0440 or 0444 (default)");
module_param_cb(gid, &access_gid_ops, &gid, 0444);
MODULE_PARM_DESC(gid, "group, by number, of /dev/scounter and of the files in sysfs (default 0)");

umode_t scounter_device_mode(void)
{
	return device_mode;
}

umode_t scounter_file_mode(void)
{
	return file_mode;
}

kgid_t scounter_access_gid(void)
{
	return make_kgid(&init_user_ns, gid);
}
