// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions a hit in a table of frequent items costs, for QEMU with
 * -icount shift=0 only: the time stamp counter of that machine counts executed
 * instructions.
 *
 * A loop hits through a pointer, so that nothing of the call is moved out of it;
 * what the same loop costs with an empty function is taken off.  Interrupts are
 * off meanwhile.  Of a full table all keys are hit in turn, so that the figure is
 * a mean over the lengths of chains; each hit of an absent key evicts another.
 *
 * Loading measures; <debugfs>/scounter_topk_insn has a line a figure, with fields
 * separated by tabs.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/scounter_topk.h>
#include <linux/seq_file.h>
#include <linux/timex.h>

#define CAPACITY	1000U
#define CALLS		10000U

typedef void (*hit_fn)(struct scounter_topk *topk, const void *key);

static noinline void hit_nothing(struct scounter_topk *topk, const void *key)
{
	asm volatile("" : : "r" (topk), "r" (key) : "memory");
}

static const u32 key_sizes[] = { 4, 8, 16, 64 };

#define SIZES	ARRAY_SIZE(key_sizes)
#define DESIGNS	SCOUNTER_TOPK_INDEPENDENT

/* Hundredths of an instruction a call. */
static u64 present[DESIGNS + 1][SIZES], absent[DESIGNS + 1], gathered;
static struct dentry *file;

/* Keys from *@key on, and from there again after @period. */
static u64 cycles(hit_fn hit, struct scounter_topk *topk, u64 *key, u32 period)
{
	u64 first = *key;
	unsigned long flags;
	u64 start, end;
	u32 i;

	local_irq_save(flags);
	start = get_cycles();
	for (i = 0; i < CALLS; i++) {
		*key = first + i % period;
		OPTIMIZER_HIDE_VAR(hit);
		hit(topk, key);
	}
	end = get_cycles();
	local_irq_restore(flags);
	*key = first;
	return end - start;
}

static u64 net(struct scounter_topk *topk, u64 *key, u32 period)
{
	u64 empty = cycles(hit_nothing, topk, key, period);

	return div_u64((cycles(scounter_topk_hit, topk, key, period) - empty) * 100, CALLS);
}

static int measure(u32 design, u32 size)
{
	const struct scounter_topk_spec spec = {
		.capacity = CAPACITY, .key_size = key_sizes[size], .design = design,
	};
	struct scounter_topk *topk = scounter_topk_create("insn", NULL, &spec);
	u64 key[SCOUNTER_TOPK_KEY_MAX / sizeof(u64)] = { };
	u32 i;

	if (IS_ERR(topk))
		return PTR_ERR(topk);
	for (i = 0; i < CAPACITY; i++) {
		key[0] = i;
		scounter_topk_hit(topk, key);
	}
	key[0] = 0;
	present[design][size] = net(topk, key, CAPACITY);
	/* Slots are this key's before they are another's. */
	if (design == SCOUNTER_TOPK_LOCKFREE && key_sizes[size] == 8)
		gathered = net(topk, key, 1);
	key[0] = 1 << 20;
	if (key_sizes[size] == 8)
		absent[design] = net(topk, key, CALLS);
	scounter_topk_destroy(topk);
	return 0;
}

static int insn_show(struct seq_file *seq, void *unused)
{
	u32 design, size;

	for (design = 1; design <= DESIGNS; design++) {
		for (size = 0; size < SIZES; size++)
			seq_printf(seq, "%s\tpresent, key of %u bytes\t%llu.%02llu\n",
				   scounter_topk_design_name(design), key_sizes[size],
				   present[design][size] / 100, present[design][size] % 100);
		seq_printf(seq, "%s\tabsent, evicts another, key of 8 bytes\t%llu.%02llu\n",
			   scounter_topk_design_name(design), absent[design] / 100,
			   absent[design] % 100);
	}
	seq_printf(seq, "lockfree\tgathered, key of 8 bytes\t%llu.%02llu\n", gathered / 100,
		   gathered % 100);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(insn);

static int __init insn_init(void)
{
	u32 design, size;
	int err;

	for (design = 1; design <= DESIGNS; design++) {
		for (size = 0; size < SIZES; size++) {
			err = measure(design, size);
			if (err)
				return err;
		}
	}
	file = debugfs_create_file("scounter_topk_insn", 0400, NULL, NULL, &insn_fops);
	return 0;
}

static void __exit insn_exit(void)
{
	debugfs_remove(file);
}

module_init(insn_init);
module_exit(insn_exit);

MODULE_DESCRIPTION("scounter benchmark: instructions of a hit");
MODULE_LICENSE("GPL");
