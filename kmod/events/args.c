// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that read the arguments of their tracepoint.
 *
 * A probe is called with all arguments of its tracepoint behind the data, whatever these
 * are.  Each of the first ones is in a register, if it is a number that fits there or a
 * pointer.  So a probe that takes them as unsigned long finds them.  What is in the register
 * of an argument that there is none of is of no use, and does no harm.
 *
 * Arguments that have no register are above the return address, on x86-64.  They are not
 * named as parameters: to those the compiler might write.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/scounter_topk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "events/events.h"
#include "events/tally.h"

static __always_inline void count(struct tally *tally, const unsigned long *args,
				  unsigned long caller)
{
	struct moment moment = { .args = args, .caller = caller };

	scounter_tally_count(tally, &moment);
}

#if SCOUNTER_PROBE_REGISTERS == 2
#define ARGUMENTS	unsigned long a0, unsigned long a1
#define TAKEN		{ a0, a1 }
#else
#define ARGUMENTS	unsigned long a0, unsigned long a1, unsigned long a2, \
			unsigned long a3, unsigned long a4
#define TAKEN		{ a0, a1, a2, a3, a4 }
#endif

static notrace noinline void probe(void *tally, ARGUMENTS)
{
	const unsigned long args[] = TAKEN;

	count(tally, args, _RET_IP_);
}

#if SCOUNTER_PROBE_ARGS > SCOUNTER_PROBE_REGISTERS
/* The frame begins with that of the caller and the return address. */
static notrace noinline __no_sanitize_address void probe_all(void *tally, ARGUMENTS)
{
	const unsigned long *above = (unsigned long *)__builtin_frame_address(0) + 2;
	unsigned long args[SCOUNTER_PROBE_ARGS] = TAKEN;
	u32 i;

	for (i = SCOUNTER_PROBE_REGISTERS; i < SCOUNTER_PROBE_ARGS; i++)
		args[i] = READ_ONCE_NOCHECK(above[i - SCOUNTER_PROBE_REGISTERS]);
	count(tally, args, _RET_IP_);
}
#else
#define probe_all	probe
#endif

#ifdef CONFIG_64BIT
/*
 * For a table that is all there is: a hit of an argument of a type, and nothing else.  The
 * key stays in a register.
 */
#define PLAIN(n, bits)							\
static notrace void probe_##n##_##bits(void *topk, ARGUMENTS)		\
{									\
	scounter_topk_hit_u64(topk, (u##bits)a##n);			\
}

#define PLAIN_OF(n)	PLAIN(n, 8) PLAIN(n, 16) PLAIN(n, 32) PLAIN(n, 64)
#define PLAINS(n)	{ probe_##n##_8, probe_##n##_16, probe_##n##_32, probe_##n##_64 }

PLAIN_OF(0)
PLAIN_OF(1)
PLAIN_OF(2)
PLAIN_OF(3)
PLAIN_OF(4)

/* By argument, and log2 of its bytes. */
static void *const plain[][4] = { PLAINS(0), PLAINS(1), PLAINS(2), PLAINS(3), PLAINS(4) };
#else
/* There a table is not for NMI, so that each hit asks first. */
static void *const plain[0][4];
#endif

static bool is_plain(const struct tally *tally)
{
	const struct layout *layout = tally->layout;
	const struct value *value = layout ? &layout->value[0] : NULL;

	if (!layout || layout->count != 1 || tally->sum.reading || tally->hist.reading)
		return false;
	return value->source == IN_ARGS && !value->hops && value->arg < ARRAY_SIZE(plain) &&
	       (value->reading == READ_UNSIGNED ||
		(value->reading == READ_SIGNED && value->size == sizeof(u64)));
}

static bool is_above(const struct value *value)
{
	return value->source == IN_ARGS && value->arg >= SCOUNTER_PROBE_REGISTERS;
}

static bool any_above(const struct tally *tally)
{
	u32 i;

	for (i = 0; tally->layout && i < tally->layout->count; i++)
		if (is_above(&tally->layout->value[i]))
			return true;
	return is_above(&tally->sum) || is_above(&tally->hist);
}

/* Before the tally has a set. */
void scounter_args_choose(struct tally *tally)
{
	tally->plain = is_plain(tally);
}

static void *probe_of(const struct tally *tally)
{
	const struct value *value = tally->layout ? &tally->layout->value[0] : NULL;

	if (tally->plain)
		return plain[value->arg][ilog2(value->size)];
	return any_above(tally) ? probe_all : probe;
}

static void *data_of(struct tally *tally)
{
	return tally->plain ? (void *)tally->topk : tally;
}

/* "__traceiter_sched_switch+0x0/0x60": the frame of the iterator is none of the kernel's. */
static void find_iterator(struct tally *tally)
{
	unsigned long start = (unsigned long)tally->event->tracepoint->iterator, size;
	char symbol[KSYM_SYMBOL_LEN], *slash;

	sprint_symbol(symbol, start);
	slash = strchr(symbol, '/');
	if (!slash || sscanf(slash, "/%lx", &size) != 1)
		return;
	tally->iterator = start;
	tally->iterator_end = start + size;
}

int scounter_args_start(struct tally *tally)
{
	find_iterator(tally);
	return tracepoint_probe_register(tally->event->tracepoint, probe_of(tally),
					 data_of(tally));
}

/* The probe may still run until tracepoint_synchronize_unregister(). */
void scounter_args_stop(struct tally *tally)
{
	tracepoint_probe_unregister(tally->event->tracepoint, probe_of(tally), data_of(tally));
}
