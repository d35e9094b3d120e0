// SPDX-License-Identifier: GPL-2.0
/*
 * What other modules call: tables with names, over the designs.
 *
 * A hit runs with preemption off, which is an RCU read-side critical section.  A reset
 * puts a new table in the place of the old one and waits for a grace period.  Then no hit
 * is in the old table, no hit is pending in it, and its counts are exact.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": topk: " fmt

#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "base/refuse.h"
#include "topk/designs.h"
#include "topk/topk.h"

#define PPB	1000000000U

/* A hit has preemption off: it cannot sleep. */
bool topk_throttle(void)
{
	return false;
}

static __always_inline void topk_count(struct scounter_topk *topk, const void *key, u64 n)
{
	struct topk_table *table;

	preempt_disable_notrace();
	/* Pairs with rcu_assign_pointer() in creation and reset. */
	table = rcu_dereference_sched(topk->table);
	topk_add(table, key, n);
	preempt_enable_notrace();
}

/* One function for both calls, so that there is one warning in all. */
static noinline notrace void topk_warn_of_no_table(void)
{
	WARN_ONCE(1, "scounter: a hit without a table\n");
}

/**
 * scounter_topk_add - count n hits of a key at once
 * @topk: the table; NULL is warned of once, and ignored
 * @key: its bytes, as many as the table's key size; need not be aligned.  The padding
 *	of a struct counts: structs with equal members and other padding are two keys
 * @n: how many; 0 changes nothing, 2^63 and above is taken for a negative number,
 *	and refused; an unsigned int that was taken below 0 arrives as about 2^32,
 *	and is counted
 *
 * Das et al. 2009, section 4.3.2, calls it a bulk increment.
 *
 * Context: Any context, NMI included, where RCU is watching.
 */
notrace void scounter_topk_add(struct scounter_topk *topk, const void *key, u64 n)
{
	if (unlikely(!topk))
		topk_warn_of_no_table();
	else if (n && !scounter_refuses(n, topk->name))
		topk_count(topk, key, n);
}
EXPORT_SYMBOL_GPL(scounter_topk_add);

/**
 * scounter_topk_hit - count one hit of a key
 * @topk: the table; NULL is warned of once, and ignored
 * @key: its bytes, as many as the table's key size; need not be aligned.  The padding
 *	of a struct counts: structs with equal members and other padding are two keys
 *
 * Context: Any context, NMI included, where RCU is watching.
 */
notrace void scounter_topk_hit(struct scounter_topk *topk, const void *key)
{
	if (unlikely(!topk))
		topk_warn_of_no_table();
	else
		topk_count(topk, key, 1);
}
EXPORT_SYMBOL_GPL(scounter_topk_hit);

/* Apart, so that a hit that is inline needs no memory for its key. */
static noinline notrace void topk_add_u64(struct topk_table *table, u64 key)
{
	if (!WARN_ONCE(table->key_size != sizeof(key), "scounter: a table without such keys\n"))
		table->ops->add(table, &key, 1);
}

/**
 * scounter_topk_hit_u64 - count one hit of a key of 8 bytes
 * @topk: the table; NULL, and one whose keys have another size, is warned of once, and
 *	ignored
 * @key: the key; as a number in memory it has the bytes that scounter_topk_hit() takes
 *
 * Takes fewer instructions than scounter_topk_hit(), as the key stays in a register.
 *
 * Context: Any context, NMI included, where RCU is watching.
 */
