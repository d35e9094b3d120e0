/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_SEQ_FILE_H
#define _SHIM_LINUX_SEQ_FILE_H

struct seq_file;

#endif /* _SHIM_LINUX_SEQ_FILE_H */
