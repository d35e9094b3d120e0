// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the tables of the standard representations: a program that runs on the
 * machine that builds.
 *
 * Powers of q with 192 bits after the point, by schoolbook arithmetic, cut off at
 * 64.  It shares no code with repr/csuros.h, which makes tables of other q in the
 * kernel: a test compares the two.
 */
#include <stdint.h>
#include <stdio.h>

enum { LIMBS = 8, MILLION = 1000000, MOST = 16 };

struct number {
	uint32_t limb[LIMBS];	/* the least first; the point is below limb 6 */
};

/* q and m, and where the paper has them. */
static const struct {
	uint32_t q_ppm, m, states;
	const char *why;
} standards[] = {
	{ 1080000, 1, 256, "Morris, 8 bits to 2^31: section 13" },
	{ 1100000, 1, 256, "Morris, 8 bits to 2^38: section 12" },
	{ 1180000, 1, 256, "Morris, 8 bits to 2^63" },
	{ 1200000, 8, 256, "Csuros, 8 bits: section 10" },
	{ 1400000, 64, 4096, "Csuros, 12 bits to 2^38: table 1" },
	{ 1600000, 2048, 65536, "Csuros, 16 bits to 2^33: table 1" },
	{ 0 }
};

/* Times numerator / MILLION; 0 if it does not fit. */
static int times(struct number *number, uint32_t numerator)
{
	uint32_t product[LIMBS + 1];
	uint64_t carry = 0;
	int i;

	for (i = 0; i < LIMBS; i++) {
		carry += (uint64_t)number->limb[i] * numerator;
		product[i] = (uint32_t)carry;
		carry >>= 32;
	}
	product[LIMBS] = (uint32_t)carry;
	if (carry >= MILLION)
		return 0;
	for (carry = product[LIMBS], i = LIMBS - 1; i >= 0; i--) {
		carry = carry << 32 | product[i];
		number->limb[i] = (uint32_t)(carry / MILLION);
		carry %= MILLION;
	}
	return 1;
}

/* base += m * the upper 128 bits of step; 0 if it does not fit. */
static int sum(uint32_t base[4], const struct number *step, uint32_t m)
{
	uint64_t carry = 0;
	int i;

	for (i = 0; i < 4; i++) {
		carry += (uint64_t)step->limb[4 + i] * m + base[i];
		base[i] = (uint32_t)carry;
		carry >>= 32;
	}
	return !carry;
}

static unsigned long long pair(const uint32_t *limb)
{
	return (unsigned long long)limb[1] << 32 | limb[0];
}

/* Returns whether the table ends because 2^64 is reached. */
static int table(uint32_t which, uint32_t count, uint32_t *rungs)
{
	struct number step = { .limb[6] = 1 };
	uint32_t base[4] = { 0 };
	int fits = 1;

	printf("\n/* %s */\nstatic const struct scounter_rung rungs_%u[] = {\n",
	       standards[which].why, which);
	for (*rungs = 0; *rungs < count && fits; ++*rungs) {
		printf("\t{ { 0x%llxULL, 0x%llxULL }, { 0x%llxULL, 0x%llxULL } },\n",
		       pair(base + 2), pair(base), pair(step.limb + 6), pair(step.limb + 4));
		fits = sum(base, &step, standards[which].m) &&
		       times(&step, standards[which].q_ppm);
	}
	printf("};\n");
	return !fits;
}

int main(void)
{
	uint32_t counts[MOST], i;
	int complete[MOST];

	printf("/* Written by powers.c. */\n");
	for (i = 0; standards[i].q_ppm; i++)
		complete[i] = table(i, standards[i].states / standards[i].m, &counts[i]);
	printf("\nstatic const struct standard {\n\tu32 q_ppm, m, count;\n"
	       "\tbool complete;\n\tconst struct scounter_rung *rungs;\n} standards[] = {\n");
	for (i = 0; standards[i].q_ppm; i++)
		printf("\t{ %u, %u, %u, %s, rungs_%u },\n", standards[i].q_ppm,
		       standards[i].m, counts[i], complete[i] ? "true" : "false", i);
	printf("};\n");
	return ferror(stdout) || fflush(stdout);
}
