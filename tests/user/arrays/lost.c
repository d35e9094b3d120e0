// SPDX-License-Identifier: GPL-2.0
/*
 * Counts that are lost at the end of a range: the rule of <uapi/linux/scounter_array.h>,
 * in the kernel, in the library, and in its merge of bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "subject.h"
#include "util.h"

/* Types whose last state stands for a whole number, so that it can be added. */
static const struct {
	struct scounter_array_type type;
	u64 most;
} ends[] = {
	{ { .kind = SCOUNTER_REPR_MORRIS, .bits = 4, .q_ppm = 2000000 }, 32767 },
	{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 4 }, 32767 },
	{ { .kind = SCOUNTER_REPR_MORRIS2, .bits = 5, .group = 3 }, (1ULL << 31) - 1 },
	{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 32 }, 8032 },
	{ { .kind = SCOUNTER_REPR_CSUROS2, .bits = 10, .m = 256 }, 3832 },
	{ { .kind = SCOUNTER_REPR_CSUROS, .bits = 6, .q_ppm = 2000000, .m = 8 }, 1912 },
	{ { .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 8, .q_ppm = 1500000 }, 510 },
	{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16 }, 15ULL << 15 },
	{ { .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 8, .m = 16, .theta = 10 }, 15ULL << 15 },
	{ { .kind = SCOUNTER_REPR_SHARED, .bits = 4 }, 15ULL << 60 },
	{ { .kind = SCOUNTER_REPR_SHARED, .bits = 16 }, 65535ULL << 48 },
};

enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

/* No addition is of 2^63 or more. */
static void add_all(const struct subject *subject, void *array, u64 index, u64 n)
{
	if (n >> 63) {
		subject->add(array, index, n / 2);
		n -= n / 2;
	}
	subject->add(array, index, n);
}

/* A value as large as can be, and whether anything is said to be lacking. */
static bool is_full(const struct subject *subject, void *array, u64 index, u64 most, bool lacks)
{
	struct scounter_array_estimate estimate;

	subject->estimate(array, index, &estimate);
	return estimate.value == most && subject->saturated(array) == lacks &&
	       !(estimate.flags & SCOUNTER_F_SATURATED) == !lacks &&
	       (!lacks || estimate.upper == U64_MAX);
}

/*
 * The level of a shared array rises by random rounding, so that all of a count but the
 * last unit is put into an empty cell.
 */
static void fill(const struct subject *subject, void *array, u64 index, u32 which)
{
	const struct scounter_cells *cells = subject->cells(array);
	u32 bits = cells->repr.type.bits, bit;
	u64 word, level = scounter_shared_level_max(bits);

	if (cells->repr.type.kind != SCOUNTER_REPR_SHARED) {
		add_all(subject, array, index, ends[which].most);
		return;
	}
	word = scounter_cells_find(cells, index, &bit);
	subject->set_word(array, word, level << SCOUNTER_SHARED_LEVEL_SHIFT |
			  ((1ULL << bits) - 1) << bit);
}

static void test_end(const struct subject *subject, u32 which, u64 seed)
{
	const struct scounter_array_type *type = &ends[which].type;
	bool shared = type->kind == SCOUNTER_REPR_SHARED;
	void *array = create(subject, type, 2, seed);
	u64 most = ends[which].most;
	bool full, lost;
	u32 tries = 0;

	fill(subject, array, 1, which);
	full = is_full(subject, array, 1, most, false);
	/* A sample: most events are none of it, and are not lost. */
	do
		subject->inc(array, 1);
	while (shared && !subject->saturated(array) && ++tries < 3);
	lost = shared || is_full(subject, array, 1, most, true);
	ok(full && lost && !may_lack(subject, array, 0), "%s: %s: %llu is a count, an increment more is lost",
	   subject->name, type_name(&subject->cells(array)->repr.type), most);
	subject->clear(array);
	full = !subject->saturated(array);
	fill(subject, array, 1, which);
	full &= is_full(subject, array, 1, most, false);
	add_all(subject, array, 1, shared ? 1ULL << 60 : 1);
	lost = is_full(subject, array, 1, most, true);
	ok(full && lost && !may_lack(subject, array, 0),
	   "%s: %s: cleared, then the same by an addition", subject->name,
	   type_name(&subject->cells(array)->repr.type));
	subject->free(array);
}

