/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table that grows and shrinks with what is in it.  Insertion allocates
 * nothing, cannot fail, and is allowed with interrupts off, which an rhashtable
 * allows from Linux 6.3 on only.
 */
#ifndef _SCOUNTER_HASH_H
#define _SCOUNTER_HASH_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define SCOUNTER_HASH_LEAST	16

struct scounter_hashed {
	struct hlist_node node;
	u32 hash;
};

struct scounter_heads {
	struct hlist_head *heads;
	u32 size;		/* a power of two */
};

/*
 * While it is resized, the first @moved lists of @old are empty: what was in them is
 * in @now.  All but @first is under the lock.
 */
struct scounter_hash {
	struct scounter_heads now, old;
	u32 moved;
	u32 count;
	struct hlist_head first[SCOUNTER_HASH_LEAST];
};

#define SCOUNTER_HASH_INIT(name) { .now = { (name).first, SCOUNTER_HASH_LEAST } }

/* With the lock that the user of the table has for it. */
void scounter_hash_add(struct scounter_hash *table, struct scounter_hashed *item, u32 hash);
void scounter_hash_del(struct scounter_hash *table, struct scounter_hashed *item);
struct hlist_head *scounter_hash_list(struct scounter_hash *table, u32 hash);
/* Whether a resize would do something. */
bool scounter_hash_misfits(const struct scounter_hash *table);

/*
 * Gives the table the size that it should have, if there is memory for that.  In task
 * context, one call at a time, without the lock, which is taken for some lists at once.
 */
void scounter_hash_resize(struct scounter_hash *table, raw_spinlock_t *lock);

/* When it is empty. */
void scounter_hash_free(struct scounter_hash *table);

#endif /* _SCOUNTER_HASH_H */
