/* SPDX-License-Identifier: GPL-2.0 */
/* What is rare: large numbers, large tables, snapshots that leave keys out. */
#ifndef _TOPK_EDGES_H
#define _TOPK_EDGES_H

int edges_check(void);

#endif /* _TOPK_EDGES_H */
