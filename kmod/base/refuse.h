/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Amounts that look negative are refused.  Example: -1 in a variable of a signed type
 * arrives as 2^64 - 1.  Adding that would take an exact counter down by one, and an
 * approximate one to the end of its range for good.
 */
#ifndef _SCOUNTER_REFUSE_H
#define _SCOUNTER_REFUSE_H

#include <linux/compiler.h>
#include <linux/types.h>

/* A caller that wanted to add such an amount. */
struct scounter_refusal {
	unsigned long caller;	/* return address */
	unsigned long times;
	s64 amount;		/* of the first time */
	const char *name;	/* of the first counter, or "" */
};

void scounter_refuse(u64 n, unsigned long caller, const char *name);

/* Call it from a public function: it names the caller of that function. */
static __always_inline bool scounter_refuses(u64 n, const char *name)
{
	if (likely((s64)n >= 0))
		return false;
	scounter_refuse(n, (unsigned long)__builtin_return_address(0), name);
	return true;
}

/* The callers, from 0 on; false at the end. */
bool scounter_refusal(u32 i, struct scounter_refusal *refusal);
/* How many amounts, including those of callers that did not fit the table. */
unsigned long scounter_refusals(void);

void scounter_refuse_exit(void);

#endif /* _SCOUNTER_REFUSE_H */
