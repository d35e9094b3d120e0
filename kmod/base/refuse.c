// SPDX-License-Identifier: GPL-2.0
/*
 * A table of the callers that wanted to add a negative amount.  The log gets one line for
 * each.  An irq_work prints it: the caller may hold a lock that printing waits for.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <uapi/linux/scounter.h>

#include "compat.h"
#include "base/refuse.h"
#include "base/trace.h"

#define CALLERS		32

enum { FREE, FILLED, SAID };

struct entry {
	atomic_long_t caller;	/* 0: free */
	atomic_long_t times;
	atomic_t state;
	s64 amount;
	char name[SCOUNTER_NAME_MAX + 1];
};

static struct entry entries[CALLERS];
static atomic_long_t all;

static void refuse_say(struct irq_work *work)
{
	struct entry *entry;

	for (entry = entries; entry < entries + CALLERS; entry++) {
		int filled = FILLED;

		/* Pairs with the release in scounter_refuse(): the name. */
		if (!atomic_try_cmpxchg_acquire(&entry->state, &filled, SAID))
			continue;
		pr_warn("%pS would add %lld%s%s: refused, as counters are never decremented\n",
			(void *)atomic_long_read(&entry->caller), entry->amount,
			*entry->name ? " to " : "", entry->name);
	}
}

static DEFINE_IRQ_WORK(say_work, refuse_say);

/* The caller's entry, and whether it is a new one; NULL if the table is full. */
static notrace struct entry *refuse_entry_of(unsigned long caller, bool *fresh)
{
	struct entry *entry;

	for (entry = entries; entry < entries + CALLERS; entry++) {
		long old = atomic_long_read(&entry->caller);

		*fresh = !old && atomic_long_try_cmpxchg(&entry->caller, &old, caller);
		if (*fresh || (unsigned long)old == caller)
			return entry;
	}
	return NULL;
}

/**
 * scounter_refuse - note a negative amount, which is not added
 * @n: the amount
 * @caller: a return address in the caller
 * @name: the name of the counter, or NULL
 *
 * Context: Any context, NMI included.
 */
notrace void scounter_refuse(u64 n, unsigned long caller, const char *name)
{
	struct entry *entry;
	bool fresh;

	atomic_long_inc(&all);
	if (trace_scounter_refused_enabled() && scounter_trace_begin()) {
		trace_scounter_refused(name ?: "", n, caller);
		scounter_trace_end();
	}
	entry = refuse_entry_of(caller, &fresh);
	if (!entry)
		return;
	atomic_long_inc(&entry->times);
	if (!fresh)
		return;
	entry->amount = n;
	strscpy(entry->name, name ?: "", sizeof(entry->name));
	/* Pairs with the acquires before the name is read. */
	atomic_set_release(&entry->state, FILLED);
	irq_work_queue(&say_work);
}

bool scounter_refusal(u32 i, struct scounter_refusal *refusal)
{
	const struct entry *entry = &entries[i];

	if (i >= CALLERS || atomic_read_acquire(&entry->state) == FREE)
		return false;
	*refusal = (struct scounter_refusal) {
		.caller = atomic_long_read(&entry->caller),
		.times = atomic_long_read(&entry->times),
		.amount = entry->amount,
		.name = entry->name,
	};
	return true;
}

unsigned long scounter_refusals(void)
{
	return atomic_long_read(&all);
}

void scounter_refuse_exit(void)
{
	irq_work_sync(&say_work);
}
