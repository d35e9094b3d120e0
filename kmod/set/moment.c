// SPDX-License-Identifier: GPL-2.0
/*
 * All counters of a set at one moment, at no cost to increments: they are read until a
 * pass over all of them finds none that has changed.  As each only grows, a counter that
 * has the same value twice had it all the time between:
 *
 *	read	packets 1	bytes 60
 *			another CPU counts packet 2 and its 60 bytes
 *	pass 1	packets 2	bytes 120	both have changed
 *	pass 2	packets 2	bytes 120	so it was at the start of this pass
 */
#include <linux/atomic.h>
#include <linux/export.h>

#include "set/set.h"

/* If CPUs count all the time, no pass may find all as they were. */
#define PASSES	16

/* False if something had changed, which is as it was a moment ago then. */
static bool moment_pass(const struct scounter_set_readings *readings)
{
	const struct scounter_set *set = readings->set;
	const u64 *value;
	bool same = true;
	u32 row;

	/* What was read before, before what is read now: set-moment.litmus. */
	smp_rmb();
	for (row = 0; row < set->desc->count; row++) {
		scounter_set_let_others_run(readings->may_sleep, row);
		value = readings->value(readings, row);
		if (!value || *value == scounter_set_value(set, row))
			continue;
		readings->read(readings, row);
		same = false;
	}
	return same;
}

bool scounter_set_settle(const struct scounter_set_readings *readings)
{
	u32 i;

	for (i = 0; i < PASSES; i++)
		if (moment_pass(readings))
			return true;
	return false;
}

static const u64 *moment_value(const struct scounter_set_readings *readings, u32 row)
{
	const struct scounter_estimate *estimates = readings->of;

	return &estimates[row].value;
}

static void moment_read(const struct scounter_set_readings *readings, u32 row)
{
	struct scounter_estimate *estimates = readings->of;

	scounter_set_read_est(readings->set, row, &estimates[row]);
}

bool scounter_set_read_moment(const struct scounter_set *set,
			      struct scounter_estimate *estimates, bool may_sleep)
{
	const struct scounter_set_readings readings = {
		.value = moment_value, .read = moment_read, .set = set, .of = estimates,
		.may_sleep = may_sleep,
	};
	u32 row;

	for (row = 0; row < set->desc->count; row++) {
		scounter_set_let_others_run(may_sleep, row);
		moment_read(&readings, row);
	}
	return scounter_set_settle(&readings);
}

/**
 * scounter_set_read_all - read all counters of a set at one moment
 * @set: the set
 * @estimates: room for value, bounds, error and state of each row
 *
 * Increments do not wait, nor do more than without it.  So no such moment may be found
 * while CPUs count all the time.  A packet and its bytes, counted in two calls, may be in
 * the set by half at that moment.
 *
 * Context: Any context, NMI included; of multiline_adapt where RCU is watching.
 * Return: whether there was a moment at which all counters had these values.  If not,
 * each of them had its value at some moment during the call.
 */
bool scounter_set_read_all(const struct scounter_set *set, struct scounter_estimate *estimates)
{
	return scounter_set_read_moment(set, estimates, false);
}
EXPORT_SYMBOL_GPL(scounter_set_read_all);
