// SPDX-License-Identifier: GPL-2.0
/*
 * Steele & Tristan 2017, section 13 and table 2: adding 10^6 8-bit cells to 10^6
 * others, by how the sum is computed.  Like theirs, every cell is 43 at first; other
 * tables have cells that differ.
 *
 * All variants draw their random numbers from the same generator, 8 bytes of it
 * for a cell but where it says bytes.
 */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "util.h"
#include "xoshiro.h"

#define CELLS	1000000
#define ROUNDS	31

static struct tables {
	double f[512];		/* Morris q 1.08; the end is beyond any sum */
	double inverse[512];	/* 1 / gap */
	u32 csuros[512];	/* f, M = 16, saturated */
	u8 matrix[256][256];	/* K, Morris */
	u8 matrix16[256][256];	/* K, Csuros */
} tables;

static u64 state[4];

static inline u64 random64(void)
{
	return next_bits(state);
}

static inline double random_double(void)
{
	return (random64() >> 11) * 0x1p-53;
}

static inline u64 csuros_f(u32 x)
{
	return ((16ULL + (x & 15)) << (x >> 4)) - 16;
}

static void make_tables(void)
{
	u32 x, z, k;

	for (x = 0; x < 512; x++) {
		tables.f[x] = x <= 256 ? (pow(1.08, x) - 1) / 0.08 : 1e300;
		tables.inverse[x] = pow(1.08, -(double)x);
		tables.csuros[x] = x <= 256 ? csuros_f(x) : ~0U;
	}
	for (x = 0; x < 256; x++)
		for (z = 0; z < 256; z++) {
			for (k = max(x, z); k < 255 && tables.f[x] + tables.f[z] >= tables.f[k + 1]; k++)
				;
			tables.matrix[x][z] = k;
			for (k = max(x, z); k < 255 && csuros_f(x) + csuros_f(z) >= csuros_f(k + 1); k++)
				;
			tables.matrix16[x][z] = k;
		}
}

static inline u8 morris_decide(u32 k, double sum)
{
	if (k >= 255)
		return 255;
	return k + (random_double() < (sum - tables.f[k]) * tables.inverse[k]);
}

static u8 morris_calculated(u8 x, u8 z)
{
	double a = (exp2(x * 0.11103131238874395) - 1) / 0.08;
	double b = (exp2(z * 0.11103131238874395) - 1) / 0.08;

	return morris_decide(log2(0.08 * (a + b) + 1) * (1 / 0.11103131238874395), a + b);
}

static u8 morris_linear(u8 x, u8 z)
{
	double sum = tables.f[x] + tables.f[z];
	u32 k = max(x, z);

	while (sum >= tables.f[k + 1])
		k++;
	return morris_decide(k, sum);
}

static u8 morris_binary(u8 x, u8 z)
{
	double sum = tables.f[x] + tables.f[z];
	u32 k = max(x, z);

	while (sum >= tables.f[k + 8])
		k += 8;
	k += sum >= tables.f[k + 4] ? 4 : 0;
	k += sum >= tables.f[k + 2] ? 2 : 0;
	k += sum >= tables.f[k + 1];
	return morris_decide(k, sum);
}

static u8 morris_matrix(u8 x, u8 z)
{
	return morris_decide(tables.matrix[x][z], tables.f[x] + tables.f[z]);
}

static inline u8 csuros_decide(u32 k, u64 sum, u64 f)
{
	u32 d = k >> 4;

	if (k >= 255)
		return 255;
	return k + ((random64() & ((1ULL << d) - 1)) < sum - f);
}

static u8 csuros_calculated(u8 x, u8 z)
{
	u64 sum = csuros_f(x) + csuros_f(z);
	u32 d = 59 - __builtin_clzll(sum + 16);
	u32 k = (d << 4) + (u32)((sum + 16) >> d) - 16;

	return csuros_decide(k, sum + 16 - (((sum + 16) >> d) << d), 0);
}

static u8 csuros_search(u8 x, u8 z)
{
	u64 sum = csuros_f(x) + csuros_f(z);
	u32 k = max(x, z);

	while (sum >= csuros_f(k + 1))
		k++;
	return csuros_decide(k, sum, csuros_f(k));
}

static u8 csuros_incremental(u8 x, u8 z)
{
	u64 sum = csuros_f(x) + csuros_f(z);
	u32 k = max(x, z);
	u64 next = csuros_f(k + 1);

	while (sum >= next) {
		k++;
		next += 1ULL << (k >> 4);
	}
	return csuros_decide(k, sum, csuros_f(k));
}

static u8 csuros_linear(u8 x, u8 z)
{
	u32 sum = tables.csuros[x] + tables.csuros[z];
	u32 k = max(x, z);

	while (sum >= tables.csuros[k + 1])
		k++;
	return csuros_decide(k, sum, tables.csuros[k]);
}

