/* SPDX-License-Identifier: GPL-2.0 */
/* The only place that knows kernel versions and optional features. */
#ifndef _SCOUNTER_COMPAT_H
#define _SCOUNTER_COMPAT_H

#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>	/* PREEMPT_RT's in_serving_softirq() looks into current */
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 10, 0)
#error "scounter needs Linux 5.10 or newer"
#endif

/* 5.11 renamed in_irq(). */
#ifndef in_hardirq
#define in_hardirq()	in_irq()
#endif

/* 5.18 tells of clones of a virtual machine, where there is CONFIG_VMGENID. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define scounter_register_vmfork(block)		register_random_vmfork_notifier(block)
#define scounter_unregister_vmfork(block)	unregister_random_vmfork_notifier(block)
#else
#define scounter_register_vmfork(block)		((void)(block), 0)
#define scounter_unregister_vmfork(block)	((void)(block))
#endif

/* 7.0 warns of the old name of the queue of work that no CPU is bound to. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define scounter_unbound_wq	system_dfl_wq
#else
#define scounter_unbound_wq	system_unbound_wq
#endif

/* What these look at became const: in 6.2, kobj_type's get_ownership(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define SCOUNTER_CONST_IN_6_2	const
#else
#define SCOUNTER_CONST_IN_6_2
#endif

/* In 6.3, device_type's devnode(). */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define SCOUNTER_CONST_IN_6_3	const
#else
#define SCOUNTER_CONST_IN_6_3
#endif

/* 6.4 does without the module. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define scounter_class_create(name)	class_create(name)
#else
#define scounter_class_create(name)	class_create(THIS_MODULE, name)
#endif

/* 5.11 gave callbacks of ftrace other registers, and turned the flag round. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define scounter_ftrace_regs	struct ftrace_regs
#define SCOUNTER_FTRACE_FLAGS	FTRACE_OPS_FL_RECURSION
#else
#define scounter_ftrace_regs	struct pt_regs
#define SCOUNTER_FTRACE_FLAGS	0
#endif

/*
 * The arguments of a tracepoint that its probe finds, each as an unsigned long, and how many
 * of them are in registers.  A 32-bit machine has few registers, and x86-64 alone reads what
 * is on the stack.
 */
#if !defined(CONFIG_64BIT)
#define SCOUNTER_PROBE_REGISTERS	2
#else
#define SCOUNTER_PROBE_REGISTERS	5
#endif
#ifdef CONFIG_X86_64
#define SCOUNTER_PROBE_ARGS		12
#else
#define SCOUNTER_PROBE_ARGS		SCOUNTER_PROBE_REGISTERS
#endif

/* log2 of the bytes of text in which only one function begins; 6.2 says how they align. */
#if defined(CONFIG_FUNCTION_ALIGNMENT) && CONFIG_FUNCTION_ALIGNMENT >= 4
#define SCOUNTER_FUNCTION_SHIFT	ilog2(CONFIG_FUNCTION_ALIGNMENT)
#elif defined(CONFIG_X86)
#define SCOUNTER_FUNCTION_SHIFT	4
#else
#define SCOUNTER_FUNCTION_SHIFT	3
#endif

/* Whether what is called through a pointer must have just that prototype; renamed in 6.18. */
#define SCOUNTER_COMPARES_PROTOTYPES	(IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_CFI))

/* A library function of the kernel's that few configurations are without. */
#ifdef CONFIG_GLOB
#include <linux/glob.h>
#define SCOUNTER_HAS_PATTERNS		1
#define scounter_glob_match(pattern, text)	glob_match(pattern, text)
#else
#define SCOUNTER_HAS_PATTERNS		0
#define scounter_glob_match(pattern, text)	((void)(pattern), (void)(text), true)
#endif

/*
 * Whether, and how, to wait until every task has slept or left the kernel.
 * Where no task can be preempted in the kernel, that is RCU's grace period; a
 * preemptible kernel without Tasks RCU cannot tell.
 */
#if defined(CONFIG_TASKS_RCU)
#define SCOUNTER_CAN_WAIT_FOR_TASKS	1
#define scounter_call_rcu_tasks(rcu, function)	call_rcu_tasks(rcu, function)
#define scounter_barrier_rcu_tasks()		rcu_barrier_tasks()
#else
#define SCOUNTER_CAN_WAIT_FOR_TASKS	(!IS_ENABLED(CONFIG_PREEMPTION))
#define scounter_call_rcu_tasks(rcu, function)	call_rcu(rcu, function)
#define scounter_barrier_rcu_tasks()		rcu_barrier()
#endif

/* Only code that is built in, as scounter is then, has counters in the kernel's own memory. */
#ifdef CONFIG_SCOUNTER
#include <asm/sections.h>
#define scounter_within_kernel(counter)	memory_contains(_sdata, _end, (void *)(counter), 1)
#else
#define scounter_within_kernel(counter)	false
#endif

#endif /* _SCOUNTER_COMPAT_H */
