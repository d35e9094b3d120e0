// SPDX-License-Identifier: GPL-2.0
/*
 * A thousand objects with a counter of four bytes in each: the use that
 * scounter was made for.  The flows are made up; a thread on each CPU picks
 * one and counts a packet in it.  What each counter holds can be read from
 * /sys/kernel/debug/scounter_flows, and what all of them do, as a family, from
 * /sys/kernel/debug/scounter/scounter_flows/flow_packets.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/scounter.h>
#include <linux/scounter_family.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#define FLOWS	1000

struct flow {
	u32 id;
	struct scounter_word32 packets;	/* 4 bytes, no name, no registration */
};

static const struct scounter_class packets_class =
	SCOUNTER_CLASS(SCOUNTER_APPROX, 20000);			/* 2 % */

static DEFINE_SCOUNTER(all_packets, SCOUNTER_EXACT, 0);
static bool run = true;
module_param(run, bool, 0644);
MODULE_PARM_DESC(run, "whether packets are counted (default: yes)");

static struct flow flows[FLOWS];
static struct scounter_family *family;
static struct task_struct **threads;
static struct dentry *file;

static int count_packets(void *unused)
{
	struct rnd_state rnd;

	prandom_seed_state(&rnd, get_random_u64());
	while (!kthread_should_stop()) {
		u32 i;

		if (!READ_ONCE(run)) {
			schedule_timeout_interruptible(HZ / 10);
			continue;
		}
		/* Flows of low numbers are much busier than those of high ones. */
		i = prandom_u32_state(&rnd) % FLOWS >> prandom_u32_state(&rnd) % 8;

		scounter_word32_inc(&flows[i].packets, &packets_class);
		scounter_inc(&all_packets);
		cond_resched();
	}
	return 0;
}

static int flows_show(struct seq_file *seq, void *unused)
{
	struct scounter_estimate packets;
	int i;

	seq_puts(seq, "flow packets error_ppm\n");
	for (i = 0; i < FLOWS; i++) {
		scounter_word32_read_est(&flows[i].packets, &packets_class, &packets);
		seq_printf(seq, "%u %llu %u\n", flows[i].id, packets.value,
			   packets.error_ppm);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(flows);

/* The flows are always there: there is nothing to lock. */
static bool walk_flows(struct scounter_family_walk *walk, void *unused)
{
	bool on = true;

	while (on && walk->at < FLOWS)
		on = scounter_family_visit32(walk, &flows[walk->at++].packets);
	return !on;
}

static const struct scounter_family_desc family_desc = {
	.class = &packets_class, .walk = walk_flows,
	.unit = "packets", .help = "Packets of a flow.",
};

static void stop_threads(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (!IS_ERR_OR_NULL(threads[cpu]))
			kthread_stop(threads[cpu]);
	kfree(threads);
}

static int __init flows_init(void)
{
	int cpu, err;
	u32 i;

	for (i = 0; i < FLOWS; i++)
		flows[i].id = i;
	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	err = scounter_register(&all_packets, "packets", NULL);
	if (err)
		goto out_threads;
	family = scounter_family_register("flow_packets", NULL, &family_desc, NULL);
	if (IS_ERR(family)) {
		err = PTR_ERR(family);
		goto out_packets;
	}
	for_each_online_cpu(cpu)
		threads[cpu] = kthread_run(count_packets, NULL, "flows/%d", cpu);
	file = debugfs_create_file("scounter_flows", 0444, NULL, NULL, &flows_fops);
	return 0;
out_packets:
	scounter_unregister(&all_packets);
out_threads:
	kfree(threads);
	return err;
}

static void __exit flows_exit(void)
{
	debugfs_remove(file);
	scounter_family_unregister(family);
	stop_threads();
	scounter_unregister(&all_packets);
}

module_init(flows_init);
module_exit(flows_exit);

MODULE_DESCRIPTION("scounter sample: a counter of four bytes in each object");
MODULE_LICENSE("GPL");
