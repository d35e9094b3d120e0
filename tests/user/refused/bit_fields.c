// SPDX-License-Identifier: GPL-2.0
// accepted
#include <linux/scounter.h>

struct flow {
	struct scounter_word32 word;
	u32 packets : 5;
	int negative : 7;
	u64 bytes : 40;
};

void count(struct scounter *counter, struct flow *flow, const struct scounter_class *class);

void count(struct scounter *counter, struct flow *flow, const struct scounter_class *class)
{
	scounter_add(counter, flow->packets);
	scounter_add(counter, flow->negative);
	scounter_word32_add(&flow->word, class, flow->bytes);
	scounter_add(counter, (u8)255);
	scounter_add(counter, ~0U);
}
