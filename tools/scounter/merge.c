// SPDX-License-Identifier: GPL-2.0
/*
 * merge: what many machines have counted.  Files are read one after the other, and the
 * sum of those before is all that is kept.
 *
 * A file that cannot be added is left out, and the sum says that it lacks something.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "items.h"
#include "kind.h"
#include "scounter.h"

#define REMARKS	16

static const char *const kinds[] = {
	[FILE_COUNTERS] = "a snapshot of counters",
	[FILE_ARRAY] = "an array",
	[FILE_ITEMS] = "a table of frequent items",
};

struct oddness {
	enum oddity oddity;
	char name[NAME_ROOM];
	const char *state, *file;	/* of the first */
	unsigned long machines;
};

/* A file that is a sum already, and of which boots. */
struct part {
	const char *file;
	__u8 boot_id[16];
};

struct merge {
	int kind;
	const char *first, *file;	/* that was added first; that is being added */
	struct snapshot counters;
	struct array *array;
	struct items *items;
	uint64_t earliest, latest;	/* real times of snapshots */
	unsigned long added, left_out, lacking;
	bool clones;
	uint32_t version;		/* another one that was said */
	bool odd;			/* something is not as it should be */
	struct oddness oddness[REMARKS];
	unsigned int oddities;
	unsigned long more;		/* that found no room */
	unsigned long no_sums;		/* quantiles, the first of which is */
	char no_sum[NAME_ROOM];
	struct part *parts;		/* that are sums */
	unsigned long parts_count;
	struct stat *files;		/* those that were given */
	unsigned long given;
};

/* @lacks: what it has is missing in the sum */
static void leave_out(struct merge *merge, bool lacks, const char *why)
{
	warn("%s: %s; it is left out", merge->file, why);
	merge->left_out++;
	merge->lacking += lacks;
}

static void remember(void *of, enum oddity oddity, const record_t *record)
{
	struct merge *merge = of;
	struct oddness *odd = merge->oddness;
	char name[NAME_ROOM];
	unsigned int i;

	merge->odd |= oddity == UNITS_DIFFER || oddity == NOT_SURE;
	if (oddity == NO_SUM) {
		if (!merge->no_sums++)
			full_name(record, merge->no_sum);
		return;
	}
	full_name(record, name);
	for (i = 0; i < merge->oddities; i++, odd++) {
		if (odd->oddity == oddity && !strcmp(odd->name, name)) {
			odd->machines++;
			return;
		}
	}
	if (i == REMARKS) {
		merge->more++;
		return;
	}
	*odd = (struct oddness) {
		.oddity = oddity, .state = state_of(record), .file = merge->file, .machines = 1
	};
	strcpy(odd->name, name);
	merge->oddities++;
}

static const char *plural(const struct oddness *odd)
{
	return odd->machines == 1 ? "" : "s";
}

static void say(const struct oddness *odd)
{
	switch (odd->oddity) {
	case KINDS_DIFFER:
		warn("%s: of another kind in %s than before; added, the sum is of the kind mixed",
		     odd->name, odd->file);
		break;
	case UNITS_DIFFER:
		warn("%s: of another unit or label on %lu machine%s (the first is %s); not added "
		     "there, the sum is partial", odd->name, odd->machines, plural(odd), odd->file);
		break;
	case NO_SUM:
		break;
	case NOT_SURE:
		warn("%s: %s on %lu machine%s (the first is %s), and so is the sum", odd->name,
		     odd->state, odd->machines, plural(odd), odd->file);
		break;
	}
}

static void say_all(const struct merge *merge)
{
	unsigned int i;

	for (i = 0; i < merge->oddities; i++)
		say(&merge->oddness[i]);
	if (merge->more)
		warn("and %lu more such", merge->more);
	if (merge->no_sums)
		warn("%lu values cannot be added up, and are left out (the first is %s)",
		     merge->no_sums, merge->no_sum);
	if (merge->lacking)
		warn("%lu of %lu files are missing in the sums, which are partial",
		     merge->lacking, merge->added + merge->left_out);
}

/* Fields that a version does not know are taken as 0: said once of each in a row. */
static void say_version(struct merge *merge, const struct snapshot *s)
{
	if (s->version == SCOUNTER_SNAPSHOT_VERSION || s->version == merge->version)
		return;
	merge->version = s->version;
	warn("%s: version %u, converted to version %u, that of this program", merge->file,
	     s->version, SCOUNTER_SNAPSHOT_VERSION);
}