notrace void scounter_topk_hit_u64(struct scounter_topk *topk, u64 key)
{
	struct topk_table *table;

	if (unlikely(!topk)) {
		topk_warn_of_no_table();
		return;
	}
	preempt_disable_notrace();
	/* Pairs with rcu_assign_pointer() in creation and reset. */
	table = rcu_dereference_sched(topk->table);
	if (likely(table->inline_key == sizeof(key)))
		topk_lockfree_hit(table, key, 1);
	else
		topk_add_u64(table, key);
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(scounter_topk_hit_u64);

static struct topk_table *topk_table_of(struct scounter_topk *topk)
{
	return rcu_dereference_protected(topk->table, lockdep_is_held(&topk->mutex));
}

static struct scounter_topk_header *topk_read_query(struct scounter_topk *topk,
						    const struct topk_query *query)
{
	struct scounter_topk_header *snapshot;

	mutex_lock(&topk->mutex);
	snapshot = topk_snapshot(topk_table_of(topk), query);
	mutex_unlock(&topk->mutex);
	return snapshot ?: ERR_PTR(-ENOMEM);
}

/**
 * scounter_topk_top - the keys that were hit most
 * @topk: the table
 * @k: how many; all that are in the table if there are no more
 *
 * Hits may run meanwhile: the bounds hold for each key, and the total is one that the
 * table had during the call.  If there are more than @k keys, the snapshot's capacity is
 * @k, or 1 for a @k of 0.  Keys that are evicted during the call are not listed, so there
 * may be fewer.
 *
 * Context: Task context; may sleep.
 * Return: a snapshot to give to scounter_topk_free(), or an ERR_PTR: -ENOMEM.
 */
struct scounter_topk_header *scounter_topk_top(struct scounter_topk *topk, u32 k)
{
	const struct topk_query top = { .most = k };

	return topk_read_query(topk, &top);
}
EXPORT_SYMBOL_GPL(scounter_topk_top);

/**
 * scounter_topk_above - the keys that may have more than a share of all hits
 * @topk: the table
 * @phi_ppb: the share in parts per billion, at most 10^9
 *
 * If the share is at least 1 / capacity of the table, no key is missing that has more than
 * the share plus the snapshot's pending hits.  A key whose count - error is beyond the
 * share has it for certain.  Neither holds if the snapshot has SCOUNTER_TOPK_F_SATURATED:
 * the share is of 2^64 - 1 then, and more was hit.  If keys are left out, the snapshot's
 * capacity is the number of keys that it lists.
 *
 * Context: Task context; may sleep.
 * Return: a snapshot to give to scounter_topk_free(), or an ERR_PTR: -ERANGE for
 * a share beyond 1, -ENOMEM.
 */
struct scounter_topk_header *scounter_topk_above(struct scounter_topk *topk, u32 phi_ppb)
{
	const struct topk_query above = { .most = U32_MAX, .phi_ppb = phi_ppb };

	if (phi_ppb > PPB)
		return ERR_PTR(-ERANGE);
	return topk_read_query(topk, &above);
}
EXPORT_SYMBOL_GPL(scounter_topk_above);

struct topk_table *topk_create_table(const struct topk_ops *ops, u32 capacity,
				     u32 key_size)
{
	struct topk_secret secret;

	get_random_bytes(&secret, sizeof(secret));
	return ops->create(capacity, key_size, &secret);
}

static struct topk_table *topk_exchange_table(struct scounter_topk *topk)
{
	struct topk_table *old = topk_table_of(topk), *fresh;

	fresh = topk_create_table(old->ops, old->capacity, old->key_size);
	if (!fresh)
		return NULL;
	rcu_assign_pointer(topk->table, fresh);
	synchronize_rcu();
	return old;
}

/**
 * scounter_topk_fetch_reset - read a table and start again with an empty one
 * @topk: the table
 *
 * No hit is lost or returned twice.  If there is no memory for the snapshot, the old
 * table is kept for the next call.
 *
 * Context: Task context; may sleep, for an RCU grace period.
 * Return: a snapshot of all entries to give to scounter_topk_free(), or an
 * ERR_PTR: -ENOMEM.
 */
struct scounter_topk_header *scounter_topk_fetch_reset(struct scounter_topk *topk)
{
	const struct topk_query all = { .most = U32_MAX };
	struct scounter_topk_header *snapshot = NULL;
	struct topk_table *old;

	mutex_lock(&topk->mutex);
	old = topk->kept ?: topk_exchange_table(topk);
	if (old) {
		snapshot = topk_snapshot(old, &all);
		topk->kept = snapshot ? NULL : old;
		if (snapshot)
			old->ops->destroy(old);
	}
	mutex_unlock(&topk->mutex);
	return snapshot ?: ERR_PTR(-ENOMEM);
}
EXPORT_SYMBOL_GPL(scounter_topk_fetch_reset);

/**
 * scounter_topk_merge - one snapshot of two
 * @a: one
 * @b: the other, of the same key size
 *
 * As if one table had got the hits of both.  Errors are at most the sum of both totals
 * divided by the smaller capacity.  The capacity of a snapshot that leaves keys out is the
 * number of keys that it lists.  Sums stop at 2^64 - 1.
 *
 * Context: Task context; may sleep.
 * Return: a snapshot to give to scounter_topk_free(), or an ERR_PTR: -EINVAL if
 * the keys are not of one size, -ENOMEM.
 */
struct scounter_topk_header *
scounter_topk_merge(const struct scounter_topk_header *a,
		    const struct scounter_topk_header *b)
{
	const struct scounter_topk_header *const parts[] = { a, b };

	if (a->key_size != b->key_size)
		return ERR_PTR(-EINVAL);
	return topk_merge(parts, ARRAY_SIZE(parts), U32_MAX) ?: ERR_PTR(-ENOMEM);
}
EXPORT_SYMBOL_GPL(scounter_topk_merge);

/**
 * scounter_topk_free - free a snapshot
 * @snapshot: what a query returned; nothing happens if it is NULL or an ERR_PTR
 *
 * Context: Task context.
 */
void scounter_topk_free(struct scounter_topk_header *snapshot)
{
	if (!IS_ERR_OR_NULL(snapshot))
		topk_snapshot_free(snapshot);
}
EXPORT_SYMBOL_GPL(scounter_topk_free);

/**
 * scounter_topk_bytes - how much memory a table takes
 * @topk: the table
 *
 * Context: Task context; may sleep.
 * Return: bytes; they never change.
 */
size_t scounter_topk_bytes(struct scounter_topk *topk)
{
	size_t bytes;

	mutex_lock(&topk->mutex);
	bytes = sizeof(*topk) + topk_table_of(topk)->ops->bytes(topk_table_of(topk));
	mutex_unlock(&topk->mutex);
	return bytes;
}
EXPORT_SYMBOL_GPL(scounter_topk_bytes);

/**
 * scounter_topk_design_name - the name of a design
 * @design: an enum scounter_topk_design
 *
 * Context: Any context.
 * Return: "lockfree" and so on, or NULL if there is none of that number.
 */
const char *scounter_topk_design_name(u32 design)
{
	const struct topk_ops *ops = topk_ops_of(design);

	return ops ? ops->name : NULL;
}
EXPORT_SYMBOL_GPL(scounter_topk_design_name);

/**
 * scounter_topk_design_by_name - the design with a name
 * @name: "lockfree", "cooperative", "shared" or "independent"
 *
 * As a module parameter may say it.
 *
 * Context: Any context.
 * Return: an enum scounter_topk_design, or -EINVAL if there is none of that name.
 */
int scounter_topk_design_by_name(const char *name)
{
	u32 design;

	for (design = 1; topk_ops_of(design); design++)
		if (!strcmp(name, topk_ops_of(design)->name))
			return design;
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(scounter_topk_design_by_name);

static void topk_free_now(struct rcu_head *rcu)
{
	struct scounter_topk *topk = container_of(rcu, struct scounter_topk, item.rcu);
	struct topk_table *table = rcu_dereference_protected(topk->table, true);

	table->ops->destroy(table);
	if (topk->kept)
		topk->kept->ops->destroy(topk->kept);
	kfree(topk);
}

/* Nobody reads it any more; a hit may still run. */
void topk_free(struct scounter_topk *topk)
{
	call_rcu(&topk->item.rcu, topk_free_now);
}
