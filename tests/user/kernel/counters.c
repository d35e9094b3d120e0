// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "base/stripes.h"
#include "base/random.h"
#include "counter/counter.h"
#include "counters.h"
#include "kinds/adapt.h"
#include "kinds/kind.h"
#include "kinds/numa.h"

static struct scounter_params params_of(const struct counter_type *type)
{
	struct scounter_params params = {
		.kind = type->kind,
		.components = type->components,
	};
	u32 ppm;

	/* The coarsest error that is served by this threshold. */
	for (ppm = SCOUNTER_ERROR_PPM_MAX; type->threshold_log2; ppm -= 100) {
		if (__SCOUNTER_THRESHOLD_LOG2((u64)ppm) == (int)type->threshold_log2) {
			params.error_ppm = ppm;
			break;
		}
	}
	return params;
}

static void *module_make(const struct counter_type *type)
{
	struct scounter_params params = params_of(type);
	struct scounter *counter = shim_zalloc(sizeof(*counter));

	if (!counter)
		return NULL;
	if (scounter_init(counter, &params) || scounter_spread(counter, GFP_KERNEL)) {
		shim_free(counter);
		return NULL;
	}
	return counter;
}

static void module_free(void *counter)
{
	scounter_collapse(counter);
	shim_free(counter);
}

static void module_add(void *counter, uint64_t n)
{
	scounter_add((struct scounter *)counter, n);
}

static uint64_t module_read(void *counter)
{
	return scounter_read(counter);
}

static uint64_t module_fetch_reset(void *counter)
{
	return scounter_fetch_reset(counter);
}

static size_t module_bytes(void *counter)
{
	return scounter_bytes(counter);
}

/* The inline increments, with the kind known when they are compiled. */
#define INC(symbol, number, name, ...)					\
static void inc_##name(void *counter)					\
{									\
	scounter_inc_kind(counter, SCOUNTER_##symbol);			\
}

SCOUNTER_KIND_TABLE(INC)
SCOUNTER_CHOICE_TABLE(INC)

static const struct scounter_kind_ops *word_ops(int kind)
{
	const struct scounter_kind_row *row = kind ? scounter_kind_row(kind) : NULL;

	return row && row->bare ? row->ops : NULL;
}

bool counter_has_words(const struct counter_type *type)
{
	return word_ops(type->kind);
}

bool counter_words_make(struct counter_words *words, const struct counter_type *type,
			int count)
{
	struct scounter_params params = params_of(type);

	*words = (struct counter_words) { .count = count };
	if (scounter_class_init(&words->class, &params))
		return false;
	words->size = scounter_kind_row(type->kind)->word == __SCOUNTER_WORD32 ?
		      sizeof(struct scounter_word32) : sizeof(struct scounter_word64);
	words->memory = shim_zalloc(count * words->size);
	return words->memory;
}

/* As the functions of its kind see it. */
static struct scounter_ref word_ref(struct counter_words *words, int i)
{
	return (struct scounter_ref) {
		.word32 = (void *)(words->memory + i * words->size),
		.class = &words->class,
	};
}

void counter_words_free(struct counter_words *words)
{
	const struct scounter_kind_ops *ops = word_ops(words->class.kind);
	int i;

	for (i = 0; i < words->count && ops->collapse; i++) {
		struct scounter_ref ref = word_ref(words, i);

		ops->collapse(&ref);
	}
	shim_free(words->memory);
}

void counter_word_inc(struct counter_words *words, int i)
{
	struct scounter_ref ref = word_ref(words, i);

	if (words->size == sizeof(*ref.word32))
		scounter_word32_inc(ref.word32, ref.class);
	else
		scounter_word64_inc(ref.word64, ref.class);
}

void counter_word_add(struct counter_words *words, int i, uint64_t n)
{
	struct scounter_ref ref = word_ref(words, i);

	word_ops(words->class.kind)->add(&ref, n);
}

uint64_t counter_word_read(struct counter_words *words, int i)
{
	struct scounter_ref ref = word_ref(words, i);

	return word_ops(words->class.kind)->read(&ref);
}

size_t counter_word_bytes(struct counter_words *words, int i)
{
	struct scounter named = { .class = words->class };

	if (words->size == sizeof(named.spread))
		named.spread = *word_ref(words, i).word64;
	return words->size + scounter_bytes(&named) - sizeof(named);
}

/*
 * The kernel's percpu_counter, for comparison: 32 bits a CPU, and from a batch of
 * max(32, 2 * CPUs) on to the shared sum, under a lock.
 */
struct percpu_total {
	int lock;
	s64 sum;
	s32 *percpu;
	u64 allocated;
};

static void *total_make(const struct counter_type *type)
{
	struct percpu_total *total = shim_zalloc(sizeof(*total));

	(void)type;
	if (!total)
		return NULL;
	total->percpu = alloc_percpu(s32);
	if (!total->percpu) {
		shim_free(total);
		return NULL;
	}
	return total;
}

static void total_free(void *counter)
{
	struct percpu_total *total = counter;

	free_percpu(total->percpu);
	shim_free(total);
}

static void total_to_sum(struct percpu_total *total, s64 n)
{
	int free;

	do {
		while (READ_ONCE(total->lock))
			cpu_relax();
		free = 0;
	} while (!shim_try_cmpxchg(&total->lock, &free, 1, __ATOMIC_ACQUIRE));
	WRITE_ONCE(total->sum, total->sum + n);
	smp_store_release(&total->lock, 0);
}

static void total_inc(void *counter)
{
	struct percpu_total *total = counter;
	s32 batch = max(32, 2 * shim_cpus);
	s32 count = this_cpu_add_return(*total->percpu, 1);

	if (unlikely(count >= batch)) {
		this_cpu_write(*total->percpu, 0);
		total_to_sum(total, count);
	}
}

static void total_add(void *counter, uint64_t n)
{
	total_to_sum(counter, n);
}

static uint64_t total_read(void *counter)
{
	struct percpu_total *total = counter;
	s64 sum = READ_ONCE(total->sum);
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(total->percpu, cpu));
	return sum;
}

