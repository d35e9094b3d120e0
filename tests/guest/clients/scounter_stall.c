// SPDX-License-Identifier: GPL-2.0
/*
 * Is a kind non-blocking?  CPUs 1 and 2 count in one counter, each second event
 * as after a failed compare-and-swap, where a lock would be taken.  CPU 0 stops
 * CPU 1 again and again anywhere in an increment, by an NMI whose handler spins,
 * and waits for CPU 2 to count another PROGRESS events.  Only a lock that CPU 1
 * holds, or a wait for it, can keep CPU 2 from that.
 *
 * Loading succeeds if CPU 2 always did so, and fails with ETIMEDOUT once it did
 * not for TIMEOUT; with ENODEV where there are no NMIs to send, or no three CPUs.
 * In the end the counter must hold what was counted: otherwise ERANGE.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pgtable.h>
#include <linux/scounter.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#define PROGRESS	100
#define TIMEOUT		(3ULL * NSEC_PER_SEC)

static char *kind = "exact";
module_param(kind, charp, 0400);
static uint stalls = 60;
module_param(stalls, uint, 0400);

static struct scounter *counter;
static bool has_slow_path;
static u64 counted[3];		/* by CPU */
static bool counting[3];	/* in the middle of an increment */

#ifdef CONFIG_X86_LOCAL_APIC
#define STALLED_CPU	1

static bool stall, stalled, missed;

/*
 * In a module's code, but not in an interrupt: stopped in the middle of setting the
 * clock, or of switching to another task, CPU 1 would stop all others at their next
 * tick.  An NMI itself counts as one of hardirq.
 */
static bool in_an_increment(const struct pt_regs *regs)
{
	return READ_ONCE(counting[STALLED_CPU]) && regs->ip >= MODULES_VADDR &&
		regs->ip < MODULES_END && hardirq_count() == HARDIRQ_OFFSET &&
		!in_serving_softirq();
}

static int spin_in_nmi(unsigned int type, struct pt_regs *regs)
{
	if (smp_processor_id() != STALLED_CPU || !READ_ONCE(stall))
		return NMI_DONE;
	if (!in_an_increment(regs)) {
		WRITE_ONCE(stall, false);
		WRITE_ONCE(missed, true);
		return NMI_HANDLED;
	}
	WRITE_ONCE(stalled, true);
	while (READ_ONCE(stall))
		cpu_relax();
	WRITE_ONCE(stalled, false);
	return NMI_HANDLED;
}

static int stall_prepare(void)
{
	return register_nmi_handler(NMI_LOCAL, spin_in_nmi, 0, "scounter_stall");
}

static void stall_finish(void)
{
	unregister_nmi_handler(NMI_LOCAL, "scounter_stall");
}

static void stall_begin(void)
{
	do {
		WRITE_ONCE(missed, false);
		WRITE_ONCE(stall, true);
		apic->send_IPI(STALLED_CPU, NMI_VECTOR);
		while (!READ_ONCE(stalled) && !READ_ONCE(missed))
			cpu_relax();
		if (!READ_ONCE(missed))
			return;
		usleep_range(20, 100);
	} while (true);
}

static void stall_end(void)
{
	WRITE_ONCE(stall, false);
	while (READ_ONCE(stalled))
		cpu_relax();
}
#else
static int stall_prepare(void) { return -ENODEV; }
static void stall_finish(void) { }
static void stall_begin(void) { }
static void stall_end(void) { }
#endif

static int count(void *data)
{
	u64 *mine = data;
	bool *now = &counting[mine - counted];

	while (!kthread_should_stop()) {
		WRITE_ONCE(*now, true);
		if (*mine % 2 && has_slow_path)
			__scounter_finish(counter, SCOUNTER_CONTENDED);
		else
			scounter_inc(counter);
		WRITE_ONCE(*now, false);
		WRITE_ONCE(*mine, *mine + 1);
		if (*mine % 1024 == 0)
			cond_resched();
	}
	return 0;
}

/*
 * Does CPU 2 go on while CPU 1 stands still?  Not by jiffies: CPU 1 may be the one
 * that keeps them.  Who is not in an increment waits for something else that CPU 1
 * should do, as for an answer to an IPI, and tells nothing.
 */
static bool goes_on(void)
{
	u64 before = READ_ONCE(counted[2]);
	u64 end = ktime_get_mono_fast_ns() + TIMEOUT;

	while (READ_ONCE(counted[2]) < before + PROGRESS)
		if (ktime_get_mono_fast_ns() > end)
			return !READ_ONCE(counting[2]);
	return true;
}

/* On CPU 0: on CPU 1 the one who is to end the stall would be stopped with it. */
static long stall_and_watch(void *unused)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < stalls; i++) {
		stall_begin();
		if (!goes_on())
			err = -ETIMEDOUT;
		stall_end();
		/* At no fixed distance, so that CPU 1 is met anywhere. */
		usleep_range(50, 500);
	}
	return err;
}

static int with_threads(void)
{
	struct task_struct *threads[3] = {};
	int cpu, err = 0;

	for (cpu = 1; !err && cpu <= 2; cpu++) {
		threads[cpu] = kthread_create(count, &counted[cpu], "stall/%d", cpu);
		err = PTR_ERR_OR_ZERO(threads[cpu]);
		if (!err) {
			kthread_bind(threads[cpu], cpu);
			wake_up_process(threads[cpu]);
		}
	}
	/* Both count before the first stall: one that never ran cannot be met. */
	while (!err && !(READ_ONCE(counted[1]) && READ_ONCE(counted[2])))
		msleep(20);
	if (!err)
		err = work_on_cpu(0, stall_and_watch, NULL);
	for (cpu = 1; cpu <= 2; cpu++)
		if (!IS_ERR_OR_NULL(threads[cpu]))
			kthread_stop(threads[cpu]);
	return err;
}

/* To 10 % for approximate kinds: that they count is tested elsewhere. */
static int check_value(void)
{
	struct scounter_estimate estimate;
	u64 events = counted[1] + counted[2];
	u64 off;

	scounter_read_est(counter, &estimate);
	off = estimate.value > events ? estimate.value - events :
					events - estimate.value;
	pr_info("scounter_stall: %s: %u stalls, %llu events, value %llu\n", kind,
		stalls, events, estimate.value);
	if (estimate.flags & SCOUNTER_F_LOSSY)
		return 0;
	return off > (estimate.error_ppm ? div_u64(events, 10) : 0) ? -ERANGE : 0;
}

static int __init stall_init(void)
{
	int number = scounter_kind_by_name(kind);
	int err;

	if (number < 0)
		return number;
	if (!cpu_online(1) || !cpu_online(2))
		return -ENODEV;
	err = stall_prepare();
	if (err)
		return err;
	counter = scounter_create(kind, NULL, number, 0, GFP_KERNEL);
	err = PTR_ERR_OR_ZERO(counter);
	if (!err) {
		has_slow_path = counter->is_bfp ||
			(counter->is_other && number != SCOUNTER_PERCPU);
		err = with_threads();
		if (!err)
			err = check_value();
		scounter_destroy(counter);
	}
	stall_finish();
	return err;
}

static void __exit stall_exit(void)
{
}

module_init(stall_init);
module_exit(stall_exit);

MODULE_DESCRIPTION("scounter test: can a stalled CPU stop another?");
MODULE_LICENSE("GPL");
