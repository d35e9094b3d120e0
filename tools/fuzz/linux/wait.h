/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name: nobody comes to end a wait. */
#ifndef _FUZZ_LINUX_WAIT_H
#define _FUZZ_LINUX_WAIT_H

#include <stdlib.h>

#define DECLARE_WAIT_QUEUE_HEAD(queue)	int queue __attribute__((unused))
#define wake_up(queue)			((void)(queue))
#define wait_event(queue, condition)	do { if (!(condition)) abort(); } while (0)

#endif /* _FUZZ_LINUX_WAIT_H */
