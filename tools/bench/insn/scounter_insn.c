// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions a call costs, for QEMU with -icount shift=0 only: the
 * time stamp counter of that machine counts executed instructions.
 *
 * Each operation is a function of its own with nothing else in it, and a loop
 * calls that function through a pointer.  In the loop itself the compiler would
 * move parts of the operation out of the loop, or, kept from that by
 * OPTIMIZER_HIDE_VAR(), add two moves of its own; as a function the code is what
 * a single call in the middle of other code becomes, with the address of the
 * counter in a register.  "objdump -d" shows it, as site_<operation>.
 *
 * The cost of n calls is that of a run of n + 1 less that of a run of 1: what
 * comes before and after the loop falls out.  From it is taken what n calls of
 * a function without an operation cost: what is left are the instructions of
 * the operation.  Interrupts are off during a run.
 *
 * The counter is set anew before each run, and afterwards it is checked to have
 * counted what was meant to be measured:
 *
 * - The common path of a word at exponent e is a call whose trial fails.  The
 *   countdown of the CPU is set so high that no trial of the run succeeds.
 * - The average is over calls whose trials take the countdown as it comes.
 *
 * Loading measures; <debugfs>/scounter_insn has the figures, a line an
 * operation, with fields separated by tabs.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/percpu_counter.h>
#include <linux/prandom.h>
#include <linux/seq_file.h>
#include <linux/timex.h>

#include <linux/scounter.h>

#define CALLS		100000U	/* at least so many are measured */
#define CHUNK_EXACT	5000U	/* less than fills an exact bfp_dup mantissa */
#define SUCCESSES	256U	/* in a run of an average; the same for halving */
#define ADDED		1500U

#define BUDGET_DECIMATING	8
#define BUDGET_STILL_EXACT	10
#define BUDGET_ATOMIC		10
#define BUDGET_LINE		8

static const u32 exponents[] = { 1, 2, 4, 8, 15 };

static const struct scounter_class dup_class =
	SCOUNTER_CLASS(SCOUNTER_BFP_DUP, SCOUNTER_ERROR_PPM_DEFAULT);
static const struct scounter_class csup_class =
	SCOUNTER_CLASS(SCOUNTER_BFP_CSUP, SCOUNTER_ERROR_PPM_DEFAULT);

static DEFINE_PER_CPU(u64, percpu_word);

typedef void (*site_fn)(void *target);

/*
 * The nops keep the compiler from ending a function in several places, or in
 * the operation's call, which it cannot do in the middle of other code.  So
 * the function's size less that of site_empty() is the size of what one call
 * inlines.
 */
static __always_inline void site_end(void)
{
	asm volatile("nop\n\tnop\n\tnop\n\tnop\n\t"
		     "nop\n\tnop\n\tnop\n\tnop" : : : "memory");
}

#define SITE(name, type, operation)					\
static noinline void site_##name(void *target)				\
{									\
	type *it __maybe_unused = target;				\
									\
	operation;							\
	site_end();							\
}

SITE(empty, void, (void)it)
SITE(this_cpu_inc, void, this_cpu_inc(percpu_word))
SITE(atomic64_inc, atomic64_t, atomic64_inc(it))
SITE(percpu_counter_inc, struct percpu_counter, percpu_counter_inc(it))
SITE(prandom, struct rnd_state, prandom_u32_state(it))
SITE(inc, struct scounter, scounter_inc(it))
SITE(inc_atomic, struct scounter, scounter_inc_kind(it, SCOUNTER_ATOMIC))
SITE(inc_percpu, struct scounter, scounter_inc_kind(it, SCOUNTER_PERCPU))
SITE(inc_multiline, struct scounter, scounter_inc_kind(it, SCOUNTER_MULTILINE))
/* The code for bfp_dup is the same. */
SITE(inc_bfp, struct scounter, scounter_inc_kind(it, SCOUNTER_BFP_CSUP))
SITE(inc_embedded_dup, struct scounter_word32, scounter_word32_inc(it, &dup_class))
SITE(inc_embedded_csup, struct scounter_word32, scounter_word32_inc(it, &csup_class))
SITE(add, struct scounter, scounter_add(it, ADDED))
SITE(read, struct scounter, scounter_read(it))

/* Something to count with. */
struct subject {
	const char *name;
	enum scounter_kind kind;
	bool embedded;
	site_fn inc_known;
	u32 budget;			/* of an increment while exact; 0: none */
	void *target;
};

