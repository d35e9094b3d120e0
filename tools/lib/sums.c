// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of snapshots of several machines, counter by counter (kmod/repr/sum.h).  Each
 * name is in memory once, however many machines there are.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "counters.h"
#include "index.h"
#include "repr/sum.h"

#define MIXED	"mixed"		/* machines have the counter in different kinds */

struct boot {
	uint8_t id[16];
};

struct sums {
	struct scounter_sum *of;	/* each record */
	struct boot *boots;		/* that are known */
	uint32_t boots_count;
	struct index by_boot;
};

void sums_free(struct sums *sums)
{
	if (!sums)
		return;
	index_free(&sums->by_boot);
	free(sums->boots);
	free(sums->of);
	free(sums);
}

void estimate_of(const record_t *r, struct scounter_estimate *estimate)
{
	bool lossy = r->flags & SCOUNTER_F_LOSSY;

	*estimate = (struct scounter_estimate) {
		.value = r->value,
		.lower = lossy ? 0 : r->lower,
		.upper = lossy ? UINT64_MAX : r->upper,
		.error_ppm = r->error_ppm,
		.flags = r->flags,
	};
}

uint32_t machines_of(const record_t *r)
{
	return r->kind ? 1 : r->parameters[0];
}

/* A bound on the wrong side of the value is no counter's. */
static int check_bounds(const struct snapshot *snapshot)
{
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		if (!(r->flags & SCOUNTER_F_UNSURE) && (r->lower > r->value || r->upper < r->value))
			return array_fail(-EINVAL, "damaged: bounds that cannot be, of %.63s/%.63s",
					  r->group, r->name);
		if (i && !record_order(r, r - 1))
			return array_fail(-EINVAL, "damaged: %.63s/%.63s is there twice",
					  r->group, r->name);
	}
	return 0;
}

/* Times of machines are compared on the real clock. */
static void make_sum(record_t *r)
{
	r->parameters[0] = machines_of(r);
	memset(&r->parameters[1], 0, sizeof(r->parameters) - sizeof(r->parameters[0]));
	memset(r->raw, 0, sizeof(r->raw));
	r->kind = 0;
	r->created_ns = r->created_real_ns;
	r->reset_ns = r->reset_real_ns;
	r->wrapped_ns = r->wrapped_real_ns;
	r->saturated_ns = 0;
}

static int grow_boots(struct sums *sums)
{
	uint32_t room = sums->boots_count, i;
	struct boot *boots;
	int err;

	if (room & (room - 1) || (room && room < 16))
		return 0;
	room = room ? 2 * room : 16;
	boots = realloc(sums->boots, room * sizeof(*boots));
	if (!boots)
		return out_of_memory();
	sums->boots = boots;
	index_free(&sums->by_boot);
	err = index_create(&sums->by_boot, room, sizeof(*boots), sizeof(*boots));
	for (i = 0; !err && i < sums->boots_count; i++)
		*index_find(&sums->by_boot, boots, &boots[i]) = i + 1;
	return err;
}

static bool is_known(const header_t *header)
{
	static const struct boot none;

	return memcmp(header->boot_id, none.id, sizeof(none.id));
}

/* Where the boot is to be, or NULL where it is not known; -EEXIST if it is there. */
static int find_boot(struct sums *sums, const header_t *header, bool clones, uint32_t **slot)
{
	int err;

	*slot = NULL;
	if (!is_known(header))
		return 0;
	err = grow_boots(sums);
	if (err)
		return err;
	*slot = index_find(&sums->by_boot, sums->boots, header->boot_id);
	if (!**slot)
		return 0;
	*slot = NULL;
	return clones ? 0 : array_fail(-EEXIST, "of a boot of a machine that is in the sum already");
}

static void add_boot(struct sums *sums, const header_t *header, uint32_t *slot)
{
	if (!slot)
		return;
	memcpy(&sums->boots[sums->boots_count++], header->boot_id, sizeof(*sums->boots));
	*slot = sums->boots_count;
}

static void put(struct scounter_sum *sum, const record_t *r)
{
	struct scounter_estimate estimate;

	estimate_of(r, &estimate);
	/* A quantile of the words of a family is none of those of several. */
	if (!machines_of(r))
		estimate.flags |= SCOUNTER_F_PARTIAL;
	scounter_sum_put(sum, &estimate);
}

static void remark(const struct remarks *remarks, enum oddity oddity, const record_t *r)
{
	if (remarks)
		remarks->say(remarks->of, oddity, r);
}

/* The median of two machines is not the sum of theirs. */
static void drop_quantiles(struct snapshot *snapshot, const struct remarks *remarks)
{
	uint64_t i, kept = 0;

	for (i = 0; i < snapshot->header.count; i++) {
		const record_t *r = &snapshot->records[i];

		if (r->flags & SCOUNTER_F_GAUGE && !r->parameters[0])
			remark(remarks, NO_SUM, r);
		else
			snapshot->records[kept++] = *r;
	}
	snapshot->header.count = kept;
}

