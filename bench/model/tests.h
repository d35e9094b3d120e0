/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SIM_TESTS_H
#define _SIM_TESTS_H

/* All tests, as TAP; the program's exit status. */
int tests_run(void);

#endif /* _SIM_TESTS_H */
