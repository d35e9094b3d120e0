/* SPDX-License-Identifier: GPL-2.0 */
/* The contexts that contexts.h calls a function in. */
#ifndef _SCOUNTER_TESTING_CONTEXT_H
#define _SCOUNTER_TESTING_CONTEXT_H

enum context { TASK, SOFTIRQ, HARDIRQ, NMI, CONTEXTS };

#endif /* _SCOUNTER_TESTING_CONTEXT_H */
