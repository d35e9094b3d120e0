/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots of one user, who holds 1 MiB of the 64 that he may.  A letter of the script is
 *
 *	s	take 1 MiB more, which fits whatever the others do
 *	h	take 40 MiB, which fits once
 *	l	take 64 MiB, which never fits
 *	p	take 64 MiB with the right to more than others
 *	g	give a MiB back, and take it again
 */
#ifndef _INTERLEAVE_SHARES_H
#define _INTERLEAVE_SHARES_H

#include "explore.h"

/* NULL if the script is not right. */
const struct explore_program *shares_program(const char *script);

#endif /* _INTERLEAVE_SHARES_H */