static struct scounter_word32 embedded_dup = SCOUNTER_WORD_INIT;
static struct scounter_word32 embedded_csup = SCOUNTER_WORD_INIT;

static struct subject subjects[] = {
	{ "atomic", SCOUNTER_ATOMIC, false, site_inc_atomic, BUDGET_ATOMIC },
	{ "percpu", SCOUNTER_PERCPU, false, site_inc_percpu, 0 },
	{ "multiline", SCOUNTER_MULTILINE, false, site_inc_multiline, BUDGET_LINE },
	{ "bfp_dup", SCOUNTER_BFP_DUP, false, site_inc_bfp,
	  BUDGET_STILL_EXACT },
	{ "bfp_csup", SCOUNTER_BFP_CSUP, false, site_inc_bfp,
	  BUDGET_STILL_EXACT },
	{ "embedded bfp_dup", SCOUNTER_BFP_DUP, true, site_inc_embedded_dup,
	  BUDGET_STILL_EXACT, &embedded_dup },
	{ "embedded bfp_csup", SCOUNTER_BFP_CSUP, true, site_inc_embedded_csup,
	  BUDGET_STILL_EXACT, &embedded_csup },
};

static const struct scounter_class *class_of(const struct subject *subject)
{
	return subject->kind == SCOUNTER_BFP_DUP ? &dup_class : &csup_class;
}

static u64 subject_read(const struct subject *subject)
{
	return subject->embedded ? scounter_word32_read(subject->target, class_of(subject)) :
				   scounter_read(subject->target);
}

static u32 subject_word(const struct subject *subject)
{
	struct scounter_word32 *word = subject->target;

	if (!subject->embedded)
		word = &((struct scounter *)subject->target)->word32;
	return atomic_read(&word->word);
}

/*
 * Zero, or three quarters of a full mantissa at the exponent: an addition to
 * zero takes the smallest exponent that its result fits into.
 */
static void subject_set(const struct subject *subject, u32 exponent)
{
	u64 full = subject->kind == SCOUNTER_BFP_DUP ?
		   dup_class.theta : SCOUNTER_BFP_MANTISSA_MAX + 1ULL;
	u64 n = exponent ? full * 3 / 4 << exponent : 0;

	if (subject->embedded) {
		scounter_word32_fetch_reset(subject->target, class_of(subject));
		scounter_word32_add(subject->target, class_of(subject), n);
	} else {
		scounter_fetch_reset(subject->target);
		scounter_add((struct scounter *)subject->target, n);
	}
}

enum insn_path { COMMON, AVERAGE };

/* What calls are made on, and what a run of them should do. */
struct setup {
	void *target;
	const struct subject *subject;	/* NULL: nothing to set or check */
	u32 exponent;
	enum insn_path path;
	u32 step;			/* what a call counts */
	u32 chunk;			/* calls in a run */
};

/* The cycles of one run: instructions. */
static noinline u64 timed(site_fn site, void *target, u32 calls)
{
	cycles_t start = get_cycles();

	do {
		site(target);
	} while (--calls);
	return get_cycles() - start;
}

static u64 run(site_fn site, const struct setup *setup, u32 calls)
{
	bool endless = setup->exponent && setup->path == COMMON;
	unsigned long flags;
	s32 left = 0;
	u64 cycles;

	local_irq_save(flags);
	if (endless) {
		left = raw_cpu_read(scounter_gaps.left[setup->exponent]);
		raw_cpu_write(scounter_gaps.left[setup->exponent], S32_MAX);
	}
	cycles = timed(site, setup->target, calls);
	if (endless)
		raw_cpu_write(scounter_gaps.left[setup->exponent], left);
	local_irq_restore(flags);
	return cycles;
}

/* Did the counter count what the calls should have? */
static bool counted(const struct setup *setup, u64 before, u64 calls)
{
	u64 more = subject_read(setup->subject) - before;

	if (setup->exponent &&
	    subject_word(setup->subject) >> SCOUNTER_BFP_MANTISSA_BITS !=
	    setup->exponent)
		return false;
	if (!setup->exponent)
		return more == calls * setup->step;
	if (setup->path == COMMON)
		return !more;
	return !setup->step == !more;
}