/* What is one machine's becomes a sum, of one. */
static int begin(struct snapshot *snapshot, const struct remarks *remarks)
{
	struct sums *sums;
	uint64_t i;
	uint32_t *slot;
	int err;

	if (snapshot->sums)
		return 0;
	err = check_bounds(snapshot);
	if (err)
		return err;
	sums = calloc(1, sizeof(*sums));
	if (!sums)
		return out_of_memory();
	sums->of = calloc(snapshot->header.count + 1, sizeof(*sums->of));
	err = sums->of ? find_boot(sums, &snapshot->header, true, &slot) : out_of_memory();
	if (err) {
		sums_free(sums);
		return err;
	}
	add_boot(sums, &snapshot->header, slot);
	drop_quantiles(snapshot, remarks);
	for (i = 0; i < snapshot->header.count; i++) {
		put(&sums->of[i], &snapshot->records[i]);
		make_sum(&snapshot->records[i]);
	}
	snapshot->header.monotonic_ns = snapshot->header.real_ns;
	snapshot->sums = sums;
	return 0;
}

static bool differ(const char *one, const char *other)
{
	return *one && *other && strcmp(one, other);
}

static bool is_of_another_type(const struct snapshot *dst, const record_t *to,
			       const struct snapshot *src, const record_t *r)
{
	return differ(unit_of(dst, to), unit_of(src, r)) ||
	       (*r->object && to->label && r->label &&
		differ(label_of(dst, to), label_of(src, r)));
}

static void take_later(__u64 *to, uint64_t time)
{
	if (*to < time)
		*to = time;
}

static void add_times(record_t *to, const record_t *r)
{
	take_later(&to->created_ns, r->created_real_ns);
	take_later(&to->created_real_ns, r->created_real_ns);
	take_later(&to->reset_ns, r->reset_real_ns);
	take_later(&to->reset_real_ns, r->reset_real_ns);
	take_later(&to->wrapped_ns, r->wrapped_real_ns);
	take_later(&to->wrapped_real_ns, r->wrapped_real_ns);
	to->resets += r->resets;
	to->wraps += r->wraps;
}

static void add_record(record_t *to, struct scounter_sum *sum, const record_t *r,
		       const struct remarks *remarks)
{
	if (r->flags & SCOUNTER_F_UNSURE)
		remark(remarks, NOT_SURE, r);
	if (strcmp((const char *)to->kind_name, (const char *)r->kind_name)) {
		if (strcmp((const char *)to->kind_name, MIXED))
			remark(remarks, KINDS_DIFFER, r);
		memset(to->kind_name, 0, sizeof(to->kind_name));
		strcpy((char *)to->kind_name, MIXED);
	}
	put(sum, r);
	add_times(to, r);
	to->parameters[0] += machines_of(r);
	to->bytes = to->bytes > UINT32_MAX - r->bytes ? UINT32_MAX : to->bytes + r->bytes;
}

/* A text that dst has not yet is appended; what does not fit is left out. */
static __u32 text_in(struct snapshot *dst, const char *text)
{
	uint32_t size = dst->header.texts_size, at, length = strlen(text) + 1;
	char *texts;

	if (length == 1)
		return 0;
	for (at = 0; at < size; at += strlen(dst->texts + at) + 1)
		if (!strcmp(dst->texts + at, text))
			return at;
	at = size ? size : 1;
	if (at + length > SCOUNTER_SNAPSHOT_HEADER_MAX - sizeof(header_t))
		return 0;
	texts = realloc(dst->texts, at + length);
	if (!texts)
		return 0;
	*texts = 0;
	memcpy(texts + at, text, length);
	dst->texts = texts;
	dst->header.texts_size = at + length;
	return at;
}

static void add_texts(struct snapshot *dst, record_t *to, const struct snapshot *src,
		      const record_t *r)
{
	if (!to->unit && r->unit)
		to->unit = text_in(dst, unit_of(src, r));
	if (!to->help && r->help)
		to->help = text_in(dst, help_of(src, r));
	if (!to->label && r->label)
		to->label = text_in(dst, label_of(src, r));
}

/* A counter that no machine before had. */
static void new_record(struct snapshot *dst, record_t *to, struct scounter_sum *sum,
		       const struct snapshot *src, const record_t *r, const struct remarks *remarks)
{
	*to = *r;
	to->unit = to->help = to->label = 0;
	add_texts(dst, to, src, r);
	make_sum(to);
	*sum = (struct scounter_sum) { 0 };
	put(sum, r);
	if (r->flags & SCOUNTER_F_UNSURE)
		remark(remarks, NOT_SURE, r);
}

