/* SPDX-License-Identifier: GPL-2.0 */
/* The device /dev/scounter. */
#ifndef _SCOUNTER_DEVICE_H
#define _SCOUNTER_DEVICE_H

struct file_operations;

int scounter_device_init(const struct file_operations *fops);
void scounter_device_exit(void);

#endif /* _SCOUNTER_DEVICE_H */
