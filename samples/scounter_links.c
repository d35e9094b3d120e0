// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of a driver: two links, with seven counters each, which are described once.
 * The packets are made up by a thread for each link.  The counters can be read from
 * /sys/kernel/debug/scounter/scounter_links/link0, and one by one in
 * /sys/kernel/scounter/scounter_links/link0/.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scounter_set.h>

enum {
	RX_PACKETS, RX_BYTES, RX_DROPPED, TX_PACKETS, TX_BYTES, TX_QUEUE_FULL, WAKEUPS,
	LINK_COUNTERS
};

static const struct scounter_set_row link_rows[LINK_COUNTERS] = {
	[RX_PACKETS] = SCOUNTER_SET_ROW("rx_packets", SCOUNTER_EXACT, 0,
					"packets", "Packets received."),
	[RX_BYTES] = SCOUNTER_SET_ROW("rx_bytes", SCOUNTER_EXACT, 0,
				      "bytes", "Bytes of packets received."),
	[RX_DROPPED] = SCOUNTER_SET_ROW("rx_dropped", SCOUNTER_EXACT, 0,
					"packets", "Packets received and thrown away."),
	[TX_PACKETS] = SCOUNTER_SET_ROW("tx_packets", SCOUNTER_EXACT, 0,
					"packets", "Packets sent."),
	[TX_BYTES] = SCOUNTER_SET_ROW("tx_bytes", SCOUNTER_EXACT, 0,
				      "bytes", "Bytes of packets sent."),
	[TX_QUEUE_FULL] = SCOUNTER_SET_ROW("tx_queue_full", SCOUNTER_EXACT, 0,
					   NULL, "How often the queue was full."),
	/* Nobody needs it exactly: 1 %. */
	[WAKEUPS] = SCOUNTER_SET_ROW("wakeups", SCOUNTER_APPROX, 0,
				     NULL, "How often the link's thread woke up."),
};

static const struct scounter_set_desc link_desc = {
	.label = "link", .rows = link_rows, .count = LINK_COUNTERS,
};

static struct link {
	const char *name;
	struct scounter_set *counters;
	struct task_struct *thread;
} links[] = {
	{ .name = "link0" }, { .name = "link1" },
};

static void receive(struct scounter_set *counters, u32 bytes)
{
	scounter_set_inc(counters, RX_PACKETS);
	scounter_set_add(counters, RX_BYTES, bytes);
	if (bytes > 1400)
		scounter_set_inc(counters, RX_DROPPED);
}

static void send(struct scounter_set *counters, u32 bytes)
{
	scounter_set_inc(counters, TX_PACKETS);
	scounter_set_add(counters, TX_BYTES, bytes);
	if (bytes % 64 == 0)
		scounter_set_inc(counters, TX_QUEUE_FULL);
}

static int be_a_link(void *data)
{
	struct link *link = data;

	while (!kthread_should_stop()) {
		scounter_set_inc_of(link->counters, &link_desc, WAKEUPS);
		receive(link->counters, 64 + get_random_u32() % 1437);
		send(link->counters, 64);
		usleep_range(500, 1000);
	}
	return 0;
}

static void links_exit(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(links); i++) {
		if (!IS_ERR_OR_NULL(links[i].thread))
			kthread_stop(links[i].thread);
		scounter_set_destroy(links[i].counters);
	}
}

static int start(struct link *link)
{
	link->counters = scounter_set_create(&link_desc, link->name, GFP_KERNEL);
	if (IS_ERR(link->counters))
		return PTR_ERR(link->counters);
	link->thread = kthread_run(be_a_link, link, "%s", link->name);
	return PTR_ERR_OR_ZERO(link->thread);
}

static int __init links_init(void)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < ARRAY_SIZE(links); i++)
		err = start(&links[i]);
	if (err)
		links_exit();
	return err;
}

module_init(links_init);
module_exit(links_exit);

MODULE_DESCRIPTION("scounter sample: the counters of each object, described once");
MODULE_LICENSE("GPL");