/* Instructions for so many calls, or -EINVAL when something else was measured. */
static s64 measure(site_fn site, const struct setup *setup, u32 chunks)
{
	s64 cycles = 0;
	u64 before = 0;

	while (chunks--) {
		if (setup->subject) {
			subject_set(setup->subject, setup->exponent);
			before = subject_read(setup->subject);
		}
		cycles += run(site, setup, setup->chunk + 1);
		cycles -= run(site, setup, 1);
		if (setup->subject && !counted(setup, before, setup->chunk + 2))
			return -EINVAL;
	}
	return cycles;
}

#define NOT_MEASURED	(-1)

/* In hundredths of an instruction. */
struct row {
	char operation[40];
	s32 known[2];			/* by enum insn_path */
	s32 run_time[2];
	u32 budget;
};

/* The baselines; of each subject the increments, two additions, two reads. */
#define BASELINES	4

static struct row rows[BASELINES +
		       ARRAY_SIZE(subjects) * (1 + ARRAY_SIZE(exponents) + 4)];
static u32 nr_rows;
static s32 empty_call;

/* Net instructions a call, in hundredths. */
static int net(site_fn site, const struct setup *setup, s32 *hundredths)
{
	const struct setup nothing = { .chunk = setup->chunk };
	u32 chunks = DIV_ROUND_UP(CALLS, setup->chunk);
	u32 calls = chunks * setup->chunk;
	s64 gross, empty;

	gross = measure(site, setup, chunks);
	if (gross < 0)
		return gross;
	empty = measure(site_empty, &nothing, chunks);
	*hundredths = div64_s64((gross - empty) * 100 + calls / 2, calls);
	empty_call = div64_s64(empty * 100 + calls / 2, calls);
	return 0;
}

static __printf(2, 3) struct row *row_new(u32 budget, const char *format, ...)
{
	struct row *row = &rows[nr_rows++];
	va_list args;

	va_start(args, format);
	vsnprintf(row->operation, sizeof(row->operation), format, args);
	va_end(args);
	row->budget = budget;
	row->known[COMMON] = row->known[AVERAGE] = NOT_MEASURED;
	row->run_time[COMMON] = row->run_time[AVERAGE] = NOT_MEASURED;
	return row;
}

static int measure_plain(const char *name, site_fn site, void *target,
			 enum insn_path path)
{
	struct setup setup = { .target = target, .chunk = CHUNK_EXACT };

	return net(site, &setup, &row_new(0, "%s", name)->known[path]);
}

static int measure_baselines(void)
{
	struct percpu_counter percpu_counter;
	struct rnd_state rnd;
	atomic64_t word = ATOMIC64_INIT(0);
	int err;

	prandom_seed_state(&rnd, 1);
	err = percpu_counter_init(&percpu_counter, 0, GFP_KERNEL);
	if (err)
		return err;
	err = measure_plain("this_cpu_inc", site_this_cpu_inc, NULL, COMMON);
	if (!err)
		err = measure_plain("atomic64_inc", site_atomic64_inc, &word, COMMON);
	if (!err)
		err = measure_plain("percpu_counter_inc", site_percpu_counter_inc,
				    &percpu_counter, AVERAGE);
	if (!err)
		err = measure_plain("prandom_u32_state", site_prandom, &rnd, COMMON);
	percpu_counter_destroy(&percpu_counter);
	return err;
}

static u32 inc_chunk(u32 exponent, enum insn_path path)
{
	if (exponent && path == AVERAGE)
		return SUCCESSES << exponent;
	return CHUNK_EXACT;
}

static int measure_inc(const struct subject *subject, u32 exponent)
{
	struct setup setup = {
		.target = subject->target,
		.subject = subject,
		.exponent = exponent,
		.step = 1,
	};
	u32 budget = exponent ? BUDGET_DECIMATING : subject->budget;
	enum insn_path paths = exponent ? AVERAGE : COMMON;
	struct row *row;
	int err;

	if (exponent)
		row = row_new(budget, "inc %s at 2^-%u", subject->name, exponent);
	else if (__SCOUNTER_IS_BFP(subject->kind))
		row = row_new(budget, "inc %s still exact", subject->name);
	else
		row = row_new(budget, "inc %s", subject->name);
	for (setup.path = COMMON; setup.path <= paths; setup.path++) {
		setup.chunk = inc_chunk(exponent, setup.path);
		err = net(subject->inc_known, &setup, &row->known[setup.path]);
		if (!err && !subject->embedded)
			err = net(site_inc, &setup, &row->run_time[setup.path]);
		if (err)
			return err;
	}
	return 0;
}

