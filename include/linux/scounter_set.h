/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scounter sets: the counters that each object of a kind has, described once.
 *
 *	enum { RX_PACKETS, RX_BYTES, LINK_COUNTERS };
 *
 *	static const struct scounter_set_row link_rows[LINK_COUNTERS] = {
 *		[RX_PACKETS] = SCOUNTER_SET_ROW("rx_packets", SCOUNTER_EXACT, 0,
 *						"packets", "Packets received."),
 *		[RX_BYTES] = SCOUNTER_SET_ROW("rx_bytes", SCOUNTER_EXACT, 0,
 *					      "bytes", "Bytes received."),
 *	};
 *	static const struct scounter_set_desc link_desc = {
 *		.label = "link", .rows = link_rows, .count = LINK_COUNTERS,
 *	};
 *
 *	set = scounter_set_create(&link_desc, "eth0", GFP_KERNEL);
 *	if (IS_ERR(set))
 *		return PTR_ERR(set);
 *	scounter_set_inc(set, RX_PACKETS);		any context, any CPU
 *	scounter_set_add(set, RX_BYTES, skb->len);
 *	scounter_set_destroy(set);
 *
 * A set is one allocation and one registration, however many counters it has.  Each of
 * these is a bare word of <linux/scounter_word.h>, and counts as one.  <linux/scounter.h>
 * has the contract.
 */
#ifndef _LINUX_SCOUNTER_SET_H
#define _LINUX_SCOUNTER_SET_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/scounter.h>
#include <linux/types.h>

/* As many counters can a set have. */
#define SCOUNTER_SET_ROWS_MAX		65536U

/*
 * All rows have kinds with words of four bytes, and a set has four bytes a row.  Without
 * it, it has eight.
 */
#define SCOUNTER_SET_WORDS32		BIT(0)
/*
 * No row is to be seen anywhere until scounter_set_show_row() shows it.  Such a set has
 * SCOUNTER_HIDE_SYSFS in its description's hide.
 */
#define SCOUNTER_SET_SPARSE		BIT(1)

/**
 * struct scounter_set_row - a counter of each set
 * @name: as of a counter, see scounter_create(); no two rows have the same
 * @class: kind and accuracy: SCOUNTER_CLASS() or scounter_class_init()
 * @unit: as in struct scounter_description, or NULL
 * @help: the same
 *
 * A class with SCOUNTER_CLASS_WRAP or SCOUNTER_CLASS_RESETS is refused, as is the kind
 * SCOUNTER_RACING: the counters of a set only grow.
 */
struct scounter_set_row {
	const char *name;
	struct scounter_class class;
	const char *unit;
	const char *help;
};

/**
 * SCOUNTER_SET_ROW - initializer of a struct scounter_set_row
 * @name_: its name
 * @kind: a kind that has words, a constant
 * @ppm: as of SCOUNTER_CLASS(), a constant
 * @unit_: its unit, or NULL
 * @help_: what it counts, or NULL
 */
#define SCOUNTER_SET_ROW(name_, kind, ppm, unit_, help_) {		\
	.name = (name_),						\
	.class = SCOUNTER_CLASS(kind, ppm),				\
	.unit = (unit_),						\
	.help = (help_),						\
}

/**
 * struct scounter_set_desc - what sets of one kind have in common
 * @group: as of scounter_create(); NULL for the name of the module that makes the set
 * @label: what the objects are, "link", say: the name of the label that has the
 *	object's name in OpenMetrics.  As a unit, but without "__" at the start, and none of
 *	"group", "name", "kind"; NULL for "object".
 * @rows: the counters, of which a call names one by its index
 * @count: how many, 1 to SCOUNTER_SET_ROWS_MAX
 * @hide: SCOUNTER_HIDE_FILES and its like, as in struct scounter_params
 * @flags: SCOUNTER_SET_WORDS32, SCOUNTER_SET_SPARSE
 * @release: called in task context when a set with a name has gone for good and nothing
 *	reads @desc for it any more; not of a set that could not be made; may be NULL.  No
 *	lock is held: it may create, register, unregister and destroy.
 *
 * Best `static const`.  Elsewhere it stays, and all that it points to, until each of its
 * sets has gone: see @release.
 */
