// SPDX-License-Identifier: GPL-2.0
/*
 * libscounter-mpi on all processes of MPI_COMM_WORLD.  Each asserts for itself; a test has
 * passed if it has in all.  Process 0 writes TAP.
 *
 * Statistical tests allow 7.2 standard errors, 6e-13.  All processes draw from the seed,
 * each its own numbers.
 */
#include <err.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scounter_mpi.h"
#include "stats.h"
#include "tap.h"
#include "util.h"

enum { CELLS = 10000, EVENTS = 60 };

static const struct scounter_array_type types[] = {
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1100000 },
	{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 6 },
	{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 16 },
	{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 32 },
	{ .kind = SCOUNTER_REPR_CSUROS, .bits = 12, .q_ppm = 1400000, .m = 16 },
	{ .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 16, .q_ppm = 1080000 },
	{ .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 10 },
	{ .kind = SCOUNTER_REPR_SHARED, .bits = 4 },
};

enum { TYPES = sizeof(types) / sizeof(types[0]), SHARED = TYPES - 1 };

static int rank, processes;

/* Passed if it is so in all processes. */
static void all_ok(bool passed, const char *format, ...)
{
	char text[300];
	int mine = passed, all;
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!passed)
		comment("process %d: %s", rank, text);
	fflush(stdout);
	if (!rank)
		ok(all, "%s", text);
}

static struct array *new_array(const struct scounter_array_type *type, u64 length, u64 seed)
{
	struct array *array;

	if (array_create(&array, type, length))
		errx(1, "%s", array_error());
	array_seed(array, derive_seed(seed, "rank", rank));
	return array;
}

static const char *name_of(const struct array *array)
{
	const struct scounter_array_type *type = &array->cells.repr.type;
	static char text[80];

	snprintf(text, sizeof(text), "kind %u, %u bits, q %g, m %u", type->kind, type->bits,
		 type->q_ppm / 1e6, type->m);
	return text;
}

static double real_of(struct scounter_real real)
{
	return real.whole + ldexp(real.part, -64);
}

static u64 word_of(const struct array *array, u32 x)
{
	u64 word = 0;
	u32 i;

	for (i = 0; i < array->cells.per_word; i++)
		word |= (u64)x << i * array->cells.repr.type.bits;
	return word;
}

/* From two states, an operation gives the mean and the variance of one rounding, exactly. */
static void test_local(const struct scounter_array_type *type, u64 seed)
{
	struct array *dst = new_array(type, CELLS, seed), *src = new_array(type, CELLS, seed + 1);
	const struct scounter_repr *repr = &dst->cells.repr;
	static double values[CELLS];
	struct moments moments = { 0 };
	struct summary summary;
	double sum, below, above, variance;
	u32 x = scounter_repr_phi(repr, scounter_real(150)), i, k;
	u32 z = scounter_repr_phi(repr, scounter_real(61));
	MPI_Op op;

	if (scounter_mpi_op_create(type, seed, &op))
		errx(1, "%s", array_error());
	for (i = 0; i < dst->cells.words; i++) {
		dst->words[i] = word_of(dst, x);
		src->words[i] = word_of(src, z);
	}
	MPI_Reduce_local(src->words, dst->words, dst->cells.words, MPI_UINT64_T, op);
	sum = real_of(scounter_repr_f(repr, x)) + real_of(scounter_repr_f(repr, z));
	k = scounter_repr_phi(repr, scounter_real_sum(scounter_repr_f(repr, x), scounter_repr_f(repr, z)));
	below = real_of(scounter_repr_f(repr, k));
	above = real_of(scounter_repr_f(repr, scounter_repr_tau(repr, k)));
	variance = (sum - below) * (above - sum);
	array_values(dst, 0, CELLS, values);
	for (i = 0; i < CELLS; i++)
		moments_add(&moments, values[i] - sum);
	summary = summarize(&moments);
	all_ok(variance < 1e-9 ? fabs(summary.mean) < 1e-6 :
	       fabs(summary.mean_z) <= Z_LIMIT && fabs(variance_z(&summary, variance)) <= Z_LIMIT,
	       "MPI_Reduce_local, %s: mean %+.2f standard errors, variance %.3f of one rounding",
	       name_of(dst), summary.mean_z, variance < 1e-9 ? 1 : summary.variance / variance);
	scounter_mpi_op_free(&op);
	array_free(dst);
	array_free(src);
}

