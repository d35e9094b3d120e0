/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name: who waits spins. */
#ifndef _SHIM_LINUX_COMPLETION_H
#define _SHIM_LINUX_COMPLETION_H

#include <stdlib.h>

#include <linux/atomic.h>
#include <linux/processor.h>

struct completion {
	unsigned int done;
};

static inline void init_completion(struct completion *completion)
{
	WRITE_ONCE(completion->done, 0);
}

/* The waiter may go on from here, and the memory may go with it. */
static inline void complete(struct completion *completion)
{
	xchg(&completion->done, 1);
}

static inline void wait_for_completion(struct completion *completion)
{
	while (!READ_ONCE(completion->done)) {
#ifdef SHIM_ALONE
		abort();
#endif
		cpu_relax();
	}
}

#endif /* _SHIM_LINUX_COMPLETION_H */
