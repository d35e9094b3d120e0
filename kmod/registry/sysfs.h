/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_SYSFS_H
#define _SCOUNTER_SYSFS_H

int scounter_sysfs_init(void);
void scounter_sysfs_exit(void);

#endif /* _SCOUNTER_SYSFS_H */
