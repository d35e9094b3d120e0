// SPDX-License-Identifier: GPL-2.0
/*
 * Creates one table as its parameters say, and adds `add` hits to the key of all
 * zeros, `times` times.  With `forget` it leaves the table behind; with `null` it hits no
 * table at all.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/scounter_topk.h>

static char *name = "try";
module_param(name, charp, 0400);
static char *group;
module_param(group, charp, 0400);
static char *design = "lockfree";
module_param(design, charp, 0400);
static uint capacity;
module_param(capacity, uint, 0400);
static uint epsilon;
module_param(epsilon, uint, 0400);
static uint key_size = 8;
module_param(key_size, uint, 0400);
static unsigned long long add;
module_param(add, ullong, 0400);
static uint times = 2;
module_param(times, uint, 0400);
static bool forget;
module_param(forget, bool, 0400);
static bool hidden;
module_param(hidden, bool, 0400);
static bool null;
module_param(null, bool, 0400);

static struct scounter_topk *topk;

static int __init try_init(void)
{
	static const u8 key[SCOUNTER_TOPK_KEY_MAX];
	struct scounter_topk_spec spec = {
		.capacity = capacity, .epsilon_ppb = epsilon, .key_size = key_size,
		.design = scounter_topk_design_by_name(design), .hidden = hidden,
	};

	if (null) {
		scounter_topk_hit(NULL, key);
		scounter_topk_add(NULL, key, 2);
	}
	topk = scounter_topk_create(name, group, &spec);
	if (IS_ERR(topk))
		return PTR_ERR(topk);
	while (times--)
		scounter_topk_add(topk, key, add);
	return 0;
}

static void __exit try_exit(void)
{
	if (!forget)
		scounter_topk_destroy(topk);
}

module_init(try_init);
module_exit(try_exit);

MODULE_DESCRIPTION("scounter test: one table of frequent items by parameters");
MODULE_LICENSE("GPL");
