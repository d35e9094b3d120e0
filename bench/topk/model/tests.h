/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TOPK_SIM_TESTS_H
#define _TOPK_SIM_TESTS_H

/* TAP; 1 if one failed. */
int tests_run(void);

#endif /* _TOPK_SIM_TESTS_H */
