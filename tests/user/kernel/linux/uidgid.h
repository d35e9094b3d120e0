/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_UIDGID_H
#define _SHIM_LINUX_UIDGID_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct {
	uid_t val;
} kuid_t;

typedef struct {
	gid_t val;
} kgid_t;

static inline uid_t __kuid_val(kuid_t user)
{
	return user.val;
}

static inline bool uid_eq(kuid_t a, kuid_t b)
{
	return a.val == b.val;
}

#endif /* _SHIM_LINUX_UIDGID_H */