struct scounter_set_desc {
	const char *group;
	const char *label;
	const struct scounter_set_row *rows;
	u32 count;
	u8 hide;
	u8 flags;
	void (*release)(const struct scounter_set_desc *desc);
};

/**
 * struct scounter_set - counters of one object
 *
 * Its words follow it in memory.
 */
struct scounter_set {
	/* private: */
	const struct scounter_set_desc *desc;
} __aligned(8);

/**
 * SCOUNTER_SET_OF - a set without a name, to embed in an object
 * @rows: how many rows its description has, a constant
 *
 * A type of a variable or a member: `SCOUNTER_SET_OF(FLOW_COUNTERS) stats;`.  Calls take
 * its member set, as in scounter_set_inc(&flow->stats.set, HITS).
 */
#define SCOUNTER_SET_OF(rows)						\
	struct {							\
		struct scounter_set set;				\
		struct scounter_word64 words[rows];			\
	}

/**
 * SCOUNTER_SET32_OF - the same, of a description with SCOUNTER_SET_WORDS32
 * @rows: how many rows its description has, a constant
 */
#define SCOUNTER_SET32_OF(rows)						\
	struct {							\
		struct scounter_set set;				\
		struct scounter_word32 words[rows];			\
	}

struct scounter_set *__scounter_set_create(const struct scounter_set_desc *desc,
					   const char *object, struct kobject *parent,
					   gfp_t gfp, struct module *owner);
int __scounter_set_init(struct scounter_set *set, const struct scounter_set_desc *desc,
			size_t size);

/**
 * scounter_set_create - make a set and publish it under a name
 * @desc: what it has; stays as long as the set, see there
 * @object: the name of the object that it counts for, as of a counter: in its group no
 *	counter and no other set may have it
 * @gfp: as for scounter_create()
 *
 * All counters are 0.  With the default of @desc->hide the set has a file of debugfs and a
 * directory of sysfs, GROUP/OBJECT, and each counter a record in snapshots.
 *
 * Context: As scounter_create().
 * Return: the set, or an ERR_PTR: -EINVAL for what cannot be, which the log names,
 * -ENAMETOOLONG, -EEXIST for a name that the group already has, -ENOMEM, -EWOULDBLOCK as
 * scounter_create().
 */
#define scounter_set_create(desc, object, gfp)				\
	__scounter_set_create(desc, object, NULL, gfp, THIS_MODULE)

/**
 * scounter_set_create_below - the same, with a directory of the client's own in sysfs
 * @desc: as for scounter_set_create(); not hidden from sysfs
 * @object: as for scounter_set_create()
 * @parent: a kobject that is in sysfs, &dev->kobj, say, and has nothing that is named as
 *	the object: see @parent of struct scounter_params; NULL for none, as
 *	scounter_set_create()
 * @gfp: GFP_KERNEL
 *
 * Context: Task context; may sleep.
 * Return: as scounter_set_create(), and as scounter_create_params() of a parent.
 */
#define scounter_set_create_below(desc, object, parent, gfp)		\
	__scounter_set_create(desc, object, parent, gfp, THIS_MODULE)

void scounter_set_destroy(struct scounter_set *set);

/* Where the kernel has it: __free(scounter_set) destroys a set at the end of its scope. */
#ifdef DEFINE_FREE
DEFINE_FREE(scounter_set, struct scounter_set *, scounter_set_destroy(_T))
#endif

/**
 * scounter_set_init - begin to count in a set without a name
 * @embedded: a pointer to a SCOUNTER_SET_OF() or SCOUNTER_SET32_OF()
 * @desc: what it has; stays as long as the set
 *
 * Sets all counters to 0.  The set is nowhere to be seen.
 *
 * Context: Any context.
 * Return: 0, or -EINVAL for a kind without words, for words of another number or size
 * than @desc asks for, and for SCOUNTER_SET_SPARSE; the log says which.
 */
