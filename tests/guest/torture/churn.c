// SPDX-License-Identifier: GPL-2.0
/*
 * Creates, uses and destroys, all the while and several at once, under a few names
 * that they fight for; registers and unregisters a static counter.  What such a
 * counter says its maker alone has counted.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "torture.h"

#define CHURNS		3
#define NAMES		4

static struct task_struct *threads[CHURNS];
static u64 rounds[CHURNS];

static const struct subject churn = { .name = "churn" };

static bool is_expected(long err)
{
	return err == -EEXIST || err == -ENOMEM;
}

static u32 some(u32 below)
{
	return get_random_u32() % below;
}

struct evicted {
	struct rcu_head rcu;
	struct scounter *counter;
};

static void evict(struct rcu_head *rcu)
{
	struct evicted *evicted = container_of(rcu, struct evicted, rcu);

	scounter_destroy(evicted->counter);
	kfree(evicted);
}

/* Where it may not sleep, and in a callback of RCU, as well. */
static void destroy_somewhere(struct scounter *counter)
{
	struct evicted *evicted = some(3) ? NULL : kmalloc(sizeof(*evicted), GFP_KERNEL);

	if (evicted) {
		evicted->counter = counter;
		call_rcu(&evicted->rcu, evict);
		return;
	}
	preempt_disable();
	scounter_destroy(counter);
	preempt_enable();
}

/* Exact up to this number, whatever its kind. */
static void churn_counter(const char *name)
{
	const struct scounter_params params = {
		.kind = 1 + some(__SCOUNTER_KINDS), .hide = some(SCOUNTER_HIDE_ALL + 1),
	};
	bool atomically = some(4) == 0;
	struct scounter *counter;
	u64 value;
	u32 i;

	if (atomically)
		preempt_disable();
	counter = scounter_create_params(name, "churn", &params,
					 atomically ? GFP_ATOMIC : GFP_KERNEL);
	if (atomically)
		preempt_enable();
	if (IS_ERR(counter)) {
		torture_expect(&churn, is_expected(PTR_ERR(counter)), "%s is not created: %ld",
			       name, PTR_ERR(counter));
		return;
	}
	for (i = 0; i < 100; i++)
		scounter_inc(counter);
	scounter_add(counter, 23);
	value = some(2) ? scounter_read(counter) : scounter_fetch_reset(counter);
	torture_expect(&churn, value == 123, "%llu of 123 in a counter of kind %u", value,
		       params.kind);
	destroy_somewhere(counter);
}

static void churn_array(const char *name)
{
	static const struct scounter_array_type type = {
		.kind = SCOUNTER_REPR_CSUROS2, .bits = 12, .m = 128,
	};
	struct scounter_array *array = scounter_array_create(name, "churn", &type,
							     1 + some(5000), some(3));
	u32 i;

	if (IS_ERR(array)) {
		torture_expect(&churn, is_expected(PTR_ERR(array)), "an array is not created: %ld",
			       PTR_ERR(array));
		return;
	}
	for (i = 0; i < 50; i++)
		scounter_array_inc(array, 0);
	torture_expect(&churn, scounter_array_read(array, 0) == 50, "%llu of 50 in an array",
		       scounter_array_read(array, 0));
	scounter_array_destroy(array);
}

static void churn_topk(const char *name)
{
	const struct scounter_topk_spec spec = {
		.capacity = 1 + some(100), .key_size = sizeof(u64), .design = some(5),
	};
	struct scounter_topk *topk = scounter_topk_create(name, "churn", &spec);
	struct scounter_topk_header *snapshot;
	u64 key;

	if (IS_ERR(topk)) {
		torture_expect(&churn, is_expected(PTR_ERR(topk)), "a table is not created: %ld",
			       PTR_ERR(topk));
		return;
	}
	for (key = 0; key < 50; key++)
		scounter_topk_hit(topk, &key);
	snapshot = scounter_topk_fetch_reset(topk);
	if (!IS_ERR(snapshot))
		torture_expect(&churn, snapshot->total + snapshot->dropped == 50,
			       "%llu of 50 in a table", snapshot->total);
	scounter_topk_free(snapshot);
	scounter_topk_destroy(topk);
}

static DEFINE_SCOUNTER(registered, SCOUNTER_EXACT, 0);

/* One thread's alone: it counts in none of the gaps. */
static void churn_static(void)
{
	u64 before = scounter_read(&registered);
	int err = scounter_register(&registered, "static", "churn");
	u32 i;

	torture_expect(&churn, !err || is_expected(err), "not registered: %d", err);
	for (i = 0; i < 10; i++)
		scounter_inc(&registered);
	scounter_unregister(&registered);
	torture_expect(&churn, scounter_read(&registered) == before + 10,
		       "%llu in a static counter, not %llu", scounter_read(&registered),
		       before + 10);
}

static int churn_all(void *data)
{
	u64 *mine = data;
	char name[8];

	while (!kthread_should_stop()) {
		snprintf(name, sizeof(name), "n%u", some(NAMES));
		churn_counter(name);
		if (*mine % 8 == 0)
			churn_array(name);
		if (*mine % 8 == 1)
			churn_topk(name);
		if (*mine % 4 == 2)
			torture_churn_set(name);
		if (mine == rounds)
			churn_static();
		WRITE_ONCE(*mine, *mine + 1);
		schedule_timeout_interruptible(1);
	}
	return 0;
}

u64 torture_churned(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < CHURNS; i++)
		sum += READ_ONCE(rounds[i]);
	return sum;
}

/* Does nothing the second time. */
void torture_churn_stop(void)
{
	u32 i;

	for (i = 0; i < CHURNS; i++) {
		if (!IS_ERR_OR_NULL(threads[i]))
			kthread_stop(threads[i]);
		threads[i] = NULL;
	}
	/* What they left to RCU. */
	rcu_barrier();
}

int torture_churn_start(void)
{
	u32 i;

	for (i = 0; i < CHURNS; i++) {
		threads[i] = kthread_run(churn_all, &rounds[i], "scounter_churn/%u", i);
		if (IS_ERR(threads[i])) {
			torture_churn_stop();
			return PTR_ERR(threads[i]);
		}
	}
	return 0;
}
