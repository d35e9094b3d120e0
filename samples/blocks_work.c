// SPDX-License-Identifier: GPL-2.0
/*
 * What is profiled: branches, loops and a switch, taken as often as random numbers say.
 * This file alone is compiled with -fsanitize-coverage=trace-pc: gcc puts a call of
 * __sanitizer_cov_trace_pc() at the start of each basic block.
 */
#include "blocks.h"

/* A function of that name may not do what blocks_hit() does: objtool knows the kernel's. */
asm(".set __sanitizer_cov_trace_pc, blocks_hit");

static noinline u32 blocks_collatz(u32 n, u32 most)
{
	u32 steps = 0;

	while (n > 1 && steps < most) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

static noinline u32 blocks_parse(u32 bits)
{
	u32 state = 0, words = 0;

	for (; bits; bits >>= 3) {
		switch (bits & 7) {
		case 0:
			if (state)
				words++;
			state = 0;
			break;
		case 1:
		case 2:
			state = 2;
			break;
		case 7:
			return words;
		default:
			if (state == 2)
				words += 2;
			else
				state = 1;
			break;
		}
	}
	return words;
}

/* The result depends on every branch, so that none is left out. */
u32 blocks_work(u32 seed, u32 rounds)
{
	u32 sum = 0;

	while (rounds--) {
		seed ^= seed << 13;
		seed ^= seed >> 17;
		seed ^= seed << 5;
		if (seed % 10 < 7)
			sum += blocks_parse(seed >> 4);
		else if (seed % 3)
			sum ^= blocks_collatz(seed & 1023, 20);
		else
			sum = (sum << 1) + 1;
	}
	return sum;
}
