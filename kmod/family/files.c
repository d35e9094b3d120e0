// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/scounter/<group>/<family>: what is said of the words of a family, and
 * how many of them have counted how much.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "family/family.h"
#include "registry/access.h"
#include "registry/counters.h"
#include "registry/debugfs.h"

/* All of the text, so that a reader goes over the words once. */
#define TEXT_ROOM	16384
#define BAR		40U

static void files_show_row(struct seq_file *seq, const char *name,
			   const struct scounter_estimate *estimate)
{
	seq_printf(seq, "%-8s %20llu", name, estimate->value);
	scounter_show_error(seq, estimate->error_ppm);
	seq_printf(seq, " %20llu %20llu\n", estimate->lower, estimate->upper);
}

/* A line: the values that have so many bits. */
static void files_show_bits(struct seq_file *seq, u32 bits, u64 words, u64 most)
{
	u64 low = bits ? 1ULL << (bits - 1) : 0, high = bits ? low + (low - 1) : 0;
	u32 bar = div64_u64(words * BAR + most - 1, most);

	seq_printf(seq, "%20llu %20llu %20llu ", low, high, words);
	for (; bar; bar--)
		seq_putc(seq, '#');
	seq_putc(seq, '\n');
}

/* From the first that has a word to the last. */
static void files_show_histogram(struct seq_file *seq, const struct scounter_spread *spread)
{
	u64 words[65] = {}, most = 0;
	u32 i, first = 64, last = 0;

	for (i = 0; i < SCOUNTER_SPREAD_BUCKETS; i++) {
		u32 bits = fls64(scounter_spread_low(i));

		if (!spread->in[i])
			continue;
		words[bits] += spread->in[i];
		most = max(most, words[bits]);
		first = min(first, bits);
		last = bits;
	}
	seq_printf(seq, "%-20s %20s %20s\n", "# from", "to", "words");
	for (i = first; most && i <= last; i++)
		files_show_bits(seq, i, words[i], most);
}

static int files_show(struct seq_file *seq, void *unused)
{
	struct scounter_family *family = seq->private;
	struct scounter_estimate estimates[SCOUNTER_FAMILY_ROWS];
	struct scounter_family_pass *pass = scounter_family_pass(family);
	u32 i;

	if (IS_ERR(pass))
		return PTR_ERR(pass);
	scounter_family_say(pass, estimates);
	seq_printf(seq, "%-8s %20s %10s %20s %20s\n", "# what", "value", "error", "lower",
		   "upper");
	for (i = 0; i < SCOUNTER_FAMILY_ROWS; i++)
		files_show_row(seq, scounter_family_row_names[i], &estimates[i]);
	files_show_histogram(seq, &pass->values);
	kvfree(pass);
	return 0;
}

static int files_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, files_show, inode->i_private, TEXT_ROOM);
}

static const struct file_operations files_fops = {
	.owner		= THIS_MODULE,
	.open		= files_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

int scounter_family_files_add(struct scounter_item *item)
{
	struct scounter_family *family = scounter_family_of(item);
	struct scounter_group *group = item->spot.group;
	int err = scounter_add_group_to(SCOUNTER_VIEW_DEBUGFS, group);

	if (err)
		return err;
	family->file = debugfs_create_file(family->name, scounter_file_mode(),
					   group->view[SCOUNTER_VIEW_DEBUGFS], family,
					   &files_fops);
	return 0;
}

void scounter_family_files_remove(struct scounter_item *item)
{
	struct scounter_family *family = scounter_family_of(item);

	debugfs_remove(family->file);
	family->file = NULL;
}