/* From the last state but one an increment goes to the last, and loses nothing. */
static void test_last_step(const struct subject *subject, u32 which, u64 seed)
{
	void *array = create(subject, &ends[which].type, 2, seed);
	const struct scounter_repr *repr = &subject->cells(array)->repr;
	u32 top = repr->top, tries;

	if (repr->type.kind == SCOUNTER_REPR_SHARED || repr->type.group > 1 ||
	    scounter_repr_worth(repr, top - 1).whole > 1000) {
		subject->free(array);
		return;
	}
	subject->set_word(array, 0, top - 1);
	for (tries = 0; tries < 100000 && state_of(subject, array, 0) == top - 1; tries++)
		subject->inc(array, 0);
	ok(state_of(subject, array, 0) == top && !subject->saturated(array),
	   "%s: %s: the last step is taken, after %u increments", subject->name,
	   type_name(&repr->type), tries);
	subject->free(array);
}

/* Merged into one of its like: the sum is beyond the end, or one was lost before. */
static void test_end_merged(const struct subject *subject, u32 which, u64 seed)
{
	const struct scounter_array_type *type = &ends[which].type;
	void *full = create(subject, type, 3, seed), *sum = create(subject, type, 3, seed);
	u64 most = ends[which].most;
	bool right, lost;

	fill(subject, full, 1, which);
	right = !subject->merge(sum, full) && is_full(subject, sum, 1, most, false);
	subject->merge(sum, full);
	lost = is_full(subject, sum, 1, most, true) && !subject->saturated(full);
	ok(right && lost, "%s: %s: merged twice, a sum beyond %llu is lost", subject->name,
	   type_name(&subject->cells(sum)->repr.type), most);
	subject->clear(sum);
	subject->lose(full);
	right = !subject->merge(sum, full) && is_full(subject, sum, 1, most, true) &&
		!may_lack(subject, sum, 0) && !may_lack(subject, sum, 2);
	ok(right, "%s: %s: what was lost before a merge is said after it", subject->name,
	   type_name(&subject->cells(sum)->repr.type));
	subject->free(full);
	subject->free(sum);
}

/* The same after it was saved and loaded. */
static bool is_kept(const struct subject *subject, void *array, u64 length)
{
	FILE *file = subject->snapshot(array);
	struct array *loaded;
	bool kept = !array_load(&loaded, file) &&
		    array_saturated(loaded) == subject->saturated(array);
	u64 i;

	for (i = 0; kept && i < length; i++)
		kept = may_lack(&subjects[LIBRARY], loaded, i) == may_lack(subject, array, i);
	fclose(file);
	array_free(loaded);
	return kept;
}

/*
 * From a narrow type to another and on to a third.  Counter 0 lacks counts, and says so
 * in each; counters 1 and 2 do not: 3, or none.  What is at or above what came in as
 * full cannot be told apart from it: counter 3.
 */
static void test_chain(const struct subject *subject, u32 a, u32 b, u32 c, u64 seed)
{
	static const struct scounter_array_type narrow[] = {
		{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 4 },
		{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 4, .m = 8 },
		{ .kind = SCOUNTER_REPR_DLM_FLOAT, .bits = 5, .m = 8 },
	};
	void *first = create(subject, &narrow[a], 4, seed);
	void *second = create(subject, &mixed[b], 4, seed);
	void *third = create(subject, &mixed[c], 4, seed);
	struct scounter_array_estimate estimate;
	bool right, kept;

	subject->add(first, 0, 1 << 20);
	subject->add(first, 1, 3);
	subject->add(second, 3, 1 << 25);
	subject->merge(second, first);
	subject->merge(third, second);
	subject->estimate(third, 0, &estimate);
	right = may_lack(subject, first, 0) && !may_lack(subject, first, 1) &&
		may_lack(subject, second, 0) && !may_lack(subject, second, 1) &&
		!may_lack(subject, second, 2) && may_lack(subject, second, 3) &&
		may_lack(subject, third, 0) && !may_lack(subject, third, 1) &&
		!may_lack(subject, third, 2) && estimate.upper == U64_MAX;
	kept = is_kept(subject, first, 4) && is_kept(subject, second, 4) &&
	       is_kept(subject, third, 4);
	ok(right && kept, "%s: what is lost in %s stays said in %s and %s", subject->name,
	   type_name(&narrow[a]), type_name(&mixed[b]), type_name(&mixed[c]));
	subject->free(first);
	subject->free(second);
	subject->free(third);
}