/* The last snapshot of a recording; 1, or what snapshot_load() says. */
static int last_of(struct merge *merge, FILE *file, struct snapshot *last)
{
	int got = snapshot_load(last, file);
	struct snapshot next;

	while (got > 0) {
		got = snapshot_load(&next, file);
		if (got > 0) {
			snapshot_free(last);
			*last = next;
		}
		if (got < 0) {
			warn("%s: %s; the whole snapshot before that is taken", merge->file,
			     array_error());
			merge->odd = true;
		}
		if (got <= 0)
			return 1;
	}
	return got;
}

static bool is_sum(const struct snapshot *s)
{
	uint64_t i;

	for (i = 0; i < s->header.count; i++)
		if (!s->records[i].kind && !(s->records[i].flags & SCOUNTER_F_GAUGE))
			return true;
	return false;
}

static void note_part(struct merge *merge, const struct snapshot *s)
{
	struct part *part;

	merge->parts = realloc(merge->parts, (merge->parts_count + 1) * sizeof(*merge->parts));
	if (!merge->parts)
		fail(FAILED, "out of memory");
	part = &merge->parts[merge->parts_count++];
	part->file = merge->file;
	memcpy(part->boot_id, s->header.boot_id, sizeof(part->boot_id));
}

/*
 * The sum of last time beside its own machines would double all counts.  Boots of sums
 * add up, so that all together have its boots twice.
 */
static void check_parts(const struct merge *merge)
{
	const __u8 none[16] = { 0 };
	unsigned long i;

	for (i = 0; i < merge->parts_count; i++) {
		const struct part *part = &merge->parts[i];
		__u8 twice[16] = { 0 };

		add_boot_id(twice, part->boot_id);
		add_boot_id(twice, part->boot_id);
		if (merge->added > 1 && memcmp(part->boot_id, none, sizeof(none)) &&
		    !memcmp(twice, merge->counters.header.boot_id, sizeof(twice)))
			fail(FAILED, "%s: the sum of the same machines as the other files; they would "
			     "be added twice, and nothing is merged", part->file);
		if (merge->added > 1)
			warn("%s: a sum already; no other file is to have a machine that is in it",
			     part->file);
	}
}

static int add_counters(struct merge *merge, FILE *file)
{
	const struct remarks remarks = { .say = remember, .of = merge };
	struct snapshot next;
	int err = last_of(merge, file, &next);
	bool sum;

	if (err < 0)
		return err;
	sum = is_sum(&next);
	say_version(merge, &next);
	err = snapshot_merge(&merge->counters, &next, merge->clones, &remarks);
	if (!err) {
		uint64_t time = next.header.real_ns;

		if (!merge->added || time < merge->earliest)
			merge->earliest = time;
		if (time > merge->latest)
			merge->latest = time;
		if (sum)
			note_part(merge, &next);
	}
	snapshot_free(&next);
	return err;
}

static int add_array(struct merge *merge, FILE *file)
{
	struct array *next;
	int err = array_load(&next, file);

	if (err)
		return err;
	if (array_saturated(next)) {
		warn("%s: counts were lost, and so they are in the sum", merge->file);
		merge->odd = true;
	}
	if (!merge->array) {
		merge->array = next;
		return 0;
	}
	if (memcmp(&merge->array->cells.repr.type, &next->cells.repr.type,
		   sizeof(next->cells.repr.type)))
		warn("%s: cells of another type than in %s, to which they are converted",
		     merge->file, merge->first);
	err = array_merge(merge->array, next);
	array_free(next);
	return err;
}

static int add_items(struct merge *merge, FILE *file)
{
	struct items *next;
	int err = items_load(&next, file);

	if (err)
		return err;
	if (next->header.flags & (SCOUNTER_TOPK_F_SATURATED | SCOUNTER_TOPK_F_DROPPED)) {
		warn("%s: hits were lost, and so they are in the sum", merge->file);
		merge->odd = true;
	}
	if (!merge->items) {
		merge->items = next;
		return 0;
	}
	err = items_merge(merge->items, next);
	items_free(next);
	return err;
}

static int add_kind(struct merge *merge, FILE *file)
{
	switch (merge->kind) {
	case FILE_COUNTERS: return add_counters(merge, file);
	case FILE_ARRAY: return add_array(merge, file);
	default: return add_items(merge, file);
	}
}

static void add_open(struct merge *merge, FILE *file)
{
	int kind = file_kind(file), err;
	char why[256];

	if (kind <= 0) {
		leave_out(merge, true, kind ? array_error() : "empty");
		return;
	}
	if (merge->added && kind != merge->kind) {
		snprintf(why, sizeof(why), "%s, where %s is %s", kinds[kind], merge->first,
			 kinds[merge->kind]);
		leave_out(merge, true, why);
		return;
	}
	merge->kind = kind;
	err = add_kind(merge, file);
	if (err == -ENOMEM)
		fail(FAILED, "%s: %s", merge->file, array_error());
	if (err == -EEXIST) {
		snprintf(why, sizeof(why), "%s, and --clones was not said", array_error());
		leave_out(merge, false, why);
	} else if (err) {
		leave_out(merge, true, array_error());
	} else if (!merge->added++) {
		merge->first = merge->file;
	}
}

