/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Amounts that look like a negative number: n of a variable that went below 0
 * arrives as 2^64 - |n|.  To add it would take an exact counter down and bring an
 * approximate one to its end, for good.  It is refused instead.
 */
#ifndef _SCOUNTER_REFUSE_H
#define _SCOUNTER_REFUSE_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Who wanted to add such an amount. */
struct scounter_refusal {
	unsigned long caller;	/* return address */
	unsigned long times;
	s64 amount;		/* the first time */
	const char *name;	/* of what it was to be added to, the first time, or "" */
};

void scounter_refuse(u64 n, unsigned long caller, const char *name);

/* To be called in a public function: it is that one's caller who is named. */
static __always_inline bool scounter_refuses(u64 n, const char *name)
{
	if (likely((s64)n >= 0))
		return false;
	scounter_refuse(n, (unsigned long)__builtin_return_address(0), name);
	return true;
}

/* The callers, from 0 on; false if there is no such one. */
bool scounter_refusal(u32 i, struct scounter_refusal *refusal);
/* All amounts together, those of callers that had no room in the table, too. */
unsigned long scounter_refusals(void);

void scounter_refuse_exit(void);

#endif /* _SCOUNTER_REFUSE_H */
