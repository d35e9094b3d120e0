/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_DEBUGFS_H
#define _SCOUNTER_DEBUGFS_H

struct dentry;

struct dentry *scounter_debugfs_arrays(void);
void scounter_debugfs_init(void);
void scounter_debugfs_exit(void);

#endif /* _SCOUNTER_DEBUGFS_H */
