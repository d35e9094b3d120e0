// SPDX-License-Identifier: GPL-2.0
/*
 * What all kinds have in common: the table of the kinds, and the public calls
 * that go through it.
 */
#include <linux/export.h>
#include <linux/string.h>

#include "compat.h"
#include "kind.h"

static const struct scounter_kind_ops *const kinds[] = {
	&scounter_atomic_ops,
	&scounter_percpu_ops,
	&scounter_multiline_ops,
	&scounter_bfp_dup_ops,
	&scounter_bfp_csup_ops,
};

static const struct {
	const char *name;
	enum scounter_kind kind;
} choices[] = {
	{ "exact", SCOUNTER_EXACT },
	{ "approx", SCOUNTER_APPROX },
};

/* The kinds are numbered from 1, and the table is in the order of the numbers. */
const struct scounter_kind_ops *scounter_kind_ops(enum scounter_kind kind)
{
	u32 i = (u32)__SCOUNTER_KIND(kind) - 1;

	return i < ARRAY_SIZE(kinds) ? kinds[i] : NULL;
}

static const struct scounter_kind_ops *ops_of(const struct scounter *counter)
{
	return kinds[counter->kind - 1];
}

/**
 * scounter_kind_name - the name of a kind
 * @kind: an enum scounter_kind
 *
 * Context: Any context.
 * Return: its name, for SCOUNTER_EXACT and SCOUNTER_APPROX that of the kind
 * they stand for; NULL if there is no such kind.
 */
const char *scounter_kind_name(enum scounter_kind kind)
{
	const struct scounter_kind_ops *ops = scounter_kind_ops(kind);

	return ops ? ops->name : NULL;
}
EXPORT_SYMBOL_GPL(scounter_kind_name);

/**
 * scounter_kind_by_name - the kind with a name
 * @name: "atomic", "percpu", "multiline", "bfp_dup", "bfp_csup", or "exact" or
 *	"approx" to leave the choice
 *
 * For module parameters and the like.
 *
 * Context: Any context.
 * Return: an enum scounter_kind, or -EINVAL if there is none of that name.
 */
int scounter_kind_by_name(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(name, kinds[i]->name))
			return kinds[i]->kind;
	for (i = 0; i < ARRAY_SIZE(choices); i++)
		if (!strcmp(name, choices[i].name))
			return choices[i].kind;
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(scounter_kind_by_name);

/* A counter of zero that is not spread yet; needs no undoing. */
int scounter_init(struct scounter *counter, enum scounter_kind kind, u32 ppm)
{
	const struct scounter_kind_ops *ops = scounter_kind_ops(kind);

	if (!ops)
		return -EINVAL;
	memset(counter, 0, sizeof(*counter));
	counter->kind = ops->kind;
	counter->is_bfp = __SCOUNTER_IS_BFP(ops->kind);
	if (counter->is_bfp)
		return scounter_bfp_class_init(&counter->class, ops->kind, ppm);
	return ppm ? -ERANGE : 0;
}

int scounter_spread(struct scounter *counter, gfp_t gfp)
{
	const struct scounter_kind_ops *ops = ops_of(counter);

	return ops->spread ? ops->spread(counter, gfp) : 0;
}

void scounter_gather(struct scounter *counter)
{
	const struct scounter_kind_ops *ops = ops_of(counter);

	if (ops->gather)
		ops->gather(counter);
}

size_t scounter_bytes(const struct scounter *counter)
{
	const struct scounter_kind_ops *ops = ops_of(counter);

	return sizeof(*counter) + (ops->spread_bytes ? ops->spread_bytes() : 0);
}

/* The state in one word, the gravest that holds. */
const char *scounter_state_name(u32 flags)
{
	if (flags & SCOUNTER_F_OVERFLOW)
		return "overflow";
	if (flags & SCOUNTER_F_SATURATED)
		return "saturated";
	if (flags & SCOUNTER_F_DECIMATING)
		return "decimating";
	return "exact";
}

/* See scounter_add(). */
notrace void __scounter_add(struct scounter *counter, u64 n)
{
	ops_of(counter)->add(counter, n);
}
EXPORT_SYMBOL_GPL(__scounter_add);

/**
 * scounter_read_est - the value of a counter, and how far it can be trusted
 * @counter: the counter
 * @estimate: value, bounds, relative error and state
 *
 * Context: Any context, NMI included.
 */
void scounter_read_est(struct scounter *counter,
		       struct scounter_estimate *estimate)
{
	ops_of(counter)->read_est(counter, estimate);
}
EXPORT_SYMBOL_GPL(scounter_read_est);

/**
 * scounter_read - the value of a counter
 * @counter: the counter
 *
 * Context: Any context, NMI included.
 * Return: the number of events since the beginning or the last reset; for
 * approximate kinds an unbiased estimate of it.
 */
u64 scounter_read(struct scounter *counter)
{
	return ops_of(counter)->read(counter);
}
EXPORT_SYMBOL_GPL(scounter_read);

/**
 * scounter_fetch_reset - read a counter and start again from zero
 * @counter: the counter
 *
 * Nothing is lost or returned twice: an event that is counted meanwhile is in
 * this value or in what is read later.
 *
 * Context: Any context, NMI included.
 * Return: the value that was reset.
 */
u64 scounter_fetch_reset(struct scounter *counter)
{
	return ops_of(counter)->fetch_reset(counter);
}
EXPORT_SYMBOL_GPL(scounter_fetch_reset);
