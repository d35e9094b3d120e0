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
#include <linux/scounter_pair.h>
#include <linux/scounter_set.h>

#define CALLS		100000U	/* at least so many are measured */
#define CHUNK_EXACT	5000U	/* less than fills an exact bfp_dup mantissa */
#define SUCCESSES	256U	/* in a run of an average; the same for halving */
#define ADDED		1500U
#define CHUNK_ADDED	16U	/* such additions leave any state as it is */

#define BUDGET_BFP_SAMPLING	8
#define BUDGET_SAMPLING	10
#define BUDGET_BFP_EXACT	10
#define BUDGET_ATOMIC		10
#define BUDGET_LINE		8
#define BUDGET_PLAIN		12
#define BUDGET_NONE		0

static const u32 exponents[] = { 1, 2, 4, 8, 15, 30 };

#define CLASS_OF(name, kind)						\
	static const struct scounter_class name =			\
		SCOUNTER_CLASS(kind, 0)

#define BARE_ROW(...)	__VA_ARGS__
#define NAMED_ROW(...)
#define WORD_CLASS(symbol, number, name, word, use, ...)			\
	use##_ROW(CLASS_OF(name##_class, SCOUNTER_##symbol);)
SCOUNTER_KIND_TABLE(WORD_CLASS)

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
SITE(add, struct scounter, scounter_add(it, ADDED))
SITE(read, struct scounter, scounter_read(it))