static int by_identity(const void *a, const void *b)
{
	const struct stat *x = a, *y = b;

	if (x->st_dev != y->st_dev)
		return x->st_dev < y->st_dev ? -1 : 1;
	return x->st_ino < y->st_ino ? -1 : x->st_ino > y->st_ino;
}

/* A file by two names is one machine.  @given: sorted, with st_nlink 0 once it was read */
static bool is_first(struct merge *merge, FILE *file)
{
	struct stat here, *one;

	if (fstat(fileno(file), &here))
		return true;
	one = bsearch(&here, merge->files, merge->given, sizeof(here), by_identity);
	if (!one)
		return true;
	while (one > merge->files && !by_identity(one - 1, one))
		one--;
	if (!one->st_nlink)
		return false;
	one->st_nlink = 0;
	return true;
}

static void find_files(struct merge *merge, char **paths)
{
	unsigned long n = 0;

	while (paths[n])
		n++;
	merge->files = calloc(n + 1, sizeof(*merge->files));
	if (!merge->files)
		fail(FAILED, "out of memory");
	for (; *paths; paths++)
		if (!stat(*paths, &merge->files[merge->given]))
			merge->given++;
	qsort(merge->files, merge->given, sizeof(*merge->files), by_identity);
}

static void add(struct merge *merge, const char *path)
{
	FILE *file = file_from(path);

	merge->file = path;
	if (!file) {
		leave_out(merge, true, array_error());
		return;
	}
	if (is_first(merge, file))
		add_open(merge, file);
	else
		leave_out(merge, false, "given twice");
	fclose(file);
}

static void print_time(const char *what, uint64_t ns)
{
	time_t seconds = ns / 1000000000;
	char text[64];
	struct tm tm;

	strftime(text, sizeof(text), "%F %T", gmtime_r(&seconds, &tm));
	printf("%s%s", what, text);
}

static void print_counter(const struct snapshot *s, const record_t *r, int width, bool tsv)
{
	char name[NAME_ROOM], error[32], upper[32];
	char *end = full_name(r, name);

	if (tsv) {
		printf("%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n",
		       name, r->kind_name, machines_of(r), (uint64_t)r->value, r->error_ppm,
		       (uint64_t)r->lower, (uint64_t)r->upper, state_of(r), unit_of(s, r));
		return;
	}
	format_error(r, error, sizeof(error));
	snprintf(upper, sizeof(upper), r->upper == UINT64_MAX ? "-" : "%" PRIu64,
		 (uint64_t)r->upper);
	printf("%s%*s %8" PRIu32 " %20" PRIu64 " %10s %20" PRIu64 " %20s  %s\n", name,
	       width - width_until(name, end), "", machines_of(r), (uint64_t)r->value, error,
	       (uint64_t)r->lower, upper, state_of(r));
}

static void print_counters(const struct merge *merge, bool tsv)
{
	const struct snapshot *s = &merge->counters;
	char name[NAME_ROOM];
	int width = 4;
	uint64_t i;

	for (i = 0; i < s->header.count; i++) {
		int own = width_until(name, full_name(&s->records[i], name));

		width = own > width ? own : width;
	}
	if (tsv) {
		puts("name\tkind\tmachines\tvalue\terror_ppm\tlower\tupper\tstate\tunit");
	} else {
		printf("# %lu snapshot%s", merge->added, merge->added == 1 ? "" : "s");
		print_time(" from ", merge->earliest);
		print_time(" to ", merge->latest);
		puts(" UTC");
		printf("%-*s %8s %20s %10s %20s %20s  %s\n", width, "NAME", "MACHINES", "VALUE",
		       "ERROR", "LOWER", "UPPER", "STATE");
	}
	for (i = 0; i < s->header.count; i++)
		print_counter(s, &s->records[i], width, tsv);
}

static const char *state_of_sum(bool partial, bool saturated, const char *otherwise)
{
	return partial ? "partial" : saturated ? "saturated" : otherwise;
}

static void print_array(const struct merge *merge, bool tsv)
{
	struct array *array = merge->array;
	struct array_total sum;

	if (array_sum(array, 0, array->length, &sum))
		fail(FAILED, "%s", array_error());
	puts(tsv ? "counters\tmachines\tsum\tdeviation\tstate" :
	     "            COUNTERS MACHINES                  SUM            DEVIATION  STATE");
	printf(tsv ? "%llu\t%lu\t%.0f\t%.0f\t%s\n" : "%20llu %8lu %20.0f %20.0f  %s\n",
	       array->length, merge->added, sum.value, sqrt(sum.variance),
	       state_of_sum(array->partial, sum.flags & SCOUNTER_F_SATURATED, "complete"));
}

