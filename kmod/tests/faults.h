/* SPDX-License-Identifier: GPL-2.0 */
/* Allocations that are made to fail. */
#ifndef _SCOUNTER_FAULTS_H
#define _SCOUNTER_FAULTS_H

#include <kunit/test.h>
#include <linux/kernel.h>

/* Until root says otherwise in debugfs, none that may sleep fails. */
static inline void skip_while_booting(struct kunit *test)
{
	if (system_state < SYSTEM_RUNNING)
		kunit_skip(test, "no allocation fails while the kernel boots");
}

#endif /* _SCOUNTER_FAULTS_H */
