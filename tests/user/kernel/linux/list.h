/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_LIST_H
#define _SHIM_LINUX_LIST_H

#include <stdbool.h>

#include <linux/container_of.h>

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_add(struct list_head *node, struct list_head *head)
{
	node->next = head->next;
	node->prev = head;
	head->next->prev = node;
	head->next = node;
}

static inline void list_del_init(struct list_head *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
	INIT_LIST_HEAD(node);
}

static inline void list_move_tail(struct list_head *node, struct list_head *head)
{
	list_del_init(node);
	list_add(node, head->prev);
}

/* All of @list to the start of @head. */
static inline void list_splice(struct list_head *list, struct list_head *head)
{
	if (list_empty(list))
		return;
	list->prev->next = head->next;
	head->next->prev = list->prev;
	head->next = list->next;
	list->next->prev = head;
}

static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	list_splice(list, head);
	INIT_LIST_HEAD(list);
}

#define list_entry(node, type, member)	container_of(node, type, member)

#define list_first_entry(head, type, member)	list_entry((head)->next, type, member)

#define list_for_each_entry_safe(at, after, head, member)		\
	for (at = list_entry((head)->next, typeof(*at), member),	\
	     after = list_entry(at->member.next, typeof(*at), member);	\
	     &at->member != (head);					\
	     at = after, after = list_entry(at->member.next, typeof(*at), member))

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	node->pprev = &head->first;
	if (head->first)
		head->first->pprev = &node->next;
	head->first = node;
}

static inline void hlist_del(struct hlist_node *node)
{
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
}

#define shim_hlist_entry(node, type, member)	\
	((node) ? container_of(node, type, member) : NULL)

#define hlist_for_each_entry(at, head, member)					\
	for (at = shim_hlist_entry((head)->first, typeof(*at), member); at;	\
	     at = shim_hlist_entry(at->member.next, typeof(*at), member))

#endif /* _SHIM_LINUX_LIST_H */
