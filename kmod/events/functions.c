// SPDX-License-Identifier: GPL-2.0
/*
 * Counts calls of functions, all that ftrace can trace or those of some patterns.
 *
 * A function has a cell of 16 bits by its address: one for each FUNCTION_BYTES of text,
 * so that no function has to be looked up to be counted.  The text is cut into windows of
 * 2 MiB, each of which has an array.  Windows are found by bits of the address alone:
 * kernel and modules are within 4 GiB.
 *
 * No symbol that bounds the kernel's text is for modules.  So from a function that is
 * known, windows are looked through in both directions for as long as they have symbols;
 * those get an array in which ftrace knows one of the symbols.  The windows of modules
 * get theirs when a function is hit there: the addresses of the first hits are kept, and
 * counted when there is an array.  What finds no room there is counted as missed.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/scounter_array.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "events/events.h"

#define WINDOW_SHIFT	21
#define WINDOW_BYTES	(1UL << WINDOW_SHIFT)
#define WINDOWS		2048		/* 4 GiB */
#define CELLS		(WINDOW_BYTES >> SCOUNTER_FUNCTION_SHIFT)
#define KEPT		1024

/* Exact up to 2048, then 1.35 %, up to 2^43. */
static const struct scounter_array_type cells = {
	.kind = SCOUNTER_REPR_CSUROS2, .bits = 16, .m = 2048,
};

struct window {
	unsigned long base;
	struct scounter_array *array;
};

static struct window *windows[WINDOWS];

/* Addresses of hits where there was no window, and how many there were. */
static unsigned long kept[KEPT];
static atomic_t kept_count = ATOMIC_INIT(0);
static atomic_long_t missed = ATOMIC_LONG_INIT(0);

static bool attached;
static char group[SCOUNTER_NAME_MAX + 1];

static notrace struct window *window_of(unsigned long ip)
{
	struct window *window = READ_ONCE(windows[(ip >> WINDOW_SHIFT) % WINDOWS]);

	return window && window->base == (ip & -WINDOW_BYTES) ? window : NULL;
}

static void ask_for_windows(struct irq_work *work);
static struct irq_work ask = { .func = ask_for_windows };

static notrace noinline void keep(unsigned long ip)
{
	int slot = atomic_read(&kept_count);

	/* Not always an addition: it must not wrap. */
	if (slot < KEPT)
		slot = atomic_inc_return(&kept_count) - 1;
	if (slot < KEPT) {
		WRITE_ONCE(kept[slot], ip);
		irq_work_queue(&ask);
	} else {
		atomic_long_inc(&missed);
	}
}

static notrace void count(unsigned long ip)
{
	const struct window *window = window_of(ip);

	if (likely(window))
		scounter_array_inc(window->array,
				   (ip & (WINDOW_BYTES - 1)) >> SCOUNTER_FUNCTION_SHIFT);
	else
		keep(ip);
}

static notrace void hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			scounter_ftrace_regs *regs)
{
	count(ip);
}

static struct ftrace_ops ops = {
	.func	= hit,
	.flags	= SCOUNTER_FTRACE_FLAGS,
};

static int add_window(unsigned long ip)
{
	unsigned long base = ip & -WINDOW_BYTES;
	struct window *window;
	char name[24];

	if (windows[(ip >> WINDOW_SHIFT) % WINDOWS])
		return window_of(ip) ? 0 : -EEXIST;
	window = kzalloc(sizeof(*window), GFP_KERNEL);
	if (!window)
		return -ENOMEM;
	snprintf(name, sizeof(name), "text-%lx", base);
	window->base = base;
	window->array = scounter_array_create(name, group, &cells, CELLS, 0);
	if (IS_ERR(window->array)) {
		int err = PTR_ERR(window->array);

		kfree(window);
		return err;
	}
	/* What is in it must be there before it is found. */
	smp_store_release(&windows[(ip >> WINDOW_SHIFT) % WINDOWS], window);
	return 0;
}

static void remove_windows(void)
{
	u32 i;

	for (i = 0; i < WINDOWS; i++) {
		struct window *window = windows[i];

		windows[i] = NULL;
		if (!window)
			continue;
		scounter_array_destroy(window->array);
		kfree(window);
	}
}