static uint64_t new_names(const struct snapshot *dst, const struct snapshot *src)
{
	uint64_t d = 0, s, new = 0;

	for (s = 0; s < src->header.count; s++) {
		int order = 1;

		while (d < dst->header.count &&
		       (order = record_order(&dst->records[d], &src->records[s])) < 0)
			d++;
		new += order || d == dst->header.count;
	}
	return new;
}

static int make_room(struct snapshot *dst, uint64_t count)
{
	struct scounter_sum *sums;
	record_t *records;

	if (count == dst->header.count)
		return 0;
	records = realloc(dst->records, count * sizeof(*records));
	if (!records)
		return out_of_memory();
	dst->records = records;
	sums = realloc(dst->sums->of, count * sizeof(*sums));
	if (!sums)
		return out_of_memory();
	dst->sums->of = sums;
	return 0;
}

/* From the last to the first, so that new names find their room: no memory is needed. */
static void add_all(struct snapshot *dst, const struct snapshot *src, uint64_t count,
		    const struct remarks *remarks)
{
	uint64_t d = dst->header.count, s = src->header.count, to = count;
	struct scounter_sum *sums = dst->sums->of;
	record_t *records = dst->records;

	while (s > 0) {
		const record_t *r = &src->records[s - 1];
		int order = d ? record_order(&records[d - 1], r) : -1;

		to--;
		if (order < 0) {
			new_record(dst, &records[to], &sums[to], src, r, remarks);
			s--;
			continue;
		}
		d--;
		if (to != d) {
			records[to] = records[d];
			sums[to] = sums[d];
		}
		if (order > 0)
			continue;
		s--;
		if (is_of_another_type(dst, &records[to], src, r)) {
			remark(remarks, UNITS_DIFFER, r);
			sums[to].flags |= SCOUNTER_F_PARTIAL;
			continue;
		}
		add_texts(dst, &records[to], src, r);
		add_record(&records[to], &sums[to], r, remarks);
	}
	dst->header.count = count;
}

/* As two numbers of 64 bits, so that the order of machines does not matter. */
void add_boot_id(__u8 *to, const __u8 *id)
{
	uint64_t sum, one;
	int half;

	for (half = 0; half < 2; half++) {
		memcpy(&sum, to + 8 * half, 8);
		memcpy(&one, id + 8 * half, 8);
		sum = htole64(le64toh(sum) + le64toh(one));
		memcpy(to + 8 * half, &sum, 8);
	}
}

static void add_header(header_t *to, const header_t *header)
{
	take_later(&to->real_ns, header->real_ns);
	to->monotonic_ns = to->real_ns;
	to->cpus += header->cpus;
	add_boot_id(to->boot_id, header->boot_id);
}

int snapshot_merge(struct snapshot *dst, struct snapshot *src, bool clones,
		   const struct remarks *remarks)
{
	uint32_t *slot;
	uint64_t count;
	int err = dst == src ? array_fail(-EINVAL, "a snapshot is not merged with itself") : 0;

	if (!err)
		err = begin(dst, remarks);
	if (!err)
		err = check_bounds(src);
	if (!err)
		err = find_boot(dst->sums, &src->header, clones, &slot);
	if (err)
		return err;
	drop_quantiles(src, remarks);
	count = dst->header.count + new_names(dst, src);
	err = make_room(dst, count);
	if (err)
		return err;
	add_all(dst, src, count, remarks);
	add_boot(dst->sums, &src->header, slot);
	add_header(&dst->header, &src->header);
	return 0;
}

void snapshot_empty(struct snapshot *snapshot)
{
	*snapshot = (struct snapshot) {
		.header = {
			.byte_order = SCOUNTER_SNAPSHOT_BYTE_ORDER,
			.version = SCOUNTER_SNAPSHOT_VERSION,
			.oldest_reader = 1,
			.header_size = sizeof(header_t),
			.record_size = sizeof(record_t),
		},
	};
	memcpy(snapshot->header.magic, SCOUNTER_SNAPSHOT_MAGIC, sizeof(snapshot->header.magic));
}

/* What the sums come to. */
void snapshot_settle(struct snapshot *snapshot)
{
	struct scounter_estimate total;
	uint64_t i;

	for (i = 0; snapshot->sums && i < snapshot->header.count; i++) {
		record_t *r = &snapshot->records[i];

		scounter_sum_get(&snapshot->sums->of[i], &total);
		r->value = total.value;
		r->lower = min_t(u64, total.lower, total.value);
		r->upper = total.flags & SCOUNTER_F_UNSURE ? UINT64_MAX : total.upper;
		r->error_ppm = total.error_ppm;
		r->flags = total.flags;
	}
}

void snapshot_mark_partial(struct snapshot *snapshot)
{
	uint64_t i;

	for (i = 0; i < snapshot->header.count; i++) {
		snapshot->records[i].flags |= SCOUNTER_F_PARTIAL;
		snapshot->records[i].upper = UINT64_MAX;
		if (snapshot->sums)
			snapshot->sums->of[i].flags |= SCOUNTER_F_PARTIAL;
	}
}
