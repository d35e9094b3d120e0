// SPDX-License-Identifier: GPL-2.0
/*
 * A client whose probes of scounter's tracepoints count, and do what passes the same
 * tracepoints again.  `count` is how often they were called.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/tracepoint.h>
#include <trace/events/scounter.h>

static struct scounter *counter, *causes;

static int show_count(char *to, const struct kernel_param *parameter)
{
	return scnprintf(to, PAGE_SIZE, "%llu\n", scounter_read(counter));
}

static const struct kernel_param_ops count_ops = { .get = show_count };
module_param_cb(count, &count_ops, NULL, 0400);

/* Begins again at 0, and comes to its end once more. */
static void see_saturate(void *data, const char *name, const void *word, u32 kind, u64 value)
{
	scounter_inc(counter);
	scounter_inc(causes);
	scounter_add(causes, S64_MAX);
}

static void see_refused(void *data, const char *name, s64 amount, unsigned long caller)
{
	scounter_inc(counter);
	scounter_add(causes, amount);
}

static int __init probe_init(void)
{
	const struct scounter_params params = {
		.kind = SCOUNTER_CAS, .flags = SCOUNTER_CLASS_WRAP,
	};
	int err;

	counter = scounter_create("probed", NULL, SCOUNTER_EXACT, 0, GFP_KERNEL);
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	causes = scounter_create_params("causes", NULL, &params, GFP_KERNEL);
	err = PTR_ERR_OR_ZERO(causes);
	if (err)
		goto out_counter;
	err = register_trace_scounter_saturate(see_saturate, NULL);
	if (err)
		goto out_causes;
	err = register_trace_scounter_refused(see_refused, NULL);
	if (err)
		goto out_saturate;
	return 0;
out_saturate:
	unregister_trace_scounter_saturate(see_saturate, NULL);
	tracepoint_synchronize_unregister();
out_causes:
	scounter_destroy(causes);
out_counter:
	scounter_destroy(counter);
	return err;
}

static void __exit probe_exit(void)
{
	unregister_trace_scounter_refused(see_refused, NULL);
	unregister_trace_scounter_saturate(see_saturate, NULL);
	tracepoint_synchronize_unregister();
	scounter_destroy(causes);
	scounter_destroy(counter);
}

module_init(probe_init);
module_exit(probe_exit);

MODULE_DESCRIPTION("scounter test: probes that count");
MODULE_LICENSE("GPL");
