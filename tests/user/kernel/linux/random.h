/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_RANDOM_H
#define _SHIM_LINUX_RANDOM_H

#include "../shim.h"

/* Nobody clones this machine. */
#define register_random_vmfork_notifier(block)		((void)(block), 0)
#define unregister_random_vmfork_notifier(block)	((void)(block))

#define get_random_bytes(buffer, size)	shim_entropy(buffer, size)

#endif /* _SHIM_LINUX_RANDOM_H */
