/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_LOCKDEP_H
#define _SHIM_LINUX_LOCKDEP_H

#define lock_map_acquire(map)		do { } while (0)
#define lock_map_acquire_read(map)	do { } while (0)
#define lock_map_release(map)		do { } while (0)

#endif /* _SHIM_LINUX_LOCKDEP_H */
