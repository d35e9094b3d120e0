// SPDX-License-Identifier: GPL-2.0
/*
 * Which call sites allocate most often?  Counts kmalloc() by its caller.
 *
 *	# insmod scounter.ko; insmod scounter_kmalloc_top.ko
 *	# head /sys/kernel/debug/scounter/topk/scounter_kmalloc_top/calls
 *
 * The parameters are there to try tables out: how many entries, and which
 * design.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter_topk.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static uint capacity = 1000;
module_param(capacity, uint, 0444);
MODULE_PARM_DESC(capacity, "entries of the table");
static char *design = "lockfree";
module_param(design, charp, 0444);
MODULE_PARM_DESC(design, "lockfree, cooperative, shared or independent");

static struct scounter_topk *calls;
static struct tracepoint *traced;

/* The tracepoint passes more, by version; all kernels pass this much first. */
static void count_call(void *unused, unsigned long call_site)
{
	scounter_topk_hit(calls, &call_site);
}

static void show_call_site(struct seq_file *seq, const void *key)
{
	unsigned long call_site;

	memcpy(&call_site, key, sizeof(call_site));
	seq_printf(seq, "%pS", (void *)call_site);
}

static void find_kmalloc(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "kmalloc"))
		traced = tracepoint;
}

static int __init kmalloc_top_init(void)
{
	struct scounter_topk_spec spec = {
		.capacity = capacity,
		.key_size = sizeof(unsigned long),
		.show_key = show_call_site,
	};
	int err = scounter_topk_design_by_name(design);

	if (err < 0)
		return err;
	spec.design = err;
	for_each_kernel_tracepoint(find_kmalloc, NULL);
	if (!traced)
		return -ENODEV;
	calls = scounter_topk_create("calls", NULL, &spec);
	if (IS_ERR(calls))
		return PTR_ERR(calls);
	err = tracepoint_probe_register(traced, count_call, NULL);
	if (err)
		scounter_topk_destroy(calls);
	return err;
}

static void __exit kmalloc_top_exit(void)
{
	tracepoint_probe_unregister(traced, count_call, NULL);
	/* No CPU is in count_call() any more after this. */
	tracepoint_synchronize_unregister();
	scounter_topk_destroy(calls);
}

module_init(kmalloc_top_init);
module_exit(kmalloc_top_exit);

MODULE_DESCRIPTION("scounter sample: the call sites of kmalloc");
MODULE_LICENSE("GPL");
