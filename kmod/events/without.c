// SPDX-License-Identifier: GPL-2.0
/* scounter_events.ko of a kernel without trace events. */
#include <linux/module.h>

static int __init scounter_events_init(void)
{
	pr_err("scounter_events: this kernel has no trace events (CONFIG_EVENT_TRACING)\n");
	return -ENODEV;
}
module_init(scounter_events_init);

MODULE_DESCRIPTION("Counts the tracepoints of the kernel in scounters");
MODULE_LICENSE("GPL");
MODULE_VERSION(SCOUNTER_VERSION);