/* A first step of 66666: a cell that lacks counts may be empty. */
static void test_large_step(const struct subject *subject, u64 seed)
{
	static const struct scounter_array_type narrow = {
		.kind = SCOUNTER_REPR_CSUROS2, .bits = 4, .m = 16,
	};
	static const struct scounter_array_type steep = {
		.kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 4, .q_ppm = 1000001,
	};
	void *src = create(subject, &narrow, 2, seed), *dst = create(subject, &steep, 2, seed);
	void *again = create(subject, &steep, 2, seed);
	struct array_total none = { .flags = ~0U };

	subject->add(src, 0, 100);
	subject->merge(dst, src);
	subject->merge(again, dst);
	ok(may_lack(subject, dst, 0) && may_lack(subject, again, 0),
	   "%s: 15 of 100 are in no state of %s, and it says so", subject->name,
	   type_name(&subject->cells(dst)->repr.type));
	ok(!subject->sum(dst, 0, 0, &none) && !none.flags && !none.value,
	   "%s: the sum of none lacks nothing", subject->name);
	subject->free(src);
	subject->free(dst);
	subject->free(again);
}

/*
 * A snapshot from before lost_from: 72 bytes of header.  A damaged one says that cells
 * lack counts only beyond the last state.
 */
static void test_headers(u64 seed)
{
	const struct subject *library = &subjects[LIBRARY];
	const u32 old = offsetof(struct scounter_array_header, lost_from);
	void *array = create(library, &ends[3].type, 2, seed);
	struct scounter_array_header *header;
	struct array *loaded;
	char buffer[sizeof(*header) + 8];
	FILE *file;
	bool right;

	fill(library, array, 0, 3);
	library->inc(array, 0);
	file = library->snapshot(array);
	ok(fread(buffer, 1, sizeof(buffer), file) == sizeof(buffer), "a header of %zu bytes, and a word",
	   sizeof(*header));
	fclose(file);
	header = (struct scounter_array_header *)buffer;
	header->lost_from = U64_MAX - 1;
	file = fmemopen(buffer, sizeof(buffer), "rb");
	right = !array_load(&loaded, file) && may_lack(library, loaded, 0);
	ok(right, "a full cell of a saturated array lacks counts, whatever else the header says");
	array_free(loaded);
	fclose(file);

	header->header_bytes = old;
	memmove(buffer + old, buffer + sizeof(*header), 8);
	file = fmemopen(buffer, old + 8, "rb");
	right = !array_load(&loaded, file) && may_lack(library, loaded, 0) &&
		!may_lack(library, loaded, 1);
	ok(right, "so it does with a header of %u bytes, which does not say where", old);
	array_free(loaded);
	fclose(file);

	header->flags = 0;
	file = fmemopen(buffer, old + 8, "rb");
	right = !array_load(&loaded, file) && !array_saturated(loaded) &&
		!may_lack(library, loaded, 0);
	ok(right, "and none does where nothing was lost");
	array_free(loaded);
	fclose(file);
	library->free(array);
}

/* Another copy of an array of one word. */
static void second_copy(struct array *array, u64 word)
{
	array->copies = 2;
	array->words = realloc(array->words, 2 * sizeof(u64));
	if (!array->words)
		exit(2);
	array->words[1] = word;
}

/* A sum over copies that is beyond 2^64 is not a small one. */
static void test_copies(u64 seed)
{
	const struct subject *library = &subjects[LIBRARY];
	const struct scounter_array_type type = { .kind = SCOUNTER_REPR_SHARED, .bits = 8 };
	struct array *src = create(library, &type, 2, seed), *dst = create(library, &type, 2, seed);
	u64 full = 56ULL << SCOUNTER_SHARED_LEVEL_SHIFT | 255;

	library->set_word(src, 0, full);
	second_copy(src, full);
	ok(!library->merge(dst, src) && is_full(library, dst, 0, 255ULL << 56, true),
	   "a sum of two full copies is full, and lacks counts");
	array_free(src);
	array_free(dst);
}

/* Three that merge: the kernel, the library, and the library's merge of bytes. */
enum { CELL_BY_CELL = SUBJECTS, MERGERS };

static const char *const mergers[MERGERS] = {
	"the kernel", "the library by bytes", "the library cell by cell",
};

struct merged {
	bool saturated;
	u8 lacking;		/* a bit a cell */
};

/* Eight cells of x and eight of z, one word each, and whether each array has lost some. */
static struct merged merge_word(u32 how, const struct scounter_array_type *type, u64 x, u64 z,
				bool x_lost, bool z_lost)
{
	const struct subject *subject = &subjects[how == CELL_BY_CELL ? LIBRARY : how];
	void *dst = create(subject, type, 8, 1), *src;
	struct merged merged = { 0 };
	u32 i;

	src = create(subject, type, 8, 1);
	if (how == CELL_BY_CELL)
		second_copy(src, 0);
	subject->set_word(dst, 0, x);
	subject->set_word(src, 0, z);
	if (x_lost)
		subject->lose(dst);
	if (z_lost)
		subject->lose(src);
	if (subject->merge(dst, src))
		exit(2);
	merged.saturated = subject->saturated(dst);
	for (i = 0; i < 8; i++)
		merged.lacking |= may_lack(subject, dst, i) << i;
	subject->free(dst);
	subject->free(src);
	return merged;
}