/* How many words differ from those of process 0, in any process. */
static int differing(const u64 *words, u64 count)
{
	u64 *first = allocate(count, sizeof(*first));
	int differ = 0, most;
	u64 i;

	memcpy(first, words, count * sizeof(*first));
	MPI_Bcast(first, count, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	for (i = 0; i < count; i++)
		differ += first[i] != words[i];
	free(first);
	MPI_Allreduce(&differ, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return most;
}

static struct array *counted(const struct scounter_array_type *type, u64 seed)
{
	struct array *array = new_array(type, CELLS, seed);
	u32 i, n;

	for (i = 0; i < CELLS; i++)
		for (n = 0; n < EVENTS; n++)
			array_inc(array, i);
	return array;
}

/*
 * Mean and variance of the sum of all processes.  A shared level errs alike in the cells of
 * a word, so that only its mean over all is tested, by the deviation that it states.
 */
static bool is_unbiased(struct array *array, double *z, double *variance)
{
	double n = (double)EVENTS * processes, xi, bound;
	static double values[CELLS];
	struct moments moments = { 0 };
	struct summary summary;
	struct array_total total;
	u32 i;

	if (array->cells.repr.type.kind == SCOUNTER_REPR_SHARED) {
		array_sum(array, 0, CELLS, &total);
		*variance = 0;
		*z = (total.value - n * CELLS) / sqrt(total.variance + 1);
		return fabs(*z) <= Z_LIMIT;
	}
	xi = scounter_repr_xi(&array->cells.repr, 0) / 1e12;
	bound = xi * n * (n - 1) + 0.25;
	array_values(array, 0, CELLS, values);
	for (i = 0; i < CELLS; i++)
		moments_add(&moments, values[i] - n);
	summary = summarize(&moments);
	*z = summary.mean_z;
	*variance = summary.variance / bound;
	return fabs(summary.mean_z) <= Z_LIMIT && variance_z(&summary, bound) <= Z_LIMIT &&
	       summary.variance > bound / 20;
}

static void test_allreduce(const struct scounter_array_type *type, u64 seed)
{
	struct array *array = counted(type, seed), *again = counted(type, seed);
	double z, variance;
	bool right = !scounter_mpi_allreduce(array, MPI_COMM_WORLD);
	int differ;

	right &= is_unbiased(array, &z, &variance);
	differ = differing(array->words, array->cells.words);
	all_ok(right && !differ, "scounter_mpi_allreduce, %s: mean %+.2f standard errors, variance %.3f of the bound, %d words differ between processes",
	       name_of(array), z, variance, differ);
	right = !scounter_mpi_allreduce(again, MPI_COMM_WORLD);
	all_ok(right && !memcmp(array->words, again->words, array->cells.words * sizeof(u64)),
	       "%s: the same seed gives the same sums", name_of(array));
	array_free(array);
	array_free(again);
}

static void test_reduce(u64 seed)
{
	struct array *array = counted(&types[0], seed);
	u64 before = array->words[7];
	int root = processes - 1;
	double z = 0, variance;
	bool right = !scounter_mpi_reduce(array, root, MPI_COMM_WORLD);

	right &= rank == root ? is_unbiased(array, &z, &variance) : array->words[7] == before;
	all_ok(right, "scounter_mpi_reduce: the sum in one process, the others as they were");
	array_free(array);
}

/* The pitfall: what a plain MPI_Allreduce() makes of random roundings; and what is right. */
static void test_plain(u64 seed)
{
	struct array *array = counted(&types[0], seed);
	double z, variance;
	bool right;
	MPI_Op op;
	int differ;

	scounter_mpi_op_create(&types[0], seed, &op);
	/* As for small messages: implementations choose by length. */
	MPI_Allreduce(MPI_IN_PLACE, array->words, 100, MPI_UINT64_T, op, MPI_COMM_WORLD);
	differ = differing(array->words, 100);
	MPI_Allreduce(MPI_IN_PLACE, array->words + 100, array->cells.words - 100, MPI_UINT64_T, op,
		      MPI_COMM_WORLD);
	right = is_unbiased(array, &z, &variance);
	if (!rank)
		comment("a plain MPI_Allreduce of 100 words: %d differ between processes, and %d of %llu in all",
			differ, differing(array->words, array->cells.words), array->cells.words);
	else
		differing(array->words, array->cells.words);
	all_ok(right, "a plain MPI_Allreduce: mean %+.2f standard errors, variance %.3f of the bound",
	       z, variance);
	scounter_mpi_op_free(&op);
	array_free(array);
}

/* Blocks of words, in one piece and with gaps; the gaps stay. */
static void test_derived(u64 seed)
{
	enum { BLOCK = 5, STRIDE = 8 };
	struct array *array = counted(&types[3], seed), *sum = new_array(&types[3], CELLS, seed);
	u64 blocks = array->cells.words / BLOCK, i, touched = 0;
	u64 *gaps = allocate(blocks * STRIDE, sizeof(u64)), *out = allocate(blocks * STRIDE, sizeof(u64));
	MPI_Datatype block, vector, strided;
	double z, variance;
	MPI_Op op;

	scounter_mpi_op_create(&types[3], seed, &op);
	MPI_Type_contiguous(BLOCK, MPI_UINT64_T, &block);
	MPI_Type_commit(&block);
	MPI_Reduce(array->words, sum->words, blocks, block, op, 0, MPI_COMM_WORLD);
	all_ok(rank || is_unbiased(sum, &z, &variance), "MPI_Reduce of contiguous blocks");

	MPI_Type_vector(1, BLOCK, STRIDE, MPI_UINT64_T, &vector);
	MPI_Type_create_resized(vector, 0, STRIDE * sizeof(u64), &strided);
	MPI_Type_commit(&strided);
	memset(gaps, 0xa5, blocks * STRIDE * sizeof(u64));
	memset(out, 0x5a, blocks * STRIDE * sizeof(u64));
	for (i = 0; i < blocks; i++)
		memcpy(gaps + i * STRIDE, array->words + i * BLOCK, BLOCK * sizeof(u64));
	MPI_Reduce(gaps, out, blocks, strided, op, 0, MPI_COMM_WORLD);
	for (i = 0; i < blocks; i++) {
		memcpy(sum->words + i * BLOCK, out + i * STRIDE, BLOCK * sizeof(u64));
		touched += out[i * STRIDE + BLOCK] != 0x5a5a5a5a5a5a5a5aULL;
	}
	all_ok(rank || (is_unbiased(sum, &z, &variance) && !touched),
	       "MPI_Reduce of blocks with gaps, which stay as they were");
	MPI_Type_free(&block);
	MPI_Type_free(&vector);
	MPI_Type_free(&strided);
	scounter_mpi_op_free(&op);
	free(gaps);
	free(out);
	array_free(array);
	array_free(sum);
}

/* Buffers that no word is aligned in, of counts that are exact. */
static void test_unaligned(u64 seed)
{
	struct array *one = new_array(&types[4], 64, seed), *other = new_array(&types[4], 64, seed);
	u64 bytes = one->cells.words * sizeof(u64);
	char *in = allocate(bytes + 1, 1), *inout = allocate(bytes + 1, 1);
	u64 i, right = 0;
	MPI_Op op;

	scounter_mpi_op_create(&types[4], seed, &op);
	for (i = 0; i < 64; i++) {
		array_add(one, i, i % 16);
		array_add(other, i, i % 13);
	}
	memcpy(in + 1, one->words, bytes);
	memcpy(inout + 1, other->words, bytes);
	MPI_Reduce_local(in + 1, inout + 1, one->cells.words, MPI_UINT64_T, op);
	memcpy(other->words, inout + 1, bytes);
	for (i = 0; i < 64; i++)
		right += array_value(other, i) == i % 16 + i % 13;
	all_ok(right == 64, "MPI_Reduce_local of buffers that are not aligned: %llu of 64 sums right", right);
	scounter_mpi_op_free(&op);
	free(in);
	free(inout);
	array_free(one);
	array_free(other);
}

/* Two collectives at once that do not block, with different operations. */
static void test_nonblocking(u64 seed)
{
	struct array *one = counted(&types[0], seed), *other = counted(&types[5], seed);
	MPI_Request requests[2];
	MPI_Status statuses[2];
	double z[2], variance[2];
	MPI_Op ops[2];
	bool right;

	scounter_mpi_op_create(&types[0], seed, &ops[0]);
	scounter_mpi_op_create(&types[5], seed, &ops[1]);
	MPI_Iallreduce(MPI_IN_PLACE, one->words, one->cells.words, MPI_UINT64_T, ops[0],
		       MPI_COMM_WORLD, &requests[0]);
	MPI_Iallreduce(MPI_IN_PLACE, other->words, other->cells.words, MPI_UINT64_T, ops[1],
		       MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, statuses);
	right = is_unbiased(one, &z[0], &variance[0]) & is_unbiased(other, &z[1], &variance[1]);
	all_ok(right, "two MPI_Iallreduce at once: means %+.2f and %+.2f standard errors, variances %.3f and %.3f",
	       z[0], z[1], variance[0], variance[1]);
	scounter_mpi_op_free(&ops[0]);
	scounter_mpi_op_free(&ops[1]);
	array_free(one);
	array_free(other);
}

static bool lacks(struct array *array, u64 index)
{
	struct scounter_array_estimate estimate;

	array_estimate(array, index, &estimate);
	return estimate.flags & SCOUNTER_F_SATURATED;
}

/*
 * A count that was lost in one process, and one that is lost in the sum: all say so.  The
 * counter beside them says nothing.
 */
static void test_lost(u64 seed)
{
	struct array *array = new_array(&types[4], 3, seed);
	struct array *fresh = new_array(&types[4], 3, seed);
	bool right;

	array_add(array, 0, rank == processes - 1 ? 100000 : 0);
	array_add(array, 1, 3);
	right = !scounter_mpi_allreduce(array, MPI_COMM_WORLD);
	all_ok(right && array_saturated(array) && lacks(array, 0) && !lacks(array, 1) &&
	       array_value(array, 1) == 3u * processes,
	       "what one process lost, all say of the sum");
	array_add(fresh, 0, 5000);
	array_add(fresh, 1, 3);
	right = !array_saturated(fresh) && !scounter_mpi_allreduce(fresh, MPI_COMM_WORLD);
	all_ok(right && array_saturated(fresh) == (processes > 1) &&
	       lacks(fresh, 0) == (processes > 1) && !lacks(fresh, 1),
	       "what is lost in the sum, all say");
	array_free(array);
	array_free(fresh);
}

/* The error that another type brought to one process is that of the sum. */
static void test_brought(u64 seed)
{
	struct array *array = new_array(&types[5], 10, seed), *coarse = new_array(&types[2], 10, seed);
	u32 most = 0;

	array_add(coarse, 1, 1000);
	if (rank == processes - 1 && array_merge(array, coarse))
		errx(1, "%s", array_error());
	MPI_Allreduce(&array->mixed_ppm, &most, 1, MPI_UINT32_T, MPI_MAX, MPI_COMM_WORLD);
	all_ok(!scounter_mpi_allreduce(array, MPI_COMM_WORLD) && most > 500000 &&
	       array->mixed_ppm == most && array->roundings == 1,
	       "the error that was brought to one process is said of the sum");
	array_free(array);
	array_free(coarse);
}

static void test_refused(u64 seed)
{
	struct array *array = new_array(&types[0], rank ? 20 : 10 + 10 * (processes == 1), seed);
	struct array *other = new_array(&types[rank ? 0 : 1], 10, seed);
	MPI_Op ops[SCOUNTER_MPI_OPS], op = MPI_SUM;
	int expected = processes > 1 ? -EINVAL : 0, i, last;
	struct scounter_array_type bad = { .kind = 99 };
	bool right;

	array_add(array, 2, 5);
	array_add(other, 2, 5);
	right = scounter_mpi_allreduce(array, MPI_COMM_WORLD) == expected;
	right &= scounter_mpi_reduce(other, 0, MPI_COMM_WORLD) == expected;
	right &= array_value(array, 2) >= 3 && array_value(array, 2) <= 8 &&
		 array_value(other, 2) <= 8;
	all_ok(right, "arrays of different length or type are refused in all processes");
	all_ok(scounter_mpi_allreduce(array, MPI_COMM_NULL) == -EINVAL &&
	       scounter_mpi_reduce(array, processes, MPI_COMM_WORLD) == -EINVAL &&
	       scounter_mpi_reduce(array, -1, MPI_COMM_WORLD) == -EINVAL &&
	       scounter_mpi_op_create(&bad, 1, &op) == -EINVAL && op == MPI_SUM &&
	       scounter_mpi_op_free(&op) == -EINVAL && op == MPI_SUM,
	       "no communicator, no such process, no such type and no such operation");
	for (i = 0; i < SCOUNTER_MPI_OPS; i++)
		right &= !scounter_mpi_op_create(&types[0], 1, &ops[i]);
	last = scounter_mpi_op_create(&types[0], 1, &op);
	right = last == -ENOSPC && op == MPI_SUM;
	right &= scounter_mpi_allreduce(array, MPI_COMM_SELF) < 0;
	for (i = 0; i < SCOUNTER_MPI_OPS; i++)
		right &= !scounter_mpi_op_free(&ops[i]);
	right &= !scounter_mpi_allreduce(array, MPI_COMM_SELF);
	all_ok(right, "one operation too many is refused, and %d again afterwards are not",
	       SCOUNTER_MPI_OPS);
	array_free(array);
	array_free(other);
}

/* A datatype that no cells fit in: does not come back. */
static void reduce_bytes(void)
{
	unsigned char in[8] = { 1 }, inout[8] = { 2 };
	MPI_Op op;

	scounter_mpi_op_create(&types[0], 1, &op);
	MPI_Reduce_local(in, inout, 8, MPI_BYTE, op);
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	u32 i;

	if (scounter_mpi_op_create(&types[0], 1, &(MPI_Op){ 0 }) != -EINVAL)
		errx(1, "an operation before MPI_Init()");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &processes);
	if (argc > 2 && !strcmp(argv[2], "bytes"))
		reduce_bytes();
	if (!rank)
		comment("seed %llu, %d processes; a test of chance fails without cause by 6e-13",
			seed, processes);
	for (i = 0; i < SHARED; i++)
		test_local(&types[i], derive_seed(seed, "local", i));
	for (i = 0; i < TYPES; i++)
		test_allreduce(&types[i], derive_seed(seed, "allreduce", i));
	test_reduce(derive_seed(seed, "reduce", 0));
	test_plain(derive_seed(seed, "plain", 0));
	test_derived(derive_seed(seed, "derived", 0));
	test_unaligned(derive_seed(seed, "unaligned", 0));
	test_nonblocking(derive_seed(seed, "nonblocking", 0));
	test_lost(derive_seed(seed, "lost", 0));
	test_brought(derive_seed(seed, "brought", 0));
	test_refused(derive_seed(seed, "refused", 0));
	if (!rank)
		tap_plan(tap_tests());
	MPI_Finalize();
	return rank ? 0 : tap_status();
}
