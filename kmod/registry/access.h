/* SPDX-License-Identifier: GPL-2.0 */
/* Who may read: module parameters.  Resets are root's. */
#ifndef _SCOUNTER_ACCESS_H
#define _SCOUNTER_ACCESS_H

#include <linux/types.h>
#include <linux/uidgid.h>

/* Of /dev/scounter; and of the other files, those in sysfs and in debugfs. */
umode_t scounter_device_mode(void);
umode_t scounter_file_mode(void);

/* Of /dev/scounter and in sysfs; in debugfs the mount's options say who may. */
kgid_t scounter_access_gid(void);

#endif /* _SCOUNTER_ACCESS_H */
