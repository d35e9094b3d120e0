/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_NOTIFIER_H
#define _SHIM_LINUX_NOTIFIER_H

#define NOTIFY_OK	1

struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
};

#endif /* _SHIM_LINUX_NOTIFIER_H */
