// SPDX-License-Identifier: GPL-2.0
/*
 * A module with a tracepoint: a number written to `hits` is how often it is hit, and one
 * written to `allocations` how often a function allocates ALLOCATED bytes.  The name of a
 * tracepoint of the kernel that is written to `empty` gets a probe that does nothing, and
 * its name again lets go of it.
 */
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#define CREATE_TRACE_POINTS
#include "scounter_traced.h"

static noinline void scounter_traced_call(unsigned long key)
{
	trace_scounter_traced_hit(key, 64);
}

static int hits_set(const char *text, const struct kernel_param *param)
{
	unsigned int hits, i;
	int err = kstrtouint(text, 0, &hits);

	for (i = 0; !err && i < hits && !fatal_signal_pending(current); i++) {
		scounter_traced_call(i % 10);
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops hits_ops = {
	.set = hits_set,
};

module_param_cb(hits, &hits_ops, NULL, 0200);
MODULE_PARM_DESC(hits, "hit the tracepoint that often");

#define ALLOCATED	3000

static noinline void *scounter_traced_allocate(size_t size)
{
	void *allocated = kmalloc(size, GFP_KERNEL);

	/* No tail call: the caller is to be this function. */
	OPTIMIZER_HIDE_VAR(allocated);
	return allocated;
}

static int allocations_set(const char *text, const struct kernel_param *param)
{
	unsigned int allocations, i;
	int err = kstrtouint(text, 0, &allocations);

	for (i = 0; !err && i < allocations; i++) {
		kfree(scounter_traced_allocate(ALLOCATED));
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops allocations_ops = {
	.set = allocations_set,
};

module_param_cb(allocations, &allocations_ops, NULL, 0200);
MODULE_PARM_DESC(allocations, "allocate that often");

static notrace void empty_probe(void *data)
{
}

static struct tracepoint *empty;

static void take(struct tracepoint *tracepoint, void *name)
{
	if (!strcmp(tracepoint->name, name))
		empty = tracepoint;
}

static int empty_set(const char *text, const struct kernel_param *param)
{
	char name[128];
	int err;

	if (empty) {
		err = tracepoint_probe_unregister(empty, empty_probe, NULL);
		tracepoint_synchronize_unregister();
		empty = NULL;
		return err;
	}
	strscpy(name, text, sizeof(name));
	for_each_kernel_tracepoint(take, strim(name));
	return empty ? tracepoint_probe_register(empty, empty_probe, NULL) : -ENOENT;
}

static const struct kernel_param_ops empty_ops = {
	.set = empty_set,
};

module_param_cb(empty, &empty_ops, NULL, 0200);
MODULE_PARM_DESC(empty, "a tracepoint that gets an empty probe, or loses it");

MODULE_DESCRIPTION("scounter test: a tracepoint of a module");
MODULE_LICENSE("GPL");
