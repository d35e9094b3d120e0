// SPDX-License-Identifier: GPL-2.0
/*
 * One counter of each kind, an array and a table of frequent items, in which 1000003
 * events are counted when the module is loaded, and none later: for tests of whether
 * anything that is done to the files changes what is in them.  With `busted` one
 * counter is counted in nevertheless, which such a test must notice.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/scounter.h>
#include <linux/scounter_array.h>
#include <linux/scounter_topk.h>

#define EVENTS	1000003

static bool busted;
module_param(busted, bool, 0400);

static struct scounter *counters[__SCOUNTER_KINDS + 1];
static struct scounter_array *array;
static struct scounter_topk *topk;
static struct task_struct *thread;

static int count(void *unused)
{
	while (!kthread_should_stop()) {
		scounter_inc(counters[SCOUNTER_ATOMIC]);
		msleep_interruptible(20);
	}
	return 0;
}

static void kept_exit(void)
{
	u32 kind;

	if (!IS_ERR_OR_NULL(thread))
		kthread_stop(thread);
	if (!IS_ERR_OR_NULL(topk))
		scounter_topk_destroy(topk);
	if (!IS_ERR_OR_NULL(array))
		scounter_array_destroy(array);
	for (kind = SCOUNTER_ATOMIC; kind <= __SCOUNTER_KINDS; kind++)
		if (!IS_ERR_OR_NULL(counters[kind]))
			scounter_destroy(counters[kind]);
}

static int create_counters(void)
{
	u32 kind;

	for (kind = SCOUNTER_ATOMIC; kind <= __SCOUNTER_KINDS; kind++) {
		counters[kind] = scounter_create(scounter_kind_name(kind), NULL, kind, 0,
						 GFP_KERNEL);
		if (IS_ERR(counters[kind]))
			return PTR_ERR(counters[kind]);
		scounter_add(counters[kind], EVENTS);
	}
	return 0;
}

static int create_array(void)
{
	const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_CSUROS2, .bits = 16, .m = 512,
	};
	u32 i;

	array = scounter_array_create("array", NULL, &type, 3000, 0);
	if (IS_ERR(array))
		return PTR_ERR(array);
	for (i = 0; i < 3000; i++)
		scounter_array_add(array, i, i);
	return 0;
}

static int create_topk(void)
{
	const struct scounter_topk_spec spec = { .capacity = 100, .key_size = sizeof(u64) };
	u64 key;

	topk = scounter_topk_create("topk", NULL, &spec);
	if (IS_ERR(topk))
		return PTR_ERR(topk);
	for (key = 0; key < 200; key++)
		scounter_topk_add(topk, &key, key);
	return 0;
}

static int __init kept_init(void)
{
	int err = create_counters() ?: create_array() ?: create_topk();

	if (!err && busted) {
		thread = kthread_run(count, NULL, "scounter_kept");
		err = PTR_ERR_OR_ZERO(thread);
	}
	if (err)
		kept_exit();
	return err;
}

module_init(kept_init);
module_exit(kept_exit);

MODULE_DESCRIPTION("scounter test: counters that nobody counts in");
MODULE_LICENSE("GPL");
