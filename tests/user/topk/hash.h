/* SPDX-License-Identifier: GPL-2.0 */
/* The quality of the hash of short keys. */
#ifndef _TOPK_HASH_H
#define _TOPK_HASH_H

#include <linux/types.h>

int hash_check(u64 seed);

#endif /* _TOPK_HASH_H */