static u8 csuros_binary(u8 x, u8 z)
{
	u32 sum = tables.csuros[x] + tables.csuros[z];
	u32 k = max(x, z);

	while (sum >= tables.csuros[k + 8])
		k += 8;
	k += sum >= tables.csuros[k + 4] ? 4 : 0;
	k += sum >= tables.csuros[k + 2] ? 2 : 0;
	k += sum >= tables.csuros[k + 1];
	return csuros_decide(k, sum, tables.csuros[k]);
}

static u8 csuros_matrix(u8 x, u8 z)
{
	u32 k = tables.matrix16[x][z];

	return csuros_decide(k, tables.csuros[x] + tables.csuros[z], tables.csuros[k]);
}

static u8 header_add(const struct scounter_repr *repr, u8 x, u8 z)
{
	static struct rnd_state rnd = { 1000, 2000, 3000, 4000 };
	bool saturated;

	return scounter_repr_sum(repr, repr, x, repr, z, &rnd, &saturated);
}

static const struct scounter_repr *morris, *csuros;

static u8 morris_header(u8 x, u8 z)
{
	return header_add(morris, x, z);
}

static u8 csuros_header(u8 x, u8 z)
{
	return header_add(csuros, x, z);
}

/* One loop a variant, so that each is inlined as it would be in use. */
#define LOOP(variant)							\
static void loop_##variant(u8 *dst, const u8 *src)			\
{									\
	u32 i;								\
									\
	for (i = 0; i < CELLS; i++)					\
		dst[i] = variant(dst[i], src[i]);			\
}

LOOP(morris_calculated)
LOOP(morris_linear)
LOOP(morris_binary)
LOOP(morris_matrix)
LOOP(morris_header)
LOOP(csuros_calculated)
LOOP(csuros_search)
LOOP(csuros_incremental)
LOOP(csuros_linear)
LOOP(csuros_binary)
LOOP(csuros_matrix)
LOOP(csuros_header)

/*
 * As gcc -O2 makes it of the plain loop, a byte at a time; aligned, as its time is
 * otherwise half as much again where the loop happens to cross a line of the cache.
 */
static void __attribute__((optimize("no-tree-vectorize,align-loops=64")))
loop_sum(u8 *dst, const u8 *src)
{
	u32 i;

	for (i = 0; i < CELLS; i++)
		dst[i] += src[i];
}

/* With vector instructions. */
static void __attribute__((optimize("O3"))) loop_vector_sum(u8 *dst, const u8 *src)
{
	u32 i;

	for (i = 0; i < CELLS; i++)
		dst[i] += src[i];
}

static struct array *bulk_dst, *bulk_src;

static void loop_bulk(u8 *dst, const u8 *src)
{
	u64 *own_dst = bulk_dst->words, *own_src = bulk_src->words;

	bulk_dst->words = (u64 *)dst;
	bulk_src->words = (u64 *)src;
	array_merge(bulk_dst, bulk_src);
	bulk_dst->words = own_dst;
	bulk_src->words = own_src;
}

static const struct variant {
	const char *name, *how;
	void (*loop)(u8 *dst, const u8 *src);
} variants[] = {
	{ "nothing", "the loop without an addition", NULL },
	{ "sum", "bytes added, a byte at a time", loop_sum },
	{ "vector-sum", "bytes added, 16 at a time", loop_vector_sum },
	{ "morris-calculated", "K by logarithm and powers", loop_morris_calculated },
	{ "morris-linear", "K by linear search of a table of f (LT)", loop_morris_linear },
	{ "morris-binary", "K by binary search of it (BT)", loop_morris_binary },
	{ "morris-matrix", "K from a table of x and z (M)", loop_morris_matrix },
	{ "morris-header", "kmod/repr, 128-bit fixed point", loop_morris_header },
	{ "csuros-calculated", "K by leading zeros and shifts (C)", loop_csuros_calculated },
	{ "csuros-search", "K by linear search, f calculated (LA)", loop_csuros_search },
	{ "csuros-incremental", "the same, f by its gaps (LI)", loop_csuros_incremental },
	{ "csuros-linear", "K by linear search of a table of f (LT)", loop_csuros_linear },
	{ "csuros-binary", "K by binary search of it (BT)", loop_csuros_binary },
	{ "csuros-matrix", "K from a table of x and z (M)", loop_csuros_matrix },
	{ "csuros-header", "kmod/repr, 128-bit fixed point", loop_csuros_header },
	{ "bulk", "tools/lib: K and Delta from a table, random bytes", loop_bulk },
};

#define VARIANTS	(sizeof(variants) / sizeof(variants[0]))
#define SUM		1
#define BULK		(VARIANTS - 1)

static u32 all_43(u64 random)
{
	(void)random;
	return 43;
}

static u32 below_16(u64 random)
{
	return random % 16;
}

static u32 below_200(u64 random)
{
	return random % 200;
}

static u32 any_state(u64 random)
{
	return random % 256;
}

static u32 all_full(u64 random)
{
	(void)random;
	return 255;
}

/* One in ten is not empty. */
static u32 sparse(u64 random)
{
	return random % 10 ? 0 : random / 10 % 200;
}

