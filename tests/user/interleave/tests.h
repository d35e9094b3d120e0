/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _INTERLEAVE_TESTS_H
#define _INTERLEAVE_TESTS_H

/* All, or those that have this in their name.  Writes TAP; returns an exit status. */
int tests_run(const char *only);

#endif /* _INTERLEAVE_TESTS_H */
