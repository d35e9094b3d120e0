/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _INTERLEAVE_REPORT_H
#define _INTERLEAVE_REPORT_H

#include "counting.h"

/* Explore, and say what was found.  Returns an exit status. */
int report_run(const struct counting *counting, const struct explore_options *options);

/* The command that shows a failure again. */
void report_replay(const struct counting *counting, const struct explore_result *result);

#endif /* _INTERLEAVE_REPORT_H */
