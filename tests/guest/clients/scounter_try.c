// SPDX-License-Identifier: GPL-2.0
/*
 * Creates one counter as its parameters say, and counts `add` and `more` events in it, and
 * later what is written to `count`.  With `hardirq` it is created in the handler of a call
 * to another CPU.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/smp.h>

static char *name = "try";
module_param(name, charp, 0400);
static char *group;
module_param(group, charp, 0400);
static char *kind = "exact";
module_param(kind, charp, 0400);
static uint error;
module_param(error, uint, 0400);
static unsigned long long add;
module_param(add, ullong, 0400);
static unsigned long long more;
module_param(more, ullong, 0400);
static bool wrap;
module_param(wrap, bool, 0400);
static bool sensitive;
module_param(sensitive, bool, 0400);
static u8 granularity;
module_param(granularity, byte, 0400);
static u8 components;
module_param(components, byte, 0400);
static bool hardirq;
module_param(hardirq, bool, 0400);

static struct scounter *counter;

static int count(const char *text, const struct kernel_param *unused)
{
	unsigned long long n;
	int err = kstrtoull(text, 0, &n);

	if (IS_ERR_OR_NULL(counter))
		return -EINVAL;
	if (!err)
		scounter_add(counter, n);
	return err;
}

static const struct kernel_param_ops count_ops = { .set = count };
module_param_cb(count, &count_ops, NULL, 0200);

static void create(void *gfp)
{
	const struct scounter_params params = {
		.kind = scounter_kind_by_name(kind),
		.error_ppm = error,
		.flags = (wrap ? SCOUNTER_CLASS_WRAP : 0) |
			 (sensitive ? SCOUNTER_CLASS_SENSITIVE : 0),
		.granularity_log2 = granularity,
		.components = components,
	};

	counter = scounter_create_params(name, group, &params, *(gfp_t *)gfp);
}

static int create_in_hardirq(void)
{
	gfp_t gfp = GFP_ATOMIC;
	int cpu = get_cpu(), err;

	err = smp_call_function_single(cpumask_any_but(cpu_online_mask, cpu), create, &gfp, true);
	put_cpu();
	return err;
}

static int __init try_init(void)
{
	gfp_t gfp = GFP_KERNEL;
	int err = 0;

	if (hardirq)
		err = create_in_hardirq();
	else
		create(&gfp);
	if (err)
		return err;
	if (IS_ERR(counter))
		return PTR_ERR(counter);
	scounter_add(counter, add);
	scounter_add(counter, more);
	return 0;
}

static void __exit try_exit(void)
{
	scounter_destroy(counter);
}

module_init(try_init);
module_exit(try_exit);

MODULE_DESCRIPTION("scounter test: one counter by parameters");
MODULE_LICENSE("GPL");
