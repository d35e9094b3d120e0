/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_HASHTABLE_H
#define _SHIM_LINUX_HASHTABLE_H

#include <linux/list.h>

#define DEFINE_HASHTABLE(name, bits)	struct hlist_head name[1 << (bits)] = { { NULL } }

#define shim_hash_head(table, key)	\
	(&(table)[(key) % (sizeof(table) / sizeof((table)[0]))])

#define hash_add(table, node, key)	hlist_add_head(node, shim_hash_head(table, key))
#define hash_del(node)			hlist_del(node)

#define hash_for_each_possible(table, at, member, key)	\
	hlist_for_each_entry(at, shim_hash_head(table, key), member)

#endif /* _SHIM_LINUX_HASHTABLE_H */
