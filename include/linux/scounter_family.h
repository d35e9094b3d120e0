/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Families: the words of all objects of a kind, seen together.
 *
 * A word in an object has no name.  A million of them need none either: what people ask
 * is how many there are, how much all of them have counted, and how unequal they are.  The
 * client has a function that goes over its objects, under its own protection, and
 * registers it:
 *
 *	static const struct scounter_class hits_class = SCOUNTER_CLASS(SCOUNTER_APPROX, 0);
 *
 *	struct flow { u32 id; struct scounter_word32 hits; struct rcu_head rcu; };
 *	static DEFINE_XARRAY(flows);
 *
 *	static bool walk_flows(struct scounter_family_walk *walk, void *context)
 *	{
 *		struct flow *flow;
 *		unsigned long id;
 *		bool more = false;
 *
 *		rcu_read_lock();
 *		xa_for_each_start(&flows, id, flow, walk->at) {
 *			walk->at = id + 1;
 *			more = !scounter_family_visit32(walk, &flow->hits);
 *			if (more)
 *				break;
 *		}
 *		rcu_read_unlock();
 *		return more;
 *	}
 *
 *	static const struct scounter_family_desc hits_desc = {
 *		.class = &hits_class, .walk = walk_flows,
 *		.unit = "packets", .help = "Packets of a flow.",
 *	};
 *
 *	family = scounter_family_register("flow_hits", NULL, &hits_desc, NULL);
 *	if (IS_ERR(family))
 *		return PTR_ERR(family);
 *	...
 *	scounter_family_unregister(family);	before the flows go
 *
 * Nothing is kept of the words, and increments do nothing more than without it.  Each
 * reader goes over all of them.
 */
#ifndef _LINUX_SCOUNTER_FAMILY_H
#define _LINUX_SCOUNTER_FAMILY_H

#include <linux/scounter_set.h>
#include <linux/scounter_word.h>
#include <linux/types.h>

struct module;
struct scounter_family;
struct scounter_family_pass;

/**
 * struct scounter_family_walk - where a reader of a family is
 * @at: the client's place among its objects: 0 at first, and as the last call has left it
 */
struct scounter_family_walk {
	unsigned long at;
	/* private: */
	const struct scounter_family *family;
	struct scounter_family_pass *pass;
	u32 visited;		/* in this call */
};

/**
 * struct scounter_family_desc - what a family is
 * @class: of all its words
 * @walk: calls scounter_family_visit32() and its like for words from @at on, until one
 *	returns false or there are no more.  It keeps in @at where it goes on, and returns
 *	whether there is more.  Called in task context, by several readers at once; it may
 *	sleep.  Objects that come and go between two calls are visited or not, and none
 *	twice.  It must not register or unregister a family.
 * @unit: as in struct scounter_description, or NULL
 * @help: the same, of one word
 * @hide: SCOUNTER_HIDE_DEBUGFS, SCOUNTER_HIDE_SNAPSHOT, or both; 0 for none
 *
 * Best `static const`.  Elsewhere it stays, and all that it points to, until
 * scounter_family_unregister() has returned.
 */
struct scounter_family_desc {
	const struct scounter_class *class;
	bool (*walk)(struct scounter_family_walk *walk, void *context);
	const char *unit;
	const char *help;
	u8 hide;
};

/**
 * enum scounter_family_row - what is said of a family
 * @SCOUNTER_FAMILY_WORDS: how many words there are
 * @SCOUNTER_FAMILY_SUM: of all of them, as scounter_sum_estimate() has it
 * @SCOUNTER_FAMILY_LARGEST: the largest value of a word
 * @SCOUNTER_FAMILY_P50: half of the words have this value or less
 * @SCOUNTER_FAMILY_P90: nine of ten
 * @SCOUNTER_FAMILY_P99: 99 of 100
 * @SCOUNTER_FAMILY_BYTES: that the words take, with the stripes of SCOUNTER_EXACT words
 * @SCOUNTER_FAMILY_ROWS: how many there are of these
 */
enum scounter_family_row {
	SCOUNTER_FAMILY_WORDS,
	SCOUNTER_FAMILY_SUM,
	SCOUNTER_FAMILY_LARGEST,
	SCOUNTER_FAMILY_P50,
	SCOUNTER_FAMILY_P90,
	SCOUNTER_FAMILY_P99,
	SCOUNTER_FAMILY_BYTES,
	SCOUNTER_FAMILY_ROWS
};

struct scounter_family *__scounter_family_register(const char *name, const char *group,
						   const struct scounter_family_desc *desc,
						   void *context, struct module *owner);

/**
 * scounter_family_register - let the words of objects be seen
 * @name: as of a counter: in its group no counter and no set may have it
 * @group: as of a counter; NULL for the name of the calling module
 * @desc: what the words are, and how to get at them
 * @context: for @desc->walk
 *
 * Lists, snapshots and exports have a record for each of enum scounter_family_row, as
 * those of an object with the family's name: words, sum, largest, p50, p90, p99 and bytes.
 * They may go down, as objects go, and have SCOUNTER_F_GAUGE.  The file GROUP/NAME in
 * debugfs has the same, and a histogram.
 *
 * Context: Task context; may sleep.
 * Return: the family, or an ERR_PTR: -EINVAL for what cannot be, which the log names,
 * -ENAMETOOLONG, -EEXIST for a name that the group already has, -ENOMEM.
 */
#define scounter_family_register(name, group, desc, context)		\
	__scounter_family_register(name, group, desc, context, THIS_MODULE)

void scounter_family_unregister(struct scounter_family *family);
int scounter_family_read(struct scounter_family *family,
			 struct scounter_estimate estimates[SCOUNTER_FAMILY_ROWS]);

bool scounter_family_visit32(struct scounter_family_walk *walk,
			     const struct scounter_word32 *word);
bool scounter_family_visit64(struct scounter_family_walk *walk,
			     const struct scounter_word64 *word);
bool scounter_family_visit_row(struct scounter_family_walk *walk,
			       const struct scounter_set *set, u32 row);

#endif /* _LINUX_SCOUNTER_FAMILY_H */
