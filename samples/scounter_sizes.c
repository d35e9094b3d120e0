// SPDX-License-Identifier: GPL-2.0
/*
 * Which sizes are asked of kmalloc(), in the last second and since loading?  A
 * counter of 12 bits for each size up to 64 KiB, three times: 105 KB an array, where
 * per-CPU counters would take 512 KiB a CPU.
 *
 *	# insmod scounter.ko; insmod scounter_sizes.ko; sleep 3
 *	# cat /sys/kernel/debug/scounter_sizes
 *	# scounter array show scounter_sizes/all
 *
 * Two arrays take turns, a second each.  One that is over is merged into the array
 * of all seconds; a difference of two readings of that would have an error without
 * bound.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/scounter_array.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#define SIZES	65537

/* Exact below 64, then with 9 % of relative standard deviation, up to 2^64. */
static const struct scounter_array_type csuros = {
	.kind = SCOUNTER_REPR_CSUROS2, .bits = 12, .m = 64,
};

static struct scounter_array *all, *seconds[2];
static u32 now;			/* which of them is counted in */
static struct tracepoint *traced;
static struct dentry *file;

/* The tracepoint passes more, by version; all kernels pass this much first. */
static void count_size(void *unused, unsigned long call_site, const void *address, size_t bytes)
{
	scounter_array_inc(seconds[READ_ONCE(now)], min_t(size_t, bytes, SIZES - 1));
}

static void end_second(struct work_struct *work);
static DECLARE_DELAYED_WORK(turn, end_second);

static void end_second(struct work_struct *work)
{
	u32 over = now;

	scounter_array_clear(seconds[!over]);
	WRITE_ONCE(now, !over);
	/* Nobody counts in the second that is over any more after this. */
	tracepoint_synchronize_unregister();
	scounter_array_merge(all, seconds[over]);
	schedule_delayed_work(&turn, HZ);
}

static int sizes_show(struct seq_file *seq, void *unused)
{
	struct scounter_array *second = seconds[!READ_ONCE(now)];
	struct scounter_array_estimate estimate;
	u32 size;

	seq_puts(seq, "size last_second all error_ppm\n");
	for (size = 0; size < SIZES; size++) {
		scounter_array_read_est(all, size, &estimate);
		if (estimate.value)
			seq_printf(seq, "%u %llu %llu %u\n", size,
				   scounter_array_read(second, size), estimate.value,
				   estimate.error_ppm);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sizes);

static void find_kmalloc(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, "kmalloc"))
		traced = tracepoint;
}

static void destroy_arrays(void)
{
	scounter_array_destroy(seconds[1]);
	scounter_array_destroy(seconds[0]);
	scounter_array_destroy(all);
}

static int __init sizes_init(void)
{
	int err;

	for_each_kernel_tracepoint(find_kmalloc, NULL);
	if (!traced)
		return -ENODEV;
	all = scounter_array_create("all", NULL, &csuros, SIZES, 0);
	seconds[0] = scounter_array_create("even", NULL, &csuros, SIZES, 0);
	seconds[1] = scounter_array_create("odd", NULL, &csuros, SIZES, 0);
	err = PTR_ERR_OR_ZERO(all) ?: PTR_ERR_OR_ZERO(seconds[0]) ?:
	      PTR_ERR_OR_ZERO(seconds[1]);
	if (!err)
		err = tracepoint_probe_register(traced, count_size, NULL);
	if (err) {
		destroy_arrays();
		return err;
	}
	schedule_delayed_work(&turn, HZ);
	file = debugfs_create_file("scounter_sizes", 0444, NULL, NULL, &sizes_fops);
	return 0;
}

static void __exit sizes_exit(void)
{
	debugfs_remove(file);
	cancel_delayed_work_sync(&turn);
	tracepoint_probe_unregister(traced, count_size, NULL);
	/* No CPU is in count_size() any more after this. */
	tracepoint_synchronize_unregister();
	destroy_arrays();
}

module_init(sizes_init);
module_exit(sizes_exit);

MODULE_DESCRIPTION("scounter sample: sizes of kmalloc, by the second and in all");
MODULE_LICENSE("GPL");