/* Who has a place has not written there yet: it does so at once, as it is in hit(). */
static unsigned long take_kept(int slot)
{
	unsigned long ip;

	while (!(ip = xchg(&kept[slot], 0)))
		cond_resched();
	return ip;
}

/* Windows for what was kept, until nothing more is. */
static void drain_kept(void)
{
	int slot = 0, count_now;

	do {
		count_now = atomic_read(&kept_count);
		for (; slot < min(count_now, KEPT); slot++) {
			unsigned long ip = take_kept(slot);

			if (attached && !add_window(ip))
				count(ip);
			else
				atomic_long_inc(&missed);
		}
	} while (atomic_cmpxchg(&kept_count, count_now, 0) != count_now);
}

static void add_windows(struct work_struct *unused)
{
	mutex_lock(&scounter_events_mutex);
	drain_kept();
	mutex_unlock(&scounter_events_mutex);
}
static DECLARE_WORK(adding, add_windows);

/* Its own hit would ask again. */
static notrace void ask_for_windows(struct irq_work *work)
{
	schedule_work(&adding);
}

/* The symbol that an address of the kernel's own is in: its begin, or 0 */
static unsigned long symbol_begin(unsigned long address, char *symbol)
{
	unsigned long offset;
	const char *plus;

	sprint_symbol(symbol, address);
	plus = strrchr(symbol, '+');
	if (!plus || strchr(symbol, '[') || sscanf(plus, "+0x%lx/", &offset) != 1)
		return 0;
	return address - offset;
}

#define LOOKS	64

/* Whether there is a symbol; *functions says whether ftrace knows one of them. */
static bool look_into(unsigned long base, struct ftrace_ops *scratch, char *symbol,
		      bool *functions)
{
	bool symbols = false;
	u32 i;

	*functions = false;
	for (i = 0; i < LOOKS && !*functions; i++) {
		unsigned long begin = symbol_begin(base + i * (WINDOW_BYTES / LOOKS), symbol);

		if (!begin)
			continue;
		symbols = true;
		*functions = !ftrace_set_filter_ip(scratch, begin, 0, 0);
	}
	return symbols;
}

/* In one direction, as far as there are symbols. */
static int add_kernel_windows(unsigned long from, long step, struct ftrace_ops *scratch,
			      char *symbol)
{
	unsigned long base = from & -WINDOW_BYTES;
	bool functions;
	int err;

	while (look_into(base, scratch, symbol, &functions)) {
		err = signal_pending(current) ? -EINTR : functions ? add_window(base) : 0;
		if (err)
			return err;
		base += step;
		cond_resched();
	}
	return 0;
}

static int add_all_kernel_windows(void)
{
	unsigned long known = (unsigned long)register_ftrace_function;
	struct ftrace_ops *scratch = kzalloc(sizeof(*scratch), GFP_KERNEL);
	char *symbol = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	int err = -ENOMEM;

	if (scratch && symbol) {
		err = add_window(known) ?: add_window((unsigned long)hit) ?:
		      add_kernel_windows(known, WINDOW_BYTES, scratch, symbol) ?:
		      add_kernel_windows(known - WINDOW_BYTES, -(long)WINDOW_BYTES, scratch,
					 symbol);
		ftrace_set_filter(scratch, NULL, 0, 1);
	}
	kfree(symbol);
	kfree(scratch);
	return err;
}

static void forget(void)
{
	attached = false;
	drain_kept();
	ftrace_set_filter(&ops, NULL, 0, 1);
	remove_windows();
}

static int set_filter(const struct request *request, const char *pattern, bool first)
{
	char glob[EVENT_NAME_SIZE];

	strscpy(glob, pattern + strlen(FUNCTION_PREFIX), sizeof(glob));
	/* To ftrace '!' takes away; and where nothing is left, it traces all. */
	if (!*glob || *glob == '!' || strpbrk(glob, ":/ "))
		return scounter_request_refuse(request, pattern, -EINVAL,
					       "No pattern of functions, as function:vfs_*");
	if (ftrace_set_filter(&ops, glob, strlen(glob), first))
		return scounter_request_refuse(request, pattern, -ENOENT,
					       "ftrace knows no such function");
	return 0;
}

