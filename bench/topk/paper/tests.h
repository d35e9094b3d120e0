/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _PAPER_TESTS_H
#define _PAPER_TESTS_H

/* All, or those with @only in their names.  Exit status. */
int tests_run(const char *only);

#endif /* _PAPER_TESTS_H */