/* Whether a sum of two states is beyond the last, and whether it is the last at least. */
static bool is_beyond(const struct scounter_repr *repr, u32 x, u32 z)
{
	return scounter_real_less(repr->most, scounter_real_sum(scounter_repr_f(repr, x),
								scounter_repr_f(repr, z)));
}

/* What the rule says, of what a merger has made of x and z. */
static bool by_rule(const struct scounter_repr *repr, u64 x, u64 z, bool x_lost, bool z_lost,
		    const struct merged *merged)
{
	bool lost = x_lost, right = true;
	u32 i;

	for (i = 0; i < 64; i += 8) {
		u32 one = x >> i & 255, other = z >> i & 255;

		lost |= is_beyond(repr, one, other) || (z_lost && other == repr->top);
	}
	for (i = 0; i < 64; i += 8) {
		u32 one = x >> i & 255, other = z >> i & 255;
		bool lacks = merged->lacking >> i / 8 & 1;

		/* Sums that are rounded may be in the last state, or not. */
		if (one == repr->top || other == repr->top || is_beyond(repr, one, other))
			right &= lacks == lost;
		else
			right &= !lacks || lost;
	}
	return right && merged->saturated == lost;
}

/* All pairs of states near both ends, eight at a time, by each merger. */
static void test_mergers(const struct scounter_array_type *type, u64 seed)
{
	enum { WORDS = 1500 };
	const struct scounter_repr *repr = repr_of(type->kind, type->bits, type->q_ppm, type->m,
						   type->theta);
	u32 wrong[MERGERS] = { 0 }, i, j, how;

	for (i = 0; i < WORDS; i++) {
		u64 x = 0, z = 0, random = next_seed(&seed);

		for (j = 0; j < 64; j += 8) {
			u64 draw = next_seed(&seed);
			u32 near = draw % 4 ? repr->top : 20;

			/* A word in two has no cell that is nearly full. */
			if (random & 4)
				near = repr->top / 2;
			x |= (u64)(near - (draw >> 8) % min(near, 20U)) << j;
			z |= (u64)(draw >> 40 & 1 ? near - (draw >> 16) % min(near, 20U) :
				   (draw >> 24) % 3) << j;
		}
		for (how = 0; how < MERGERS; how++) {
			struct merged merged = merge_word(how, type, x, z, random & 1, random >> 1 & 1);

			wrong[how] += !by_rule(repr, x, z, random & 1, random >> 1 & 1, &merged);
		}
	}
	for (how = 0; how < MERGERS; how++)
		ok(!wrong[how], "%s: %s says what was lost, and of which cells", type_name(&repr->type),
		   mergers[how]);
}

void test_lost(u64 seed)
{
	static const struct scounter_array_type bytes[] = {
		{ .kind = SCOUNTER_REPR_MORRIS, .bits = 8, .q_ppm = 1080000 },
		{ .kind = SCOUNTER_REPR_MORRIS2, .bits = 8 },
		{ .kind = SCOUNTER_REPR_CSUROS2, .bits = 8, .m = 32 },
		{ .kind = SCOUNTER_REPR_CSUROS, .bits = 8, .q_ppm = 1200000, .m = 8 },
		{ .kind = SCOUNTER_REPR_DLM_PROBABILITY, .bits = 8, .q_ppm = 1500000 },
	};
	const struct subject *subject;
	u32 i, b, c;

	for (subject = subjects; subject < subjects + SUBJECTS; subject++) {
		for (i = 0; i < ENDS; i++) {
			test_end(subject, i, derive_seed(seed, "end", i));
			test_last_step(subject, i, derive_seed(seed, "step", i));
			test_end_merged(subject, i, derive_seed(seed, "merged", i));
		}
		for (b = 0; b < MIXED; b++)
			for (c = 0; c < MIXED; c++)
				test_chain(subject, (b + c) % 3, b, c, derive_seed(seed, "chain", b * MIXED + c));
		test_large_step(subject, seed);
	}
	test_headers(seed);
	test_copies(seed);
	for (i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		test_mergers(&bytes[i], derive_seed(seed, "mergers", i));
}
