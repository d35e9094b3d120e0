/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls a function in task, softirq, hardirq and (on x86) NMI context on all CPUs
 * at once, until it is told to stop.  For a module's one C file to include.
 *
 *	err = contexts_start(count);	count(TASK), count(NMI), ... from now on
 *	contexts_stop();		none runs any more
 *
 * The threads are not bound: when a CPU is unplugged they go on elsewhere.
 */
#ifndef _SCOUNTER_TESTING_CONTEXTS_H
#define _SCOUNTER_TESTING_CONTEXTS_H

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "context.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

/*
 * Calls in task context to one in the others.  In a virtual machine an NMI takes as
 * long as the other CPU is not scheduled: who has a short function wants fewer.
 */
#define TASKS_AN_INTERRUPT	16
#ifndef TASKS_AN_NMI
#define TASKS_AN_NMI		256
#endif

static void (*contexts_function)(enum context context);
static struct task_struct **contexts_threads;
static DEFINE_PER_CPU(call_single_data_t, contexts_hard);
static DEFINE_PER_CPU(struct tasklet_struct, contexts_soft);

static void contexts_in_softirq(struct tasklet_struct *tasklet)
{
	contexts_function(SOFTIRQ);
}

static void contexts_softirq_raise(void)
{
	tasklet_schedule(this_cpu_ptr(&contexts_soft));
}

/*
 * The softirq follows when this returns, before what was interrupted goes on.  But not on
 * PREEMPT_RT, where a call to an idle CPU must raise none: threads do there.
 */
static void contexts_in_hardirq(void *unused)
{
	contexts_function(HARDIRQ);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		contexts_softirq_raise();
}

/* The next CPU is mostly in the middle of the function. */
static int contexts_next_cpu(void)
{
	int cpu = cpumask_next(smp_processor_id(), cpu_online_mask);

	return cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
}

/* Fails if the CPU has not yet taken the last one, which is as good. */
static void contexts_hardirq_raise(void)
{
	int cpu = contexts_next_cpu();

	smp_call_function_single_async(cpu, per_cpu_ptr(&contexts_hard, cpu));
}

static void contexts_flushed(void *unused)
{
}

#ifdef CONFIG_X86_LOCAL_APIC
static DEFINE_PER_CPU(bool, contexts_nmi_wanted);

static int contexts_in_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!this_cpu_read(contexts_nmi_wanted))
		return NMI_DONE;
	this_cpu_write(contexts_nmi_wanted, false);
	contexts_function(NMI);
	return NMI_HANDLED;
}

static int contexts_nmi_start(void)
{
	return register_nmi_handler(NMI_LOCAL, contexts_in_nmi, 0, KBUILD_MODNAME);
}

static void contexts_nmi_stop(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

/* One at a time for a CPU: the kernel complains of an NMI that nobody wants. */
static void contexts_nmi_raise(void)
{
	int cpu = contexts_next_cpu();

	if (cmpxchg(per_cpu_ptr(&contexts_nmi_wanted, cpu), false, true))
		return;
	apic->send_IPI(cpu, NMI_VECTOR);
	while (READ_ONCE(per_cpu(contexts_nmi_wanted, cpu)))
		cpu_relax();
}
#else
static int contexts_nmi_start(void)
{
	return 0;
}

static void contexts_nmi_stop(void)
{
}

static void contexts_nmi_raise(void)
{
}
#endif

static int contexts_thread(void *unused)
{
	u32 i = 0;

	while (!kthread_should_stop()) {
		contexts_function(TASK);
		if (++i % TASKS_AN_INTERRUPT)
			continue;
		/* No CPU goes off line while preemption is off. */
		preempt_disable();
		contexts_hardirq_raise();
		if (IS_ENABLED(CONFIG_PREEMPT_RT))
			contexts_softirq_raise();
		if (i % TASKS_AN_NMI == 0)
			contexts_nmi_raise();
		preempt_enable();
		/* Else no grace period of Tasks RCU ends, and what was deflated stays. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* Does nothing the second time. */
static void contexts_stop(void)
{
	int cpu;

	if (!contexts_threads)
		return;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (!IS_ERR_OR_NULL(contexts_threads[cpu]))
			kthread_stop(contexts_threads[cpu]);
	/* Calls of a CPU are done in their order: when this one is, all are. */
	on_each_cpu(contexts_flushed, NULL, 1);
	for_each_possible_cpu(cpu)
		tasklet_kill(per_cpu_ptr(&contexts_soft, cpu));
	contexts_nmi_stop();
	kfree(contexts_threads);
	contexts_threads = NULL;
}

static int contexts_start(void (*function)(enum context context))
{
	int cpu, err;

	contexts_function = function;
	for_each_possible_cpu(cpu) {
		per_cpu(contexts_hard, cpu).func = contexts_in_hardirq;
		tasklet_setup(per_cpu_ptr(&contexts_soft, cpu), contexts_in_softirq);
	}
	contexts_threads = kcalloc(nr_cpu_ids, sizeof(*contexts_threads), GFP_KERNEL);
	if (!contexts_threads)
		return -ENOMEM;
	err = contexts_nmi_start();
	if (err) {
		kfree(contexts_threads);
		contexts_threads = NULL;
		return err;
	}
	for_each_online_cpu(cpu) {
		contexts_threads[cpu] = kthread_run(contexts_thread, NULL,
						    KBUILD_MODNAME "/%d", cpu);
		if (!IS_ERR(contexts_threads[cpu]))
			continue;
		err = PTR_ERR(contexts_threads[cpu]);
		contexts_stop();
		return err;
	}
	return 0;
}

#endif /* _SCOUNTER_TESTING_CONTEXTS_H */
