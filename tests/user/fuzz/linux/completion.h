/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name: nobody comes to end a wait. */
#ifndef _FUZZ_LINUX_COMPLETION_H
#define _FUZZ_LINUX_COMPLETION_H

#include <stdlib.h>

struct completion {
	int done;
};

#define init_completion(completion)	((completion)->done = 0)
#define complete(completion)		((completion)->done++)
#define wait_for_completion(completion)	\
	do { if (!(completion)->done) abort(); } while (0)

#endif /* _FUZZ_LINUX_COMPLETION_H */