/* What the cells of both arrays are. */
static const struct data {
	const char *name, *what;
	u32 (*state)(u64 random);
} data_sets[] = {
	{ "43", "43 each, as in the paper", all_43 },
	{ "0-199", "0 to 199 at random", below_200 },
	{ "0-15", "0 to 15 at random", below_16 },
	{ "0-255", "any state at random", any_state },
	{ "full", "the last state each", all_full },
	{ "sparse", "0, but one in ten", sparse },
};

#define DATA_SETS	(sizeof(data_sets) / sizeof(data_sets[0]))

static u8 *dst, *src, *start;

static void prepare(u64 seed)
{
	u32 i;

	morris = repr_of(SCOUNTER_REPR_MORRIS, 8, 1080000, 1, 0);
	csuros = repr_of(SCOUNTER_REPR_CSUROS2, 8, 0, 16, 0);
	make_tables();
	bulk_dst = new_array(SCOUNTER_REPR_MORRIS, 8, 1080000, 1, CELLS, seed);
	bulk_src = new_array(SCOUNTER_REPR_MORRIS, 8, 1080000, 1, CELLS, seed);
	for (i = 0; i < 4; i++)
		state[i] = next_seed(&seed);
	dst = allocate(CELLS + 64, 1);
	src = allocate(CELLS + 64, 1);
	start = allocate(CELLS + 64, 1);
}

static void fill(const struct data *data, u64 seed)
{
	u32 i;

	for (i = 0; i < CELLS; i++) {
		start[i] = data->state(next_seed(&seed));
		src[i] = data->state(next_seed(&seed));
	}
}

static double time_of(const struct variant *variant)
{
	double begin;

	memcpy(dst, start, CELLS);
	begin = now();
	variant->loop(dst, src);
	return now() - begin;
}

/*
 * Medians of the time and of its ratio to that of adding bytes, which is taken
 * beside it in each round, as the machine may be busy with something else.
 */
static double median_time(const struct variant *variant, double *ratio)
{
	double times[ROUNDS], ratios[ROUNDS];
	u32 round;

	for (round = 0; round < ROUNDS; round++) {
		times[round] = time_of(variant);
		ratios[round] = times[round] / time_of(&variants[SUM]);
	}
	qsort(times, ROUNDS, sizeof(*times), compare_doubles);
	qsort(ratios, ROUNDS, sizeof(*ratios), compare_doubles);
	*ratio = ratios[ROUNDS / 2];
	return times[ROUNDS / 2];
}

static void print_time(const char *name, const struct variant *variant, const char *how)
{
	double ratio, time = median_time(variant, &ratio);

	printf("%-20s %8.2f %8.2f  %s\n", name, time / CELLS * 1e9, ratio, how);
}

static void print_times(u64 seed, const struct data *data)
{
	u32 i;

	fill(data, seed);
	printf("\n# cells: %s\n%-20s %8s %8s  %s\n", data->what, "# variant", "ns/cell",
	       "ratio", "how");
	for (i = SUM; i < VARIANTS; i++)
		print_time(variants[i].name, &variants[i], variants[i].how);
}

int print_speed(u64 seed)
{
	u32 i;

	prepare(seed);
	printf("# morris: q 1.08; csuros: M = 16; 10^6 cells of 8 bits; median of %u rounds, and\n"
	       "# of the ratio to sum in the same round\n", ROUNDS);
	print_times(seed, &data_sets[0]);
	print_times(seed, &data_sets[1]);
	printf("\n# bulk, by what the cells are\n%-20s %8s %8s  %s\n", "# cells", "ns/cell",
	       "ratio", "both arrays");
	for (i = 0; i < DATA_SETS; i++) {
		fill(&data_sets[i], seed);
		print_time(data_sets[i].name, &variants[BULK], data_sets[i].what);
	}
	return 0;
}

static const struct variant *find_variant(const char *name)
{
	u32 i;

	for (i = 0; i < VARIANTS; i++)
		if (!strcmp(variants[i].name, name))
			return &variants[i];
	warnx("no variant '%s'; there are:", name);
	for (i = 0; i < VARIANTS; i++)
		fprintf(stderr, "  %-20s %s\n", variants[i].name, variants[i].how);
	return NULL;
}

static const struct data *find_data(const char *name)
{
	u32 i;

	for (i = 0; i < DATA_SETS; i++)
		if (!strcmp(data_sets[i].name, name))
			return &data_sets[i];
	warnx("no cells '%s'; there are:", name);
	for (i = 0; i < DATA_SETS; i++)
		fprintf(stderr, "  %-20s %s\n", data_sets[i].name, data_sets[i].what);
	return NULL;
}

/* For valgrind, which counts instructions: the difference of two N is what counts. */
int run_add_variant(const char *name, u32 rounds, const char *cells, u64 seed)
{
	const struct variant *variant = find_variant(name);
	const struct data *data = find_data(cells);

	if (!variant || !data)
		return 2;
	prepare(seed);
	fill(data, seed);
	loop_bulk(dst, src);
	while (rounds--) {
		memcpy(dst, start, CELLS);
		if (variant->loop)
			variant->loop(dst, src);
	}
	return 0;
}
