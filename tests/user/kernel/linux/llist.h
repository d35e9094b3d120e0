/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_LLIST_H
#define _SHIM_LINUX_LLIST_H

#include <stdbool.h>

#include <linux/atomic.h>
#include <linux/container_of.h>

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

#define LLIST_HEAD(name)	struct llist_head name = { NULL }

static inline bool llist_add(struct llist_node *node, struct llist_head *head)
{
	node->next = READ_ONCE(head->first);
	while (!shim_try_cmpxchg(&head->first, &node->next, node, __ATOMIC_RELEASE))
		;
	return !node->next;
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	return xchg(&head->first, NULL);
}

static inline bool llist_empty(const struct llist_head *head)
{
	return !READ_ONCE(head->first);
}

#define llist_entry_or_null(node, type, member) ({			\
	struct llist_node *_node = (node);				\
	_node ? container_of(_node, type, member) : NULL;		\
})

#define llist_for_each_entry(at, node, member)				\
	for (at = llist_entry_or_null(node, typeof(*at), member); at;	\
	     at = llist_entry_or_null(at->member.next, typeof(*at), member))

#define llist_for_each_entry_safe(at, after, node, member)		\
	for (at = llist_entry_or_null(node, typeof(*at), member);	\
	     at && (after = llist_entry_or_null(at->member.next,	\
						typeof(*at), member), 1); \
	     at = after)

#endif /* _SHIM_LINUX_LLIST_H */