static int measure_incs(const struct subject *subject)
{
	int err = measure_inc(subject, 0);
	u32 i;

	if (!__SCOUNTER_IS_BFP(subject->kind))
		return err;
	for (i = 0; !err && i < ARRAY_SIZE(exponents); i++)
		err = measure_inc(subject, exponents[i]);
	return err;
}

/* A call out of line, for counters of any kind. */
static int measure_call(const char *name, site_fn site, u32 step,
			const struct subject *subject, u32 exponent)
{
	struct setup setup = {
		.target = subject->target,
		.subject = subject,
		.exponent = exponent,
		.path = AVERAGE,
		.step = step,
		.chunk = CHUNK_EXACT,
	};
	struct row *row;

	if (exponent)
		row = row_new(0, "%s %s at 2^-%u", name, subject->name, exponent);
	else if (__SCOUNTER_IS_BFP(subject->kind))
		row = row_new(0, "%s %s still exact", name, subject->name);
	else
		row = row_new(0, "%s %s", name, subject->name);
	return net(site, &setup, &row->run_time[AVERAGE]);
}

static int measure_calls(const struct subject *subject)
{
	int err;

	/* An exact mantissa of bfp_dup is too small for these additions. */
	if (subject->embedded || subject->kind == SCOUNTER_BFP_DUP)
		return 0;
	err = measure_call("add 1500", site_add, ADDED, subject, 0);
	if (!err)
		err = measure_call("read", site_read, 0, subject, 0);
	if (err || !__SCOUNTER_IS_BFP(subject->kind))
		return err;
	err = measure_call("add 1500", site_add, ADDED, subject, 8);
	if (!err)
		err = measure_call("read", site_read, 0, subject, 8);
	return err;
}

static int measure_all(void)
{
	int err = measure_baselines();
	u32 i;

	for (i = 0; !err && i < ARRAY_SIZE(subjects); i++)
		err = measure_incs(&subjects[i]);
	for (i = 0; !err && i < ARRAY_SIZE(subjects); i++)
		err = measure_calls(&subjects[i]);
	if (err)
		pr_err("scounter_insn: \"%s\" was not measured: error %d\n",
		       rows[nr_rows - 1].operation, err);
	return err;
}

static void show_figure(struct seq_file *seq, s32 hundredths)
{
	if (hundredths == NOT_MEASURED)
		seq_puts(seq, "\t-");
	else
		seq_printf(seq, "\t%d.%02d", hundredths / 100, hundredths % 100);
}

static int figures_show(struct seq_file *seq, void *unused)
{
	u32 i;

	seq_printf(seq, "#\tcalls\t%u\n", CALLS);
	seq_puts(seq, "#\tempty call");
	show_figure(seq, empty_call);
	seq_printf(seq, "\n#\trows\t%u\n", nr_rows);
	for (i = 0; i < nr_rows; i++) {
		seq_puts(seq, rows[i].operation);
		show_figure(seq, rows[i].known[COMMON]);
		show_figure(seq, rows[i].known[AVERAGE]);
		show_figure(seq, rows[i].run_time[COMMON]);
		show_figure(seq, rows[i].run_time[AVERAGE]);
		seq_printf(seq, "\t%u\n", rows[i].budget);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(figures);

static void counters_destroy(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		if (!subjects[i].embedded && subjects[i].target)
			scounter_destroy(subjects[i].target);
}

static int counters_create(void)
{
	struct scounter *counter;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		if (subjects[i].embedded)
			continue;
		counter = scounter_create(subjects[i].name, NULL,
					  subjects[i].kind, 0, GFP_KERNEL);
		if (IS_ERR(counter)) {
			counters_destroy();
			return PTR_ERR(counter);
		}
		subjects[i].target = counter;
	}
	return 0;
}

static struct dentry *file;

static int __init insn_init(void)
{
	int err = counters_create();

	if (err)
		return err;
	err = measure_all();
	counters_destroy();
	if (!err)
		file = debugfs_create_file("scounter_insn", 0400, NULL, NULL,
					   &figures_fops);
	return err;
}

static void __exit insn_exit(void)
{
	debugfs_remove(file);
}

module_init(insn_init);
module_exit(insn_exit);

MODULE_AUTHOR("The scounter authors");
MODULE_DESCRIPTION("Instructions a call of scounter, counted under QEMU -icount");
MODULE_LICENSE("GPL");
