/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_NOTIFIER_H
#define _SHIM_LINUX_NOTIFIER_H

#define NOTIFY_DONE	0
#define NOTIFY_OK	1

/* No module goes while a program runs. */
#define MODULE_STATE_GOING	2
#define register_module_notifier(block)		((void)(block), 0)
#define unregister_module_notifier(block)	((void)(block))

struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
	int priority;
};

#endif /* _SHIM_LINUX_NOTIFIER_H */
