// SPDX-License-Identifier: GPL-2.0
#include <linux/prandom.h>

#include "scripted.h"

static const u32 *script_words;
static u32 script_count;
static u32 drawn;

static u32 script_next(struct rnd_state *rnd)
{
	u32 i = min(drawn, script_count - 1);

	(void)rnd;
	drawn++;
	return script_words[i];
}

/* The same source as everywhere else, with this in the generator's place. */
#define prandom_u32_state script_next
#include "repr/bfp.h"
#undef prandom_u32_state

void script(const u32 *words, u32 count)
{
	script_words = words;
	script_count = count;
	drawn = 0;
}

u32 script_drawn(void)
{
	return drawn;
}

u64 scripted_exponential(void)
{
	return scounter_draw_exponential(NULL);
}

u32 scripted_gap(u32 k)
{
	return scounter_draw_gap(NULL, k);
}

u64 scripted_thin(u64 n, u32 word)
{
	return scounter_bfp_thin(n, word, NULL);
}

u32 scripted_sum(u32 word, u64 n, const struct scounter_bfp_policy *policy)
{
	return scounter_bfp_sum(word, n, policy, NULL);
}