/* struct percpu_counter with its list is 40 bytes on 64-bit kernels. */
static size_t total_bytes(void *counter)
{
	(void)counter;
	return 40 + sizeof(s32) * shim_cpus;
}

#define MODULE	.make = module_make, .free = module_free, .add = module_add,	\
		.read = module_read, .fetch_reset = module_fetch_reset,	\
		.bytes = module_bytes

const struct counter_type counter_types[] = {
#define KIND(symbol, number, name, word, use, family, ...)			\
	{ #name, MODULE, .inc = inc_##name, .kind = SCOUNTER_##symbol,		\
	  .exact = __SCOUNTER_FAMILY_##family == __SCOUNTER_FAMILY_EXACT },
	SCOUNTER_KIND_TABLE(KIND)
	{ "multiline_8", MODULE, .inc = inc_multiline, .exact = true,
	  .kind = SCOUNTER_MULTILINE, .components = 8 },
#define THRESHOLD(n) \
	{ "scalable_2^" #n, MODULE, .inc = inc_scalable, .kind = SCOUNTER_SCALABLE, \
	  .threshold_log2 = n }
	THRESHOLD(10), THRESHOLD(11), THRESHOLD(12),
	THRESHOLD(13), THRESHOLD(14), THRESHOLD(15),
	{ "exact", MODULE, .inc = inc_exact, .exact = true, .kind = SCOUNTER_EXACT },
	{ "approx", MODULE, .inc = inc_approx, .kind = SCOUNTER_APPROX },
	{ "percpu_counter", total_make, total_free, total_inc, total_add, total_read,
	  .bytes = total_bytes, .exact = true },
	{ }
};

const struct counter_type *counter_type(const char *name)
{
	const struct counter_type *type;

	for (type = counter_types; type->name; type++)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

void counter_types_print(void)
{
	const struct counter_type *type;

	for (type = counter_types; type->name; type++)
		puts(type->name);
}

void counters_init(uint64_t seed)
{
	static bool started;

	scounter_random_init(seed);
	if (scounter_places_init())
		abort();
	scounter_numa_init();
	if (!started)
		scounter_adapt_init();
	started = true;
}

void counters_settle(void)
{
	shim_run_works();
	shim_grace_period();
	shim_run_works();
}
