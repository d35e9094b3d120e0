// SPDX-License-Identifier: GPL-2.0
/*
 * One user's open snapshots keep no other from having some.  Their memory is charged to
 * the reader's control group as well; this is for who has none.
 */
#include <linux/capability.h>
#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "registry/share.h"

/* All that a user holds, but for one snapshot: that may be as large as it is. */
#define HELD_MAX	(64UL << 20)

struct scounter_share {
	struct hlist_node node;
	kuid_t user;
	u32 snapshots;
	size_t held;
};

static DEFINE_SPINLOCK(lock);
static DEFINE_HASHTABLE(shares, 8);

static struct scounter_share *share_find(kuid_t user)
{
	struct scounter_share *share;

	lockdep_assert_held(&lock);
	hash_for_each_possible(shares, share, node, __kuid_val(user))
		if (uid_eq(share->user, user))
			return share;
	return NULL;
}

struct scounter_share *scounter_share_get(kuid_t user)
{
	struct scounter_share *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	struct scounter_share *share;

	if (!fresh)
		return NULL;
	spin_lock(&lock);
	share = share_find(user);
	if (!share) {
		share = fresh;
		fresh = NULL;
		share->user = user;
		hash_add(shares, &share->node, __kuid_val(user));
	}
	share->snapshots++;
	spin_unlock(&lock);
	kfree(fresh);
	return share;
}

void scounter_share_put(struct scounter_share *share)
{
	bool last;

	spin_lock(&lock);
	last = !--share->snapshots;
	if (last)
		hash_del(&share->node);
	spin_unlock(&lock);
	if (last)
		kfree(share);
}

void scounter_share_give(struct scounter_share *share, size_t size)
{
	spin_lock(&lock);
	share->held -= size;
	spin_unlock(&lock);
}

/* What does not fit is not held meanwhile: it would keep out what does. */
static bool share_take_within(struct scounter_share *share, size_t size, size_t most)
{
	bool may;

	spin_lock(&lock);
	may = share->held <= most && size <= most - share->held;
	if (may)
		share->held += size;
	spin_unlock(&lock);
	return may;
}

int scounter_share_take(struct scounter_share *share, size_t size)
{
	if (share_take_within(share, size, max_t(size_t, HELD_MAX, size)) ||
	    (capable(CAP_SYS_RESOURCE) && share_take_within(share, size, SIZE_MAX)))
		return 0;
	return -EAGAIN;
}