#define SITE_OF(symbol, number, name, ...)				\
	SITE(inc_##name, struct scounter, scounter_inc_kind(it, SCOUNTER_##symbol))
SCOUNTER_KIND_TABLE(SITE_OF)

#define WORD32_SITE(name)							\
	SITE(word_##name, struct scounter_word32, scounter_word32_inc(it, &name##_class))
#define WORD64_SITE(name)							\
	SITE(word_##name, struct scounter_word64, scounter_word64_inc(it, &name##_class))
#define WORD_SITE(symbol, number, name, word, use, ...)			\
	use##_ROW(word##_SITE(name))
SCOUNTER_KIND_TABLE(WORD_SITE)

enum { SET_EXACT, SET_APPROX, SET_ROWS };

static const struct scounter_set_row set_rows[SET_ROWS] = {
	[SET_EXACT] = SCOUNTER_SET_ROW("exact", SCOUNTER_EXACT, 0, NULL, NULL),
	[SET_APPROX] = SCOUNTER_SET_ROW("approx", SCOUNTER_APPROX, 0, NULL, NULL),
};

static const struct scounter_set_desc set_desc = {
	.rows = set_rows, .count = SET_ROWS,
};

SITE(set_of_exact, struct scounter_set, scounter_set_inc_of(it, &set_desc, SET_EXACT))
SITE(set_of_approx, struct scounter_set, scounter_set_inc_of(it, &set_desc, SET_APPROX))
SITE(set_exact, struct scounter_set, scounter_set_inc(it, SET_EXACT))
SITE(set_approx, struct scounter_set, scounter_set_inc(it, SET_APPROX))
SITE(pair_add, struct scounter_pair, scounter_pair_add(it, ADDED))

/*
 * Something to count with: a counter with a name, or a bare word and its class.
 * The budgets are for increments in plain states and for sampling ones; who
 * does not know the kind when compiling has none for those that are then out of
 * line.
 */
struct subject {
	const char *name;
	u32 kind;
	site_fn inc_known;
	u32 plain, sampling;
	bool out_of_line;
	const struct scounter_class *class;	/* of a bare word, else NULL */
	u64 word;				/* that bare word */
	struct scounter *counter;
};

/* What the budgets depend on: the family, and how the kind is inlined. */
#define PLAIN_BUDGET(kind)						\
	((kind) == SCOUNTER_ATOMIC ? BUDGET_ATOMIC :			\
	 (kind) == SCOUNTER_MULTILINE ? BUDGET_LINE :			\
	 __SCOUNTER_IS_BFP(kind) ? BUDGET_BFP_EXACT : BUDGET_PLAIN)

#define SAMPLING_BUDGET(kind)						\
	(__SCOUNTER_IS_BFP(kind) ? BUDGET_BFP_SAMPLING :		\
	 __SCOUNTER_IS_MORRIS(kind) || __SCOUNTER_IS_SCALABLE(kind) ?	\
		BUDGET_SAMPLING : BUDGET_NONE)

#define NAMED_SUBJECT(symbol, number, name, ...)			\
	{ #name, number, site_inc_##name,				\
	  PLAIN_BUDGET(number), SAMPLING_BUDGET(number),		\
	  __SCOUNTER_IS_OTHER(number) && number != SCOUNTER_MULTILINE_ADAPT },

#define BARE_ENTRY(...)		__VA_ARGS__,
#define NAMED_ENTRY(...)
#define WORD_SUBJECT(symbol, number, name, word, use, ...)		\
	use##_ENTRY({ "word " #name, 0, site_word_##name,			\
		    PLAIN_BUDGET(number), SAMPLING_BUDGET(number),	\
		    .class = &name##_class })

static struct subject subjects[] = {
	SCOUNTER_KIND_TABLE(NAMED_SUBJECT)
	SCOUNTER_KIND_TABLE(WORD_SUBJECT)
};

/* A counter with stripes, for the words of the inflated state to point at. */
static struct scounter *stripes;

static const struct scounter_class *class_of(const struct subject *subject)
{
	return subject->class ?: &subject->counter->class;
}

static bool has_word32(const struct subject *subject)
{
	return !!__SCOUNTER_IS_ONE_OF(class_of(subject)->kind, __SCOUNTER_WORD32_KINDS);
}

static bool is_approximate(const struct subject *subject)
{
	return !!__SCOUNTER_IS_ONE_OF(class_of(subject)->kind, __SCOUNTER_APPROX_KINDS);
}

static void *target_of(struct subject *subject)
{
	return subject->class ? (void *)&subject->word : subject->counter;
}

static struct scounter_word64 *word64_of(struct subject *subject)
{
	if (subject->class)
		return (struct scounter_word64 *)&subject->word;
	return class_of(subject)->kind == SCOUNTER_MULTILINE_ADAPT ?
	       &subject->counter->spread : &subject->counter->word64;
}

static struct scounter_word32 *word32_of(struct subject *subject)
{
	return subject->class ? (struct scounter_word32 *)&subject->word :
	       &subject->counter->word32;
}

static u64 word_get(struct subject *subject)
{
	return has_word32(subject) ? (u32)atomic_read(&word32_of(subject)->word) :
	       atomic64_read(&word64_of(subject)->word);
}

static void word_set(struct subject *subject, u64 word)
{
	if (has_word32(subject))
		atomic_set(&word32_of(subject)->word, word);
	else
		atomic64_set(&word64_of(subject)->word, word);
}

static u64 subject_read(struct subject *subject)
{
	if (!subject->class)
		return scounter_read(subject->counter);
	return has_word32(subject) ?
	       scounter_word32_read(word32_of(subject), subject->class) :
	       scounter_word64_read(word64_of(subject), subject->class);
}

/*
 * The states to measure in.  NUMA and INFLATED are what contention makes of
 * rbo_numa_adapt and multiline_adapt; HALF is that of morris_adapt.
 */
enum insn_state { PLAIN, SAMPLING, NUMA, INFLATED, HALF };

static const char *state_name(const struct subject *subject, enum insn_state state)
{
	if (state == NUMA)
		return " with a node";
	if (state == INFLATED)
		return " inflated";
	if (state == HALF)
		return " contended";
	return is_approximate(subject) ? " still exact" : "";
}

/* A word that samples at this exponent, and is far from the next. */
static u64 sampling_word(const struct subject *subject, u32 exponent)
{
	const struct scounter_class *class = class_of(subject);
	u64 full = class->kind == SCOUNTER_BFP_DUP ? class->theta :
		   SCOUNTER_BFP_MANTISSA_MAX + 1ULL;
	u64 value;

	if (__SCOUNTER_IS_BFP(class->kind))
		return (u64)exponent << SCOUNTER_BFP_MANTISSA_BITS | full * 3 / 4;
	value = 3ULL << (exponent + class->threshold_log2 - 2);
	if (class->kind == SCOUNTER_MORRIS_ADAPT)
		return value << 32;
	return class->kind == SCOUNTER_MORRIS ? value - class->morris_a : value;
}

static u32 exponent_of(struct subject *subject)
{
	const struct scounter_class *class = class_of(subject);
	u64 word = word_get(subject);

	if (__SCOUNTER_IS_BFP(class->kind))
		return word >> SCOUNTER_BFP_MANTISSA_BITS;
	if (class->kind == SCOUNTER_MORRIS_ADAPT)
		word >>= 32;
	else if (class->kind == SCOUNTER_MORRIS)
		word += class->morris_a;
	return fls64(word) - class->threshold_log2;
}

/* Does a word of the subject ever have this exponent? */
static bool has_exponent(const struct subject *subject, u32 exponent)
{
	const struct scounter_class *class = class_of(subject);

	if (__SCOUNTER_IS_BFP(class->kind))
		return exponent <= SCOUNTER_BFP_EXPONENT_MAX;
	if (class->kind == SCOUNTER_MORRIS_ADAPT || class->kind == SCOUNTER_SCALABLE32)
		return exponent + class->threshold_log2 < 31;
	return true;
}

/* A chunk of additions of 1 stays in its state. */
static void subject_set(struct subject *subject, enum insn_state state, u32 exponent)
{
	switch (state) {
	case PLAIN:
		if (is_approximate(subject) || subject->class)
			word_set(subject, 0);
		break;
	case SAMPLING:
		word_set(subject, sampling_word(subject, exponent));
		break;
	case NUMA:
		word_set(subject, raw_cpu_read(scounter_place.numa_tag));
		break;
	case INFLATED:
		word_set(subject, atomic64_read(&stripes->spread.word));
		break;
	case HALF:
		word_set(subject, (1ULL + class_of(subject)->morris_a) << 32);
		break;
	}
}

enum insn_path { COMMON, AVERAGE };

/* What calls are made on, and what a run of them should do. */
struct setup {
	struct subject *subject;	/* NULL: nothing to set or check */
	void *target;
	enum insn_state state;
	u32 exponent;			/* while sampling, else 0 */
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

static u64 setup_read(const struct setup *setup)
{
	/* The stripes are borrowed: ask their owner. */
	return setup->state == INFLATED ? scounter_read(stripes) :
	       subject_read(setup->subject);
}

/* Did the counter count what the calls should have? */
static bool counted(const struct setup *setup, u64 before, u64 calls)
{
	u64 more = setup_read(setup) - before;

	if (setup->exponent && exponent_of(setup->subject) != setup->exponent)
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
			subject_set(setup->subject, setup->state, setup->exponent);
			before = setup_read(setup);
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
	u32 budget_run_time;
};

/* The baselines; of each subject the increments, two additions, two reads. */
#define BASELINES	4
#define GROUPED		3

static struct row rows[BASELINES + GROUPED +
		       ARRAY_SIZE(subjects) * (2 + ARRAY_SIZE(exponents) + 4)];
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

static __printf(1, 2) struct row *row_new(const char *format, ...)
{
	struct row *row = &rows[nr_rows++];
	va_list args;

	va_start(args, format);
	vsnprintf(row->operation, sizeof(row->operation), format, args);
	va_end(args);
	row->known[COMMON] = row->known[AVERAGE] = NOT_MEASURED;
	row->run_time[COMMON] = row->run_time[AVERAGE] = NOT_MEASURED;
	return row;
}

static int measure_plain(const char *name, site_fn site, void *target,
			 enum insn_path path)
{
	struct setup setup = { .target = target, .chunk = CHUNK_EXACT };

	return net(site, &setup, &row_new("%s", name)->known[path]);
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

/* All calls that net() makes, those of the runs of one call too. */
#define GROUPED_CALLS	(CALLS / CHUNK_EXACT * (CHUNK_EXACT + 2))

/* A counter of a set, from 0 on; on average, as it comes to sampling. */
static int measure_in_set(struct scounter_set *set, u32 row, site_fn known, site_fn site)
{
	struct setup setup = { .target = set, .chunk = CHUNK_EXACT };
	struct row *figures = row_new("inc %s in a set, first 200k", set_rows[row].name);
	struct scounter_estimate estimate;
	int err;

	err = net(known, &setup, &figures->known[AVERAGE]);
	if (!err)
		err = net(site, &setup, &figures->run_time[AVERAGE]);
	if (err)
		return err;
	scounter_set_read_est(set, row, &estimate);
	return estimate.lower <= 2 * GROUPED_CALLS && estimate.upper >= 2 * GROUPED_CALLS ?
	       0 : -EINVAL;
}

static int measure_pair(void)
{
	static struct scounter_pair pair;
	struct setup setup = { .target = &pair, .chunk = CHUNK_EXACT };
	struct scounter_pair_values values;
	int err;

	err = net(site_pair_add, &setup, &row_new("add 1500 to a pair")->known[AVERAGE]);
	scounter_pair_read(&pair, &values);
	if (!err && (values.events != GROUPED_CALLS || values.sum != (u64)ADDED * GROUPED_CALLS))
		err = -EINVAL;
	return err;
}

static int measure_grouped(void)
{
	struct scounter_set *set = scounter_set_create(&set_desc, "insn", GFP_KERNEL);
	int err;

	if (IS_ERR(set))
		return PTR_ERR(set);
	err = measure_in_set(set, SET_EXACT, site_set_of_exact, site_set_exact);
	if (!err)
		err = measure_in_set(set, SET_APPROX, site_set_of_approx, site_set_approx);
	scounter_set_destroy(set);
	return err ?: measure_pair();
}

/* Beyond 2^-15 successes are too rare to wait for. */
#define AVERAGE_EXPONENT_MAX	15

static u32 inc_chunk(u32 exponent, enum insn_path path)
{
	if (exponent && path == AVERAGE)
		return SUCCESSES << exponent;
	return CHUNK_EXACT;
}

static struct row *inc_row(const struct subject *subject, enum insn_state state,
			   u32 exponent)
{
	struct row *row;

	if (exponent)
		row = row_new("inc %s at 2^-%u", subject->name, exponent);
	else
		row = row_new("inc %s%s", subject->name, state_name(subject, state));
	if (state == PLAIN || state == SAMPLING)
		row->budget = exponent ? subject->sampling : subject->plain;
	row->budget_run_time = subject->out_of_line ? BUDGET_NONE : row->budget;
	return row;
}

static int measure_inc(struct subject *subject, enum insn_state state, u32 exponent)
{
	struct setup setup = {
		.subject = subject,
		.target = target_of(subject),
		.state = state,
		.exponent = exponent,
		.step = 1,
	};
	enum insn_path paths = exponent && exponent <= AVERAGE_EXPONENT_MAX ?
			       AVERAGE : COMMON;
	struct row *row = inc_row(subject, state, exponent);
	int err;

	for (setup.path = COMMON; setup.path <= paths; setup.path++) {
		setup.chunk = inc_chunk(exponent, setup.path);
		err = net(subject->inc_known, &setup, &row->known[setup.path]);
		if (!err && !subject->class)
			err = net(site_inc, &setup, &row->run_time[setup.path]);
		if (err)
			break;
	}
	if (state == INFLATED)
		word_set(subject, 0);
	return err;
}

static int measure_contended_state(struct subject *subject)
{
	switch (class_of(subject)->kind) {
	case SCOUNTER_RBO_NUMA_ADAPT:
		return measure_inc(subject, NUMA, 0);
	case SCOUNTER_MULTILINE_ADAPT:
		return measure_inc(subject, INFLATED, 0);
	case SCOUNTER_MORRIS_ADAPT:
		return measure_inc(subject, HALF, 0);
	}
	return 0;
}

static int measure_incs(struct subject *subject)
{
	int err = measure_inc(subject, PLAIN, 0);
	u32 i;

	if (!err)
		err = measure_contended_state(subject);
	if (!is_approximate(subject))
		return err;
	for (i = 0; !err && i < ARRAY_SIZE(exponents); i++)
		if (has_exponent(subject, exponents[i]))
			err = measure_inc(subject, SAMPLING, exponents[i]);
	return err;
}

/* A call out of line, for counters of any kind. */
static int measure_call(const char *name, site_fn site, u32 step,
			struct subject *subject, u32 exponent)
{
	struct setup setup = {
		.subject = subject,
		.target = subject->counter,
		.state = exponent ? SAMPLING : PLAIN,
		.exponent = exponent,
		.path = AVERAGE,
		.step = step,
		.chunk = step ? CHUNK_ADDED : CHUNK_EXACT,
	};
	struct row *row;

	if (exponent)
		row = row_new("%s %s at 2^-%u", name, subject->name, exponent);
	else
		row = row_new("%s %s%s", name, subject->name, state_name(subject, PLAIN));
	return net(site, &setup, &row->run_time[AVERAGE]);
}

static int measure_calls(struct subject *subject)
{
	u32 exponent = class_of(subject)->kind == SCOUNTER_BFP_DUP ? 0 : 8;
	int err = 0;

	if (subject->class)
		return 0;
	/* The others are added to in too few calls until they sample. */
	if (!is_approximate(subject) || class_of(subject)->kind == SCOUNTER_BFP_CSUP)
		err = measure_call("add 1500", site_add, ADDED, subject, 0);
	if (!err)
		err = measure_call("read", site_read, 0, subject, 0);
	if (err || !is_approximate(subject) || !exponent)
		return err;
	err = measure_call("add 1500", site_add, ADDED, subject, exponent);
	if (!err)
		err = measure_call("read", site_read, 0, subject, exponent);
	return err;
}

static int measure_all(void)
{
	int err = measure_baselines();
	u32 i;

	if (!err)
		err = measure_grouped();
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
		seq_printf(seq, "\t%u\t%u\n", rows[i].budget, rows[i].budget_run_time);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(figures);

static void counters_destroy(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		scounter_destroy(subjects[i].counter);
	scounter_destroy(stripes);
}

static int counters_create(void)
{
	u32 i;

	stripes = scounter_create("stripes", NULL, SCOUNTER_MULTILINE, 0, GFP_KERNEL);
	if (IS_ERR(stripes))
		return PTR_ERR(stripes);
	for (i = 0; i < ARRAY_SIZE(subjects); i++) {
		struct subject *subject = &subjects[i];

		if (subject->class)
			continue;
		subject->counter = scounter_create(subject->name, NULL,
						   subject->kind, 0, GFP_KERNEL);
		if (IS_ERR(subject->counter)) {
			counters_destroy();
			return PTR_ERR(subject->counter);
		}
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
