// SPDX-License-Identifier: GPL-2.0
/*
 * Counts the context switches of all CPUs, three times: with one atomic word,
 * with a cache line a NUMA node, and with an approximate counter.
 *
 *	# insmod scounter.ko; insmod scounter_switches.ko
 *	# cat /sys/kernel/debug/scounter/counters
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static struct scounter *atomic, *multiline, *approximate;
static struct tracepoint *sched_switch;

/* The tracepoint passes more, by version; all kernels pass this much first. */
static void count_switch(void *unused, bool preempt)
{
	scounter_inc_kind(atomic, SCOUNTER_ATOMIC);
	scounter_inc_kind(multiline, SCOUNTER_MULTILINE);
	scounter_inc_kind(approximate, SCOUNTER_BFP_CSUP);
}

static void find_sched_switch(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "sched_switch"))
		sched_switch = tracepoint;
}

static void destroy_counters(void)
{
	scounter_destroy(approximate);
	scounter_destroy(multiline);
	scounter_destroy(atomic);
}

static int __init switches_init(void)
{
	int err;

	for_each_kernel_tracepoint(find_sched_switch, NULL);
	if (!sched_switch)
		return -ENODEV;

	atomic = scounter_create("atomic", NULL, SCOUNTER_ATOMIC, 0, GFP_KERNEL);
	multiline = scounter_create("multiline", NULL, SCOUNTER_MULTILINE, 0,
				    GFP_KERNEL);
	approximate = scounter_create("bfp_csup", NULL, SCOUNTER_BFP_CSUP,
				      SCOUNTER_ERROR_PPM_DEFAULT, GFP_KERNEL);
	err = PTR_ERR_OR_ZERO(atomic) ?: PTR_ERR_OR_ZERO(multiline) ?:
	      PTR_ERR_OR_ZERO(approximate);
	if (!err)
		err = tracepoint_probe_register(sched_switch, count_switch, NULL);
	if (err)
		destroy_counters();
	return err;
}

static void __exit switches_exit(void)
{
	tracepoint_probe_unregister(sched_switch, count_switch, NULL);
	/* No CPU is in count_switch() any more after this. */
	tracepoint_synchronize_unregister();
	destroy_counters();
}

module_init(switches_init);
module_exit(switches_exit);

MODULE_DESCRIPTION("scounter sample: counts context switches");
MODULE_LICENSE("GPL");