/* A key that is a text, with zeros behind it, or its bytes. */
static void print_key(const unsigned char *key, uint32_t size)
{
	uint32_t length = strnlen((const char *)key, size), i;

	for (i = length; i < size && !key[i]; i++)
		;
	if (length && i == size) {
		for (i = 0; i < length && key[i] > ' ' && key[i] < 0x7f && key[i] != '\\'; i++)
			;
		if (i == length) {
			printf("%.*s\n", (int)length, key);
			return;
		}
	}
	for (i = 0; i < size; i++)
		printf("%02x", key[i]);
	putchar('\n');
}

static void print_items(const struct merge *merge, bool tsv, unsigned long top)
{
	const struct scounter_topk_header *header = &merge->items->header;
	const char *state = state_of_sum(header->flags & SCOUNTER_TOPK_F_PARTIAL,
					 header->flags & SCOUNTER_TOPK_F_SATURATED,
					 header->flags & SCOUNTER_TOPK_F_DROPPED ? "dropped" : "complete");
	uint32_t i;

	printf("# %lu table%s, total %llu floor %llu pending %llu dropped %llu state %s\n",
	       merge->added, merge->added == 1 ? "" : "s", header->total, header->floor, header->pending, header->dropped, state);
	puts(tsv ? "count\terror\tkey" : "               COUNT                ERROR  KEY");
	for (i = 0; i < header->records && i < top; i++) {
		const struct scounter_topk_record *record = items_record(merge->items, i);

		printf(tsv ? "%llu\t%llu\t" : "%20llu %20llu  ", record->count, record->error);
		print_key(record->key, header->key_size);
	}
}

static void settle(struct merge *merge)
{
	bool partial = merge->lacking;

	switch (merge->kind) {
	case FILE_COUNTERS:
		snapshot_settle(&merge->counters);
		if (partial)
			snapshot_mark_partial(&merge->counters);
		break;
	case FILE_ARRAY:
		merge->array->partial |= partial;
		break;
	case FILE_ITEMS:
		items_settle(merge->items);
		if (partial)
			merge->items->header.flags |= SCOUNTER_TOPK_F_PARTIAL;
		break;
	}
}

static void save(struct merge *merge, const char *path)
{
	struct atomic_file out;

	atomic_open(&out, path);
	/* What cannot be written is found when it is closed. */
	switch (merge->kind) {
	case FILE_COUNTERS:
		snapshot_write(&merge->counters, out.file);
		break;
	case FILE_ARRAY:
		array_save(merge->array, out.file);
		break;
	case FILE_ITEMS:
		items_save(merge->items, out.file);
		break;
	}
	atomic_close(&out);
}

static void print(struct merge *merge, bool tsv, unsigned long top)
{
	switch (merge->kind) {
	case FILE_COUNTERS:
		print_counters(merge, tsv);
		break;
	case FILE_ARRAY:
		print_array(merge, tsv);
		break;
	case FILE_ITEMS:
		print_items(merge, tsv, top);
		break;
	}
}

static void merge_free(struct merge *merge)
{
	snapshot_free(&merge->counters);
	array_free(merge->array);
	items_free(merge->items);
	free(merge->files);
	free(merge->parts);
}

int cmd_merge(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "clones", no_argument, NULL, 'c' },
		{ "tsv", no_argument, NULL, 't' },
		{ "top", required_argument, NULL, 'n' },
		{}
	};
	struct merge merge = {};
	const char *output = NULL;
	unsigned long top = 0;
	bool tsv = false;
	int option;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case 'o': output = optarg; break;
		case 'c': merge.clones = true; break;
		case 't': tsv = true; break;
		case 'n': top = number_of("--top", optarg); break;
		default: return USAGE;
		}
	}
	if (optind == argc)
		usage_error("merge wants files");
	snapshot_empty(&merge.counters);
	find_files(&merge, argv + optind);
	for (; optind < argc; optind++)
		add(&merge, argv[optind]);
	if (!merge.added)
		fail(FAILED, "no file could be read; nothing is merged");
	check_parts(&merge);
	settle(&merge);
	if (output)
		save(&merge, output);
	else
		print(&merge, tsv, top ? top : tsv ? UINT32_MAX : 20);
	say_all(&merge);
	merge_free(&merge);
	return merge.left_out || merge.odd ? FAILED : OK;
}
