// SPDX-License-Identifier: GPL-2.0
/* Snapshots, as <uapi/linux/scounter_array.h> lays them out. */
#include <errno.h>
#include <string.h>

#include "internal.h"

#define COPIES_MAX	(1U << 16)

/* What the first headers had. */
#define HEADER_LEAST	offsetof(struct scounter_array_header, lost_from)

static int check_header(const struct scounter_array_header *header)
{
	if (header->magic == __builtin_bswap32(SCOUNTER_ARRAY_MAGIC))
		return array_fail(-EPROTO, "the snapshot is from a machine of the other byte order");
	if (header->magic != SCOUNTER_ARRAY_MAGIC)
		return array_fail(-EINVAL, "this is no snapshot of an array");
	if (header->version != SCOUNTER_ARRAY_VERSION)
		return array_fail(-EPROTO, "the snapshot is of version %u, not of %u as this program",
				  header->version, SCOUNTER_ARRAY_VERSION);
	if (header->header_bytes < HEADER_LEAST || header->header_bytes > 4096)
		return array_fail(-EINVAL, "the snapshot has a header of %u bytes",
				  header->header_bytes);
	if (!header->copies || header->copies > COPIES_MAX)
		return array_fail(-EINVAL, "the snapshot has %u copies", header->copies);
	return 0;
}

static int read_header(struct scounter_array_header *header, FILE *from)
{
	size_t got = fread(header, 1, HEADER_LEAST, from);
	size_t more, rest;
	int err;

	/* What is no snapshot is said to be none, however short it is. */
	if (got < 8 || header->magic != SCOUNTER_ARRAY_MAGIC)
		return got < 8 ? array_fail(-ENODATA, "the snapshot is truncated in its header") :
		       check_header(header);
	if (got < HEADER_LEAST)
		return header->version != SCOUNTER_ARRAY_VERSION ? check_header(header) :
		       array_fail(-ENODATA, "the snapshot is truncated in its header");
	err = check_header(header);
	if (err)
		return err;
	rest = header->header_bytes - HEADER_LEAST;
	more = min_t(size_t, rest, sizeof(*header) - HEADER_LEAST);
	rest -= fread((char *)header + HEADER_LEAST, 1, more, from);
	while (rest && getc(from) != EOF)
		rest--;
	return rest ? array_fail(-ENODATA, "the snapshot is truncated in its header") : 0;
}

/* A full cell of a saturated array may lack counts, whatever a damaged header says. */
static u64 lost_from(const struct array *array, const struct scounter_array_header *header)
{
	u64 end = scounter_cells_lost_at_end(&array->cells);

	if (!(header->flags & SCOUNTER_ARRAY_SATURATED))
		return SCOUNTER_NOTHING_LOST;
	return header->header_bytes < offsetof(struct scounter_array_header, unit) ? end : min(end, header->lost_from);
}

/*
 * A state beyond the last, which only a damaged snapshot has, is the last: sums
 * must not meet it.
 */
static u64 possible_word(const struct scounter_cells *cells, u64 word)
{
	u32 bits = cells->repr.type.bits, bit, i;

	for (i = 0, bit = 0; i < cells->per_word; i++, bit += bits) {
		u64 x = scounter_cells_state(cells, word, bit);

		if (x > cells->repr.top)
			word ^= (x ^ cells->repr.top) << bit;
	}
	if (cells->repr.type.kind == SCOUNTER_REPR_SHARED &&
	    scounter_shared_level(word) > scounter_shared_level_max(bits)) {
		word &= (1ULL << SCOUNTER_SHARED_LEVEL_SHIFT) - 1;
		word |= (u64)scounter_shared_level_max(bits) << SCOUNTER_SHARED_LEVEL_SHIFT;
	}
	return word;
}

static int read_words(struct array *array, FILE *from)
{
	u64 all = array->cells.words * array->copies;
	u64 got = fread(array->words, sizeof(u64), all, from);
	u64 i;

	if (ferror(from))
		return array_fail(-EIO, "the snapshot cannot be read: %s", strerror(errno));
	if (got < all)
		return array_fail(-ENODATA, "the snapshot is truncated: %llu words of %llu",
				  got, all);
	if (getc(from) != EOF)
		return array_fail(-EINVAL, "the snapshot goes on after its last word");
	for (i = 0; i < all; i++)
		array->words[i] = possible_word(&array->cells, array->words[i]);
	return 0;
}

static void find_level(struct array *array)
{
	u64 i;

	if (array->cells.repr.type.kind != SCOUNTER_REPR_SHARED)
		return;
	for (i = 0; i < array->cells.words * array->copies; i++)
		array->level = max(array->level, scounter_shared_level(array->words[i]));
}

int array_load(struct array **array, FILE *from)
{
	struct scounter_array_header header = { 0 };
	int err = read_header(&header, from);

	*array = NULL;
	if (err)
		return err;
	err = array_create_copies(array, &header.type, header.length, header.copies);
	if (err)
		return err;
	if (header.words != (*array)->cells.words)
		err = array_fail(-EINVAL, "the snapshot has %llu words for %llu counters",
				 header.words, header.length);
	if (!err)
		err = read_words(*array, from);
	if (err) {
		array_free(*array);
		*array = NULL;
		return err;
	}
	(*array)->mixed_ppm = header.error_ppm;
	(*array)->refused = header.refused;
	(*array)->partial = header.flags & SCOUNTER_ARRAY_PARTIAL;
	(*array)->unit = header.unit;
	(*array)->roundings = min(header.roundings, SCOUNTER_ROUNDINGS_MAX);
	(*array)->lost_from = lost_from(*array, &header);
	(*array)->placement = header.flags & (SCOUNTER_ARRAY_PER_NODE | SCOUNTER_ARRAY_PER_CPU);
	find_level(*array);
	return 0;
}

static u64 unit_of(const struct array *array)
{
	struct scounter_known known = array_known(array);

	if (array->cells.repr.type.kind != SCOUNTER_REPR_SHARED)
		return known.unit;
	return scounter_known_unit(&known, &array->cells.repr);
}

int array_save(const struct array *array, FILE *to)
{
	struct scounter_array_header header = {
		.magic		= SCOUNTER_ARRAY_MAGIC,
		.version	= SCOUNTER_ARRAY_VERSION,
		.header_bytes	= sizeof(header),
		.flags		= array->placement |
				  (array->partial ? SCOUNTER_ARRAY_PARTIAL : 0) |
				  (array_saturated(array) ? SCOUNTER_ARRAY_SATURATED : 0),
		.type		= array->cells.repr.type,
		.copies		= array->copies,
		.error_ppm	= array->mixed_ppm,
		.length		= array->length,
		.words		= array->cells.words,
		.refused	= array->refused,
		.lost_from	= array->lost_from,
		.unit		= unit_of(array),
		.roundings	= array->roundings,
	};
	u64 all = array->cells.words * array->copies;

	if (fwrite(&header, sizeof(header), 1, to) != 1 ||
	    fwrite(array->words, sizeof(u64), all, to) != all || fflush(to))
		return array_fail(-EIO, "the snapshot cannot be written: %s", strerror(errno));
	return 0;
}
