/* SPDX-License-Identifier: GPL-2.0 */
/* How much memory each user may hold by open snapshots. */
#ifndef _SCOUNTER_SHARE_H
#define _SCOUNTER_SHARE_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct scounter_share;

/* A user's, for each snapshot that he holds; NULL if there is no memory. */
struct scounter_share *scounter_share_get(kuid_t user);
void scounter_share_put(struct scounter_share *share);

/* 0, or -EAGAIN if it would be too much together with what he holds. */
int scounter_share_take(struct scounter_share *share, size_t size);
void scounter_share_give(struct scounter_share *share, size_t size);

#endif /* _SCOUNTER_SHARE_H */
