// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of MPI on the words of arrays.
 *
 * An operation gets two buffers and a datatype and nothing else: so there is a function
 * for each, which knows its slot.  MPI calls it with pieces of the buffers, in any order,
 * and from threads of its own where collectives do not block.  So a slot has random
 * numbers for each thread, and what is lost is noted by an atomic minimum.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "scounter_mpi.h"
#include "xoshiro.h"

/* Words of a Reduce_scatter: bounds what is allocated, and counts are ints in MPI. */
#define CHUNK	(1U << 16)

struct slot {
	bool used;
	u64 id;			/* of no other operation of this process */
	u64 seed;
	u32 threads;		/* that have had random numbers of it */
	MPI_Op op;
	struct array *own;	/* to be freed, or NULL */
	struct array model;	/* the type, with its tables */
	u64 lost_from;
};

static struct slot slots[SCOUNTER_MPI_OPS];
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

/* Of this thread. */
static __thread struct {
	u64 id;
	struct array random;	/* of which only the generators are used */
} generators[SCOUNTER_MPI_OPS];

/* There is nobody to return an error to. */
static void __attribute__((noreturn)) give_up(const char *why)
{
	fprintf(stderr, "scounter_mpi: %s\n", why);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

static struct array *generator_of(struct slot *slot)
{
	u32 which = slot - slots;
	u64 mixed[4];
	int rank;

	if (generators[which].id != slot->id) {
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		/* Seeds of neighbours are hashed apart by array_seed(). */
		mixed[0] = slot->seed;
		mixed[1] = rank;
		mixed[2] = __atomic_fetch_add(&slot->threads, 1, __ATOMIC_RELAXED);
		mixed[3] = 1;
		next_bits(mixed);
		next_bits(mixed);
		generators[which].id = slot->id;
		array_seed(&generators[which].random, next_bits(mixed) + mixed[3]);
	}
	return &generators[which].random;
}

static void note_lost(struct slot *slot, u64 lost_from)
{
	u64 before = __atomic_load_n(&slot->lost_from, __ATOMIC_RELAXED);

	while (lost_from < before &&
	       !__atomic_compare_exchange_n(&slot->lost_from, &before, lost_from, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * Arrays over the two buffers are merged.  What may lack counts already says so by its
 * count, which does not become less: so nothing need be known of it here.
 */
static void merge(struct slot *slot, u64 *in, u64 *inout, u64 words)
{
	struct array *random = generator_of(slot);
	struct array dst = slot->model, src;

	if (!words)
		return;
	dst.cells.words = words;
	dst.cells.count = words * dst.cells.per_word;
	dst.length = dst.cells.count;
	dst.copies = 1;
	dst.level = 0;
	dst.mixed_ppm = 0;
	dst.roundings = 0;
	dst.unit = 0;
	dst.lost_from = SCOUNTER_NOTHING_LOST;
	src = dst;
	src.words = in;
	dst.words = inout;
	dst.rnd = random->rnd;
	memcpy(dst.bulk, random->bulk, sizeof(dst.bulk));
	if (array_merge(&dst, &src))
		give_up(array_error());
	random->rnd = dst.rnd;
	memcpy(random->bulk, dst.bulk, sizeof(dst.bulk));
	note_lost(slot, dst.lost_from);
}

static bool is_contiguous(MPI_Datatype type, int size)
{
	MPI_Aint low, extent, true_low, true_extent;

	MPI_Type_get_extent(type, &low, &extent);
	MPI_Type_get_true_extent(type, &true_low, &true_extent);
	return !low && !true_low && extent == size && true_extent == size;
}

static bool is_aligned(const void *in, const void *inout)
{
	return !(((uintptr_t)in | (uintptr_t)inout) % sizeof(u64));
}

/* Cells that do not lie side by side are copied to where they do, and back. */
static void merge_packed(struct slot *slot, void *in, void *inout, int length,
			 MPI_Datatype type, u64 bytes)
{
	int room, from = 0, to = 0, back = 0;
	void *first, *second;

	MPI_Pack_size(length, type, MPI_COMM_SELF, &room);
	first = malloc(room);
	second = malloc(room);
	if (!first || !second)
		give_up("out of memory for a type that is not contiguous");
	MPI_Pack(in, length, type, first, room, &from, MPI_COMM_SELF);
	MPI_Pack(inout, length, type, second, room, &to, MPI_COMM_SELF);
	if ((u64)from != bytes || (u64)to != bytes)
		give_up("this MPI packs more than the cells");
	merge(slot, first, second, bytes / sizeof(u64));
	MPI_Unpack(second, to, &back, inout, length, type, MPI_COMM_SELF);
	free(first);
	free(second);
}

static void apply(struct slot *slot, void *in, void *inout, int length, MPI_Datatype type)
{
	u64 bytes;
	int size;

	MPI_Type_size(type, &size);
	bytes = (u64)size * length;
	if (size % sizeof(u64))
		give_up("the datatype is not made of 64-bit words");
	if (is_contiguous(type, size) && is_aligned(in, inout))
		merge(slot, in, inout, bytes / sizeof(u64));
	else
		merge_packed(slot, in, inout, length, type, bytes);
}

#define FUNCTION(n)							\
static void operate_##n(void *in, void *inout, int *length, MPI_Datatype *type) \
{									\
	apply(&slots[n], in, inout, *length, *type);			\
}

#define EACH(do)							\
	do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)			\
	do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)

EACH(FUNCTION)

#define ENTRY(n)	operate_##n,

static MPI_User_function *const functions[] = { EACH(ENTRY) };

_Static_assert(sizeof(functions) / sizeof(functions[0]) == SCOUNTER_MPI_OPS,
	       "a function for each operation");

static bool is_running(void)
{
	int started = 0, ended = 0;

	MPI_Initialized(&started);
	MPI_Finalized(&ended);
	return started && !ended;
}

static int mpi_error(int code)
{
	char text[MPI_MAX_ERROR_STRING];
	int length;

	if (code == MPI_SUCCESS)
		return 0;
	MPI_Error_string(code, text, &length);
	return array_fail(-EIO, "%.*s", length, text);
}

static struct slot *take_slot(void)
{
	static u64 last_id;
	struct slot *slot = NULL;
	u32 i;

	pthread_mutex_lock(&slots_lock);
	for (i = 0; i < SCOUNTER_MPI_OPS && !slot; i++)
		if (!slots[i].used)
			slot = &slots[i];
	if (slot) {
		*slot = (struct slot){
			.used = true, .id = ++last_id,
			.lost_from = SCOUNTER_NOTHING_LOST,
		};
	}
	pthread_mutex_unlock(&slots_lock);
	if (!slot)
		array_fail(-ENOSPC, "there are %u operations at once", SCOUNTER_MPI_OPS);
	return slot;
}

static void leave_slot(struct slot *slot)
{
	array_free(slot->own);
	pthread_mutex_lock(&slots_lock);
	slot->used = false;
	pthread_mutex_unlock(&slots_lock);
}

static struct slot *slot_of(MPI_Op op)
{
	u32 i;

	for (i = 0; i < SCOUNTER_MPI_OPS; i++)
		if (slots[i].used && slots[i].op == op)
			return &slots[i];
	return NULL;
}

/* An operation with the tables of an array; all but the sum's random bits is commutative. */
static int open_slot(struct slot *slot, const struct array *model, u64 seed)
{
	slot->model = *model;
	slot->seed = seed;
	return mpi_error(MPI_Op_create(functions[slot - slots], 1, &slot->op));
}

int scounter_mpi_op_create(const struct scounter_array_type *type, u64 seed, MPI_Op *op)
{
	struct array *model;
	struct slot *slot;
	int err;

	if (!is_running())
		return array_fail(-EINVAL, "MPI is not initialized");
	err = array_create(&model, type, 1);
	if (err)
		return err;
	slot = take_slot();
	if (!slot) {
		array_free(model);
		return -ENOSPC;
	}
	slot->own = model;
	err = open_slot(slot, model, seed);
	if (err)
		leave_slot(slot);
	else
		*op = slot->op;
	return err;
}

int scounter_mpi_op_free(MPI_Op *op)
{
	struct slot *slot = slot_of(*op);

	if (!slot)
		return array_fail(-EINVAL, "no operation of scounter_mpi_op_create()");
	leave_slot(slot);
	return mpi_error(MPI_Op_free(op));
}

u64 scounter_mpi_op_lost_from(MPI_Op op)
{
	struct slot *slot = slot_of(op);

	return slot ? __atomic_load_n(&slot->lost_from, __ATOMIC_RELAXED) : SCOUNTER_NOTHING_LOST;
}

/*
 * What all processes must agree on, and what becomes the largest of all: of the former,
 * the largest and the least must be the same, and so the complement is reduced, too.
 */
enum {
	KIND, BITS, Q_PPM, M, THETA, GROUP, LENGTH, COPIES, ROOT, AGREED,
	MIXED_PPM = AGREED, ROUNDINGS, UNIT, LEVEL, LOST, TROUBLE, FACTS,
};

static void facts_of(const struct array *array, int root, bool trouble, u64 facts[FACTS])
{
	const struct scounter_array_type *type = &array->cells.repr.type;

	facts[KIND] = type->kind;
	facts[BITS] = type->bits;
	facts[Q_PPM] = type->q_ppm;
	facts[M] = type->m;
	facts[THETA] = type->theta;
	facts[GROUP] = type->group;
	facts[LENGTH] = array->length;
	facts[COPIES] = array->copies;
	facts[ROOT] = root;
	facts[MIXED_PPM] = array->mixed_ppm;
	facts[ROUNDINGS] = array->roundings;
	facts[UNIT] = array->unit;
	facts[LEVEL] = array->level;
	facts[LOST] = ~array->lost_from;
	facts[TROUBLE] = trouble;
}

#define SIGN	(1ULL << 63)

/*
 * As signed numbers, which keep their order without the upper bit: MPICH 4.0.2 takes
 * unsigned ones of 64 bits for signed in MPI_MAX, and OpenMPI 4.1.4 some of them.
 */
static int largest(u64 *values, int count, MPI_Comm comm)
{
	int i, err;

	for (i = 0; i < count; i++)
		values[i] ^= SIGN;
	err = mpi_error(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, comm));
	for (i = 0; i < count; i++)
		values[i] ^= SIGN;
	return err;
}

static int agree(u64 facts[FACTS], MPI_Comm comm)
{
	u64 all[FACTS + AGREED];
	u32 i;
	int err;

	memcpy(all, facts, FACTS * sizeof(*all));
	for (i = 0; i < AGREED; i++)
		all[FACTS + i] = ~facts[i];
	err = largest(all, FACTS + AGREED, comm);
	if (err)
		return err;
	memcpy(facts, all, FACTS * sizeof(*all));
	if (all[TROUBLE])
		return array_fail(-ENOMEM, "out of memory, or of operations, in some process");
	for (i = 0; i < AGREED; i++)
		if (all[i] != ~all[FACTS + i])
			return array_fail(-EINVAL, "the processes have arrays of different type, length or copies, or different roots");
	return 0;
}

static void split(u32 words, int processes, int *counts, int *starts)
{
	int i;

	for (i = 0; i < processes; i++) {
		starts[i] = (u64)words * i / processes;
		counts[i] = (u64)words * (i + 1) / processes - starts[i];
	}
}

struct reduction {
	struct slot *slot;
	MPI_Comm comm;
	int root, rank, processes;	/* root: -1 for all */
	int *counts, *starts;
	u64 *part;			/* of this process */
	u64 *sum;
};

static int reduce_chunk(struct reduction *r, const u64 *words, u64 *sum, u32 count)
{
	int err;

	if (r->root >= 0)
		return mpi_error(MPI_Reduce(words, sum, count, MPI_UINT64_T, r->slot->op, r->root,
					    r->comm));
	split(count, r->processes, r->counts, r->starts);
	err = mpi_error(MPI_Reduce_scatter(words, r->part, r->counts, MPI_UINT64_T, r->slot->op,
					   r->comm));
	if (err)
		return err;
	return mpi_error(MPI_Allgatherv(r->part, r->counts[r->rank], MPI_UINT64_T, sum, r->counts,
					r->starts, MPI_UINT64_T, r->comm));
}

static int reduce_words(struct reduction *r, const u64 *words, u64 count)
{
	u64 done;
	int err = 0;

	for (done = 0; !err && done < count; done += CHUNK)
		err = reduce_chunk(r, words + done, r->sum + done,
				   count - done < CHUNK ? count - done : CHUNK);
	return err;
}

/* What sums of any process lost. */
static int gather_lost(struct reduction *r)
{
	u64 lost = ~r->slot->lost_from;
	int err = largest(&lost, 1, r->comm);

	r->slot->lost_from = ~lost;
	return err;
}

static void take_sum(struct array *array, struct reduction *r, const u64 facts[FACTS])
{
	u64 i, words = array->cells.words * array->copies;

	free(array->words);
	array->words = r->sum;
	r->sum = NULL;
	array->mixed_ppm = facts[MIXED_PPM];
	array->roundings = facts[ROUNDINGS];
	array->unit = facts[UNIT];
	array->level = facts[LEVEL];
	array->lost_from = ~facts[LOST];
	array_note_lost(array, r->slot->lost_from);
	if (array->cells.repr.type.kind == SCOUNTER_REPR_SHARED)
		for (i = 0; i < words; i++)
			array->level = max(array->level, scounter_shared_level(array->words[i]));
}

static int prepare(struct reduction *r, const struct array *array)
{
	r->slot = take_slot();
	if (!r->slot)
		return -ENOSPC;
	r->sum = malloc(array->cells.words * array->copies * sizeof(u64));
	r->part = malloc(CHUNK * sizeof(u64));
	r->counts = calloc(r->processes, sizeof(int));
	r->starts = calloc(r->processes, sizeof(int));
	if (!r->sum || !r->part || !r->counts || !r->starts)
		return array_fail(-ENOMEM, "out of memory");
	/* The array's own generator goes on, so that sums are independent. */
	return open_slot(r->slot, array, next_bits((u64 *)array->bulk));
}

static void clean_up(struct reduction *r)
{
	if (r->slot) {
		if (r->slot->op)
			MPI_Op_free(&r->slot->op);
		leave_slot(r->slot);
	}
	free(r->sum);
	free(r->part);
	free(r->counts);
	free(r->starts);
}

static int check_comm(MPI_Comm comm, int root, struct reduction *r)
{
	int inter = 0, err;

	if (!is_running())
		return array_fail(-EINVAL, "MPI is not initialized");
	if (comm == MPI_COMM_NULL)
		return array_fail(-EINVAL, "no communicator");
	err = mpi_error(MPI_Comm_test_inter(comm, &inter));
	if (!err && inter)
		return array_fail(-EINVAL, "an intercommunicator has no sum of its own");
	if (!err)
		err = mpi_error(MPI_Comm_rank(comm, &r->rank));
	if (!err)
		err = mpi_error(MPI_Comm_size(comm, &r->processes));
	if (!err && root >= r->processes)
		return array_fail(-EINVAL, "no process %d of %d", root, r->processes);
	return err;
}

static int reduce(struct array *array, int root, MPI_Comm comm)
{
	struct reduction r = { .comm = comm, .root = root };
	u64 facts[FACTS];
	int err = check_comm(comm, root, &r);

	if (err)
		return err;
	facts_of(array, root, prepare(&r, array), facts);
	err = agree(facts, comm);
	if (!err)
		err = reduce_words(&r, array->words, array->cells.words * array->copies);
	if (!err)
		err = gather_lost(&r);
	if (!err && (root < 0 || root == r.rank))
		take_sum(array, &r, facts);
	clean_up(&r);
	return err;
}

int scounter_mpi_allreduce(struct array *array, MPI_Comm comm)
{
	return reduce(array, -1, comm);
}

int scounter_mpi_reduce(struct array *array, int root, MPI_Comm comm)
{
	if (root < 0)
		return array_fail(-EINVAL, "no process %d", root);
	return reduce(array, root, comm);
}