#define scounter_set_init(embedded, desc)				\
	__scounter_set_init(&(embedded)->set, desc, sizeof((embedded)->words))

void scounter_set_exit(struct scounter_set *set);
void scounter_set_show_row(struct scounter_set *set, u32 row, bool shown);
struct scounter_word32 *scounter_set_word32(struct scounter_set *set, u32 row);
u64 scounter_set_read(const struct scounter_set *set, u32 row);
void scounter_set_read_est(const struct scounter_set *set, u32 row,
			   struct scounter_estimate *estimate);
bool scounter_set_read_all(const struct scounter_set *set, struct scounter_estimate *estimates);
void __scounter_set_inc(struct scounter_set *set, u32 row);
void __scounter_set_add(struct scounter_set *set, u32 row, u64 n);

/**
 * scounter_set_add - count n events at once
 * @set: the set
 * @row: which counter
 * @n: how many; as for scounter_add()
 *
 * Context: Any context, NMI included.
 */
#define scounter_set_add(set, row, n) ({				\
	__SCOUNTER_REFUSE_NEGATIVE(n);					\
	__scounter_set_add(set, row, n);				\
})

static __always_inline void *__scounter_set_word(const struct scounter_set *set,
						 const struct scounter_set_desc *desc, u32 row)
{
	const u32 log2 = desc->flags & SCOUNTER_SET_WORDS32 ? 2 : 3;

	return (void *)(set + 1) + ((unsigned long)row << log2);
}

static __always_inline bool
__scounter_set_row_has_word32(const struct scounter_set_desc *desc, u32 row)
{
	const u32 kind = desc->rows[row].class.kind;

	return desc->flags & SCOUNTER_SET_WORDS32 ||
		__SCOUNTER_IS_ONE_OF(kind, __SCOUNTER_WORD32_KINDS);
}

/**
 * scounter_set_inc - count one event in a counter of a set
 * @set: the set
 * @row: which counter; nothing happens but a warning, once, if there is no such
 *
 * Inline for bfp kinds and multiline_adapt, and with them for SCOUNTER_APPROX and
 * SCOUNTER_EXACT.
 *
 * Context: Any context, NMI included.
 */
static __always_inline void scounter_set_inc(struct scounter_set *set, u32 row)
{
	const struct scounter_set_desc *desc = set->desc;
	const struct scounter_class *class;
	u32 outcome;
	void *word;

	if (unlikely(row >= desc->count)) {
		__scounter_set_inc(set, row);
		return;
	}
	class = &desc->rows[row].class;
	word = __scounter_set_word(set, desc, row);
	if (class->kind == SCOUNTER_BFP_DUP || class->kind == SCOUNTER_BFP_CSUP) {
		outcome = __scounter_bfp_try_inc(word, class->limit);
		if (unlikely(outcome))
			__scounter_word32_finish(word, class, outcome);
	} else if (class->kind == SCOUNTER_MULTILINE_ADAPT) {
		outcome = __scounter_adapt_try_inc(word);
		if (unlikely(outcome))
			__scounter_word64_finish(word, class, outcome);
	} else {
		__scounter_set_inc(set, row);
	}
}

/**
 * scounter_set_inc_of - count one event in a set of a known description
 * @set: the set
 * @desc: its description, `static const`
 * @row: which counter, a constant
 *
 * The same as scounter_set_inc(), with only the code of this counter's kind, inline.  It
 * is as long as that of scounter_word32_inc() or scounter_word64_inc().
 *
 * Context: Any context, NMI included.
 */
static __always_inline void scounter_set_inc_of(struct scounter_set *set,
						const struct scounter_set_desc *desc,
						const u32 row)
{
	BUILD_BUG_ON_MSG(__builtin_constant_p(row >= desc->count) && row >= desc->count,
			 "the set has no such row");
	if (__scounter_set_row_has_word32(desc, row))
		scounter_word32_inc(__scounter_set_word(set, desc, row), &desc->rows[row].class);
	else
		scounter_word64_inc(__scounter_set_word(set, desc, row), &desc->rows[row].class);
}

#endif /* _LINUX_SCOUNTER_SET_H */
