/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_DEBUGFS_H
#define _SCOUNTER_DEBUGFS_H

#include <linux/types.h>

struct dentry;
struct scounter_group;
struct seq_file;

/* In the root beside the groups: no group can have these names. */
#define SCOUNTER_ARRAYS_DIRECTORY	"arrays"
#define SCOUNTER_TOPK_DIRECTORY		"topk"

/* Before there is an item: it knows names that no group may have. */
void scounter_debugfs_view(void);
void scounter_debugfs_init(void);
void scounter_debugfs_exit(void);
struct dentry *scounter_debugfs_root(void);

/* In percent, without zeros at its end: "1 % at most" is no measured 1.0000 %. */
void scounter_show_error(struct seq_file *seq, u32 ppm);

/* Of a group whose items have no other view; made with the first of these. */
struct dentry *scounter_debugfs_directory(struct scounter_group *group, struct dentry *parent);
void scounter_debugfs_drop_directory(struct scounter_group *group);

#endif /* _SCOUNTER_DEBUGFS_H */
