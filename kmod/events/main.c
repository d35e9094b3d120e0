// SPDX-License-Identifier: GPL-2.0
/* Loading and unloading of scounter_events.ko, and the modules that come and go. */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/tracepoint.h>

#include "events/events.h"

/* The kernel calls it for modules with tracepoints only, and at once for those there are. */
static int module_changes(struct notifier_block *block, unsigned long state, void *data)
{
	struct tp_module *module = data;

	mutex_lock(&scounter_events_mutex);
	if (state == MODULE_STATE_COMING)
		scounter_events_module_comes(module->mod);
	else if (state == MODULE_STATE_GOING)
		scounter_events_module_goes(module->mod);
	mutex_unlock(&scounter_events_mutex);
	return NOTIFY_OK;
}

static struct notifier_block modules = {
	.notifier_call = module_changes,
};

static int __init scounter_events_init(void)
{
	int err = scounter_catalogue_init();

	if (err)
		return err;
	err = scounter_fields_init();
	if (err)
		goto out_catalogue;
	err = register_tracepoint_module_notifier(&modules);
	if (err)
		goto out_fields;
	scounter_events_files_init();
	return 0;

out_fields:
	scounter_fields_exit();
out_catalogue:
	scounter_catalogue_exit();
	return err;
}

/* Nothing is attached: what is keeps the module. */
static void __exit scounter_events_exit(void)
{
	scounter_events_files_exit();
	unregister_tracepoint_module_notifier(&modules);
	scounter_functions_exit();
	scounter_fields_exit();
	scounter_catalogue_exit();
	scounter_error_log_clear();
}

module_init(scounter_events_init);
module_exit(scounter_events_exit);

MODULE_AUTHOR("The scounter authors");
MODULE_DESCRIPTION("Counts the tracepoints of the kernel in scounters");
MODULE_LICENSE("GPL");
MODULE_VERSION(SCOUNTER_VERSION);
