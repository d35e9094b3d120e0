/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A representation with its parameters.  Each of the headers beside this one
 * is a kind of them, in the framework of Steele & Tristan 2017, section 2:
 *
 *	f(x)		the count that state x stands for
 *	phi(v)		the last state whose f is not above v
 *	tau(x)		the state after x
 *	gap(x)		f(tau(x)) - f(x)
 *	worth(x)	1 / Q(x): an increment succeeds with probability Q(x), and
 *			then counts for this much; it is the gap, but for DLM
 *			probability counters
 *
 * Pure integer functions without kernel state, the same source in the kernel
 * and in user space.  State 0 stands for 0; `top` is the last state.
 */
#ifndef _SCOUNTER_REPR_TYPE_H
#define _SCOUNTER_REPR_TYPE_H

#include <linux/types.h>
#include <uapi/linux/scounter_array.h>

#include "repr/real.h"

/* A run of m states that share an exponent d: f = base + i * step, step = q^d. */
struct scounter_rung {
	struct scounter_real base;
	struct scounter_real step;
};

struct scounter_repr {
	struct scounter_array_type type;
	u32 shift;			/* log2 of m, where that is a power of 2 */
	u32 top;
	struct scounter_real most;	/* f(top) */
	u32 rung_count;
	const struct scounter_rung *rungs;	/* general Morris and Csuros */
};

#define SCOUNTER_REPR_MILLION	1000000U

#endif /* _SCOUNTER_REPR_TYPE_H */
