// SPDX-License-Identifier: GPL-2.0
/*
 * Counters to be used in place of those that could not be made: one of each kind, as
 * scounter_inc_kind() goes by the kind.  What all clients count in one is nobody's count,
 * so reads say 0 and that counts are lost.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/printk.h>

#include "counter/counter.h"
#include "kinds/kind.h"

/* In the order of their numbers, which have no gap. */
#define DUMMY(symbol, ...)	SCOUNTER_INIT(SCOUNTER_##symbol, 0),
static struct scounter dummies[__SCOUNTER_KINDS] = { SCOUNTER_KIND_TABLE(DUMMY) };

bool scounter_is_dummy(const struct scounter *counter)
{
	return counter >= dummies && counter < dummies + ARRAY_SIZE(dummies);
}

/**
 * scounter_or_dummy - a counter that is safe to count in, made or not
 * @counter: what scounter_create() or scounter_create_params() returned
 * @kind: the kind that was asked for
 *
 * Where @counter is an ERR_PTR or NULL, the log says so, with the error and the caller.
 *
 * Context: As scounter_create().
 * Return: @counter, or a dummy that counts nowhere: all calls but scounter_register() take
 * it, reads are 0 with SCOUNTER_F_LOSSY, and destroying it does nothing.
 */
struct scounter *scounter_or_dummy(struct scounter *counter, enum scounter_kind kind)
{
	const struct scounter_kind_row *row = scounter_kind_row(kind);

	if (!IS_ERR_OR_NULL(counter))
		return counter;
	pr_warn_ratelimited("%pS made no counter (error %ld) and counts nowhere\n",
			    __builtin_return_address(0), PTR_ERR(counter));
	return &dummies[(row ? row->kind : SCOUNTER_ATOMIC) - 1];
}
EXPORT_SYMBOL_GPL(scounter_or_dummy);
