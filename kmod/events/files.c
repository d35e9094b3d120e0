// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/scounter_events/, for root:
 *	available	what can be attached, as system:event, with the module
 *	systems		the systems that have events; write more names to look for
 *	attach, detach	write a line: patterns and options
 *	attached	what is counted, and the counts
 *	functions	calls of functions
 *	progress	of the line that is being carried out
 *	error_log	why the last lines were refused; write to clear
 * Documentation/ABI/testing/debugfs-scounter-events has the formats.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "events/events.h"

DEFINE_MUTEX(scounter_events_mutex);

static struct dentry *directory;

#define LINE_MAX	4095

/* A shown file is of one moment: all of it is made at once. */
static int show_under_mutex(struct seq_file *seq, void (*show)(struct seq_file *seq))
{
	int err = mutex_lock_interruptible(&scounter_events_mutex);

	if (err)
		return err;
	show(seq);
	mutex_unlock(&scounter_events_mutex);
	return 0;
}

static void show_available(struct seq_file *seq)
{
	const struct source *source;
	char name[EVENT_NAME_SIZE];
	u32 i;

	scounter_catalogue_resolve();
	list_for_each_entry(source, &scounter_sources, list)
		for (i = 0; i < source->count; i++) {
			seq_puts(seq, scounter_event_name(&source->events[i], name));
			if (source->module)
				seq_printf(seq, " [%s]", source->module->name);
			seq_putc(seq, '\n');
		}
}

static void show_systems(struct seq_file *seq)
{
	scounter_catalogue_resolve();
	scounter_catalogue_show_systems(seq);
}

static int available_show(struct seq_file *seq, void *unused)
{
	return show_under_mutex(seq, show_available);
}
DEFINE_SHOW_ATTRIBUTE(available);

static int attached_show(struct seq_file *seq, void *unused)
{
	return show_under_mutex(seq, scounter_events_attached_show);
}
DEFINE_SHOW_ATTRIBUTE(attached);

static int progress_show(struct seq_file *seq, void *unused)
{
	scounter_events_progress_show(seq);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(progress);

static int functions_show(struct seq_file *seq, void *unused)
{
	return show_under_mutex(seq, scounter_functions_show);
}

/* All functions, at the first try. */
static int functions_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, functions_show, NULL, 1 << 20);
}

static const struct file_operations functions_fops = {
	.owner		= THIS_MODULE,
	.open		= functions_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int systems_show(struct seq_file *seq, void *unused)
{
	return show_under_mutex(seq, show_systems);
}

static int error_log_show(struct seq_file *seq, void *unused)
{
	return show_under_mutex(seq, scounter_error_log_show);
}

static int attach_line(const char *line)
{
	struct request request;
	int err = scounter_request_parse(&request, line, true);

	if (!err)
		err = scounter_events_attach(&request);
	scounter_request_free(&request);
	return err;
}

static int detach_line(const char *line)
{
	struct request request;
	int err = scounter_request_parse(&request, line, false);

	if (!err)
		err = scounter_events_detach(&request);
	scounter_request_free(&request);
	return err;
}

static int learn_line(const char *line)
{
	char *words = kstrdup(line, GFP_KERNEL), *rest = words, *word;
	int err = 0;

	if (!words)
		return -ENOMEM;
	/* What is attached has its place by its system. */
	if (scounter_events_any())
		err = -EBUSY;
	while (!err && (word = strsep(&rest, " \t")))
		if (*word)
			err = scounter_catalogue_learn(word);
	kfree(words);
	return err;
}

/* Each line of what was written; those before one that is refused are carried out. */
static ssize_t write_lines(const char __user *text, size_t size, int (*line)(const char *line))
{
	char *lines, *rest, *one;
	int err;

	if (size > LINE_MAX)
		return -E2BIG;
	lines = memdup_user_nul(text, size);
	if (IS_ERR(lines))
		return PTR_ERR(lines);
	rest = lines;
	/* What follows the last newline is no line. */
	if (size && lines[size - 1] == '\n')
		lines[size - 1] = '\0';
	err = mutex_lock_interruptible(&scounter_events_mutex);
	if (!err) {
		while (!err && (one = strsep(&rest, "\n")))
			err = line(one);
		mutex_unlock(&scounter_events_mutex);
	}
	kfree(lines);
	return err ?: size;
}

static ssize_t attach_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	return write_lines(text, size, attach_line);
}

static ssize_t detach_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	return write_lines(text, size, detach_line);
}

static ssize_t systems_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	return write_lines(text, size, learn_line);
}

static ssize_t error_log_write(struct file *file, const char __user *text, size_t size,
			       loff_t *at)
{
	mutex_lock(&scounter_events_mutex);
	scounter_error_log_clear();
	mutex_unlock(&scounter_events_mutex);
	return size;
}

static const struct file_operations attach_fops = {
	.owner	= THIS_MODULE,
	.open	= nonseekable_open,
	.write	= attach_write,
};

static const struct file_operations detach_fops = {
	.owner	= THIS_MODULE,
	.open	= nonseekable_open,
	.write	= detach_write,
};

static int systems_open(struct inode *inode, struct file *file)
{
	return single_open(file, systems_show, NULL);
}

static const struct file_operations systems_fops = {
	.owner		= THIS_MODULE,
	.open		= systems_open,
	.read		= seq_read,
	.write		= systems_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int error_log_open(struct inode *inode, struct file *file)
{
	return single_open(file, error_log_show, NULL);
}

static const struct file_operations error_log_fops = {
	.owner		= THIS_MODULE,
	.open		= error_log_open,
	.read		= seq_read,
	.write		= error_log_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

void scounter_events_files_init(void)
{
	directory = debugfs_create_dir("scounter_events", NULL);
	debugfs_create_file("available", 0400, directory, NULL, &available_fops);
	debugfs_create_file("systems", 0600, directory, NULL, &systems_fops);
	debugfs_create_file("attach", 0200, directory, NULL, &attach_fops);
	debugfs_create_file("detach", 0200, directory, NULL, &detach_fops);
	debugfs_create_file("attached", 0400, directory, NULL, &attached_fops);
	debugfs_create_file("functions", 0400, directory, NULL, &functions_fops);
	debugfs_create_file("progress", 0400, directory, NULL, &progress_fops);
	debugfs_create_file("error_log", 0600, directory, NULL, &error_log_fops);
}

void scounter_events_files_exit(void)
{
	debugfs_remove_recursive(directory);
}