/* Without a filter, ftrace also takes the modules that come later. */
static int set_filters(const struct request *request)
{
	bool first = true;
	u32 i;
	int err = 0;

	for (i = 0; i < request->patterns; i++)
		if (!strcmp(request->pattern[i], FUNCTION_PREFIX "*"))
			return 0;
	for (i = 0; i < request->patterns && !err; i++)
		if (scounter_is_function(request->pattern[i])) {
			err = set_filter(request, request->pattern[i], first);
			first = false;
		}
	return err;
}

/* ftrace waits until no CPU is in hit() any more. */
void scounter_functions_detach(void)
{
	lockdep_assert_held(&scounter_events_mutex);
	if (!attached)
		return;
	unregister_ftrace_function(&ops);
	irq_work_sync(&ask);
	forget();
	module_put(THIS_MODULE);
}

int scounter_functions_attach(const struct request *request, const char *pattern)
{
	int err;

	lockdep_assert_held(&scounter_events_mutex);
	if (attached)
		return scounter_request_refuse(request, pattern, -EEXIST,
			"Functions are attached already: detach function:* first");
	if (request->choice.variant != scounter_variant("approx", 0))
		return scounter_request_refuse(request, pattern, -EINVAL,
			"Functions are counted in 16 bits: no kind= and no error=");
	err = set_filters(request);
	if (err)
		goto out_filter;
	strscpy(group, request->choice.group, sizeof(group));
	atomic_long_set(&missed, 0);
	err = add_all_kernel_windows();
	if (err == -EINTR)
		scounter_request_refuse(request, pattern, err, "Interrupted");
	else if (err)
		scounter_request_refuse(request, pattern, err, "Error %d of an array", err);
	if (err)
		goto out_windows;
	/* What is hit at once may want a window. */
	attached = true;
	err = register_ftrace_function(&ops);
	if (!err) {
		drain_kept();
		__module_get(THIS_MODULE);
		/* It takes seconds, and cannot be told to end. */
		if (!signal_pending(current))
			return 0;
		scounter_functions_detach();
		return scounter_request_refuse(request, pattern, -EINTR, "Interrupted");
	}
	scounter_request_refuse(request, pattern, err, "ftrace refuses: error %d", err);
out_windows:
	remove_windows();
	attached = false;
out_filter:
	ftrace_set_filter(&ops, NULL, 0, 1);
	return err;
}

bool scounter_functions_attached(void)
{
	return attached;
}

/* When nothing is attached any more. */
void scounter_functions_exit(void)
{
	irq_work_sync(&ask);
	cancel_work_sync(&adding);
}

static void show_window(struct seq_file *seq, const struct window *window)
{
	struct scounter_array_estimate estimate;
	u32 i;

	for (i = 0; i < CELLS; i++) {
		unsigned long address = window->base + ((unsigned long)i << SCOUNTER_FUNCTION_SHIFT);

		if (!(i % 4096))
			cond_resched();
		if (scounter_array_read_est(window->array, i, &estimate) || !estimate.value)
			continue;
		/* A function may begin anywhere in the bytes of its cell. */
		address += (1UL << SCOUNTER_FUNCTION_SHIFT) - 1;
		seq_printf(seq, "%-20llu %4u.%04u%% %ps\n", estimate.value,
			   estimate.error_ppm / 10000, estimate.error_ppm % 10000,
			   (void *)address);
	}
}

void scounter_functions_show(struct seq_file *seq)
{
	size_t bytes = 0;
	u32 i;

	for (i = 0; i < WINDOWS; i++)
		bytes += windows[i] ? scounter_array_bytes(windows[i]->array) : 0;
	seq_printf(seq, "# missed %ld\n# bytes %zu\n# calls, error, function\n",
		   atomic_long_read(&missed), bytes);
	for (i = 0; i < WINDOWS; i++)
		if (windows[i])
			show_window(seq, windows[i]);
}
