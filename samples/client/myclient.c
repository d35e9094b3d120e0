// SPDX-License-Identifier: GPL-2.0
/*
 * myclient: a module that counts with scounter.
 *
 * A made-up service has a hundred accounts, and a thread that serves requests.  It counts
 * them in four ways:
 *
 *	a set		the counters of the service, with names, units and help texts
 *	words		four bytes in each account, shown together as a family
 *	an array	a counter for each possible size of a request
 *	a table		which keys are asked for most
 *
 * See it all with `scounter list`, and in /sys/kernel/debug/scounter.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scounter_array.h>
#include <linux/scounter_family.h>
#include <linux/scounter_set.h>
#include <linux/scounter_topk.h>
#include <linux/seq_file.h>

/* The set: a row for each counter. */

enum { REQUESTS, BYTES, EMPTY, COUNTERS };

static const struct scounter_set_row rows[COUNTERS] = {
	[REQUESTS] = SCOUNTER_SET_ROW("requests", SCOUNTER_EXACT, 0,
				      "requests", "Requests that were served."),
	[BYTES] = SCOUNTER_SET_ROW("bytes", SCOUNTER_EXACT, 0,
				   "bytes", "Bytes of these requests."),
	/* Nobody needs it exactly: 1 %. */
	[EMPTY] = SCOUNTER_SET_ROW("empty", SCOUNTER_APPROX, 0,
				   "requests", "Requests without a byte."),
};

static const struct scounter_set_desc set_desc = {
	.label = "service", .rows = rows, .count = COUNTERS,
};

/* Words: each account has one, and pays four bytes for it. */

#define ACCOUNTS	100

struct account {
	u32 id;
	struct scounter_word32 requests;
};

static const struct scounter_class account_class = SCOUNTER_CLASS(SCOUNTER_APPROX, 0);

static struct account accounts[ACCOUNTS];

/* These accounts never go.  Objects that do are gone over under what protects them. */
static bool walk_accounts(struct scounter_family_walk *walk, void *context)
{
	bool on = true;

	while (on && walk->at < ACCOUNTS)
		on = scounter_family_visit32(walk, &accounts[walk->at++].requests);
	return !on;
}

static const struct scounter_family_desc accounts_desc = {
	.class = &account_class, .walk = walk_accounts,
	.unit = "requests", .help = "Requests of an account.",
};

/* The array: 12 bits for each size from 0 to 1500.  Exact below 64, then 9 %. */

#define SIZES	1501

static const struct scounter_array_type size_type = {
	.kind = SCOUNTER_REPR_CSUROS2, .bits = 12, .m = 64,
};

/* The table: the keys that are asked for most, of any number, in 100 entries. */

static void show_key(struct seq_file *seq, const void *key)
{
	seq_printf(seq, "key %u", *(const u32 *)key);
}

static const struct scounter_topk_spec keys_spec = {
	.capacity = 100, .key_size = sizeof(u32), .show_key = show_key,
};

static struct scounter_set *counters;
static struct scounter_family *family;
static struct scounter_array *sizes;
static struct scounter_topk *keys;
static struct task_struct *thread;

/* Counting: any context, any CPU; no lock, no allocation, no error. */
static void count(struct account *account, u32 key, u32 bytes)
{
	scounter_set_inc(counters, REQUESTS);
	scounter_set_add(counters, BYTES, bytes);
	if (!bytes)
		scounter_set_inc(counters, EMPTY);
	scounter_word32_inc(&account->requests, &account_class);
	scounter_array_inc(sizes, bytes);
	scounter_topk_hit(keys, &key);
}

/* Your module has real events. */
static int serve(void *unused)
{
	while (!kthread_should_stop()) {
		u32 random = get_random_u32();
		/* Half of all asks for key 0, a quarter for key 1, and so on. */
		u32 key = random ? ilog2(random & -random) : 32;

		count(&accounts[(random >> 8) % ACCOUNTS], key, (random >> 16) % SIZES);
		usleep_range(100, 200);
	}
	return 0;
}

/*
 * What was made last goes first.  Nobody counts any more when a counter goes, and nobody
 * walks when the accounts go.  All of these take NULL and ERR_PTRs.
 */
static void destroy(void)
{
	scounter_topk_destroy(keys);
	scounter_array_destroy(sizes);
	scounter_family_unregister(family);
	scounter_set_destroy(counters);
}

static int create(void)
{
	counters = scounter_set_create(&set_desc, "service0", GFP_KERNEL);
	if (IS_ERR(counters))
		return PTR_ERR(counters);
	family = scounter_family_register("accounts", NULL, &accounts_desc, NULL);
	if (IS_ERR(family))
		return PTR_ERR(family);
	sizes = scounter_array_create("sizes", NULL, &size_type, SIZES, 0);
	if (IS_ERR(sizes))
		return PTR_ERR(sizes);
	keys = scounter_topk_create("keys", NULL, &keys_spec);
	return PTR_ERR_OR_ZERO(keys);
}

static int __init myclient_init(void)
{
	int err;
	u32 i;

	for (i = 0; i < ACCOUNTS; i++)
		accounts[i].id = i;
	err = create();
	if (!err) {
		thread = kthread_run(serve, NULL, "myclient");
		err = PTR_ERR_OR_ZERO(thread);
	}
	if (err)
		destroy();
	return err;
}

static void __exit myclient_exit(void)
{
	kthread_stop(thread);
	destroy();
}

module_init(myclient_init);
module_exit(myclient_exit);

MODULE_DESCRIPTION("myclient: counts with scounter");
MODULE_LICENSE("GPL");
