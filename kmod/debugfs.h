/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_DEBUGFS_H
#define _SCOUNTER_DEBUGFS_H

struct dentry;

void scounter_debugfs_init(void);
void scounter_debugfs_exit(void);
struct dentry *scounter_debugfs_root(void);
struct dentry *scounter_debugfs_arrays(void);

#endif /* _SCOUNTER_DEBUGFS_H */
