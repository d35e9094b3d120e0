// SPDX-License-Identifier: GPL-2.0
/* Counters that could not be made: all that a client may do with one is safe. */
#include <errno.h>
#include <linux/err.h>
#include <linux/kernel.h>

#include "counter/counter.h"
#include "kinds/kind.h"
#include "named.h"
#include "suites.h"

static const enum scounter_kind kinds[] = {
#define KIND(symbol, ...)	SCOUNTER_##symbol,
	SCOUNTER_KIND_TABLE(KIND)
	SCOUNTER_CHOICE_TABLE(KIND)
#undef KIND
};

static void inc_kind(struct scounter *counter, enum scounter_kind kind)
{
	switch (kind) {
#define KIND(symbol, ...)						\
	case SCOUNTER_##symbol:						\
		scounter_inc_kind(counter, SCOUNTER_##symbol);		\
		break;
	SCOUNTER_KIND_TABLE(KIND)
	SCOUNTER_CHOICE_TABLE(KIND)
#undef KIND
	}
}

static bool says_nothing(struct scounter *dummy)
{
	struct scounter_estimate estimate = named_estimate(dummy);

	return !scounter_read(dummy) && !estimate.value && !estimate.lower &&
	       estimate.flags == SCOUNTER_F_LOSSY && !scounter_fetch_reset(dummy) &&
	       scounter_reached(dummy, 1) == SCOUNTER_CANNOT_SAY;
}

/* Until the dummies of approximate kinds sample, and beyond the end of the range. */
static bool test_dummy(u32 which)
{
	static const int reasons[] = { -EEXIST, -ENOMEM, 0 };
	struct scounter *dummy = NULL;
	bool passed = true;
	u32 i, j;

	describe("of kind %u counts nowhere", kinds[which]);
	named_machine(test_seed());
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		dummy = scounter_or_dummy(ERR_PTR(reasons[i]), kinds[which]);
		passed &= says_nothing(dummy) && scounter_is_dummy(dummy) &&
			  dummy->class.kind == scounter_kind_row(kinds[which])->kind;
		for (j = 0; j < 100000; j++) {
			scounter_inc(dummy);
			inc_kind(dummy, kinds[which]);
		}
		scounter_add(dummy, S64_MAX);
		passed &= says_nothing(dummy);
	}
	return passed;
}

static bool test_made(u32 which)
{
	struct scounter *counter = named_make(&(struct scounter_params) { .kind = SCOUNTER_CAS });
	struct scounter *other = scounter_or_dummy(ERR_PTR(-EINVAL), (enum scounter_kind)99);
	bool passed;

	(void)which;
	describe("is no counter that was made, and there is one of an unknown kind");
	passed = scounter_or_dummy(counter, SCOUNTER_CAS) == counter &&
		 !scounter_is_dummy(counter) && scounter_is_dummy(other);
	scounter_inc(other);
	named_free(counter);
	return passed && says_nothing(other);
}

const struct test dummy_tests[] = {
	{ "dummy", ARRAY_SIZE(kinds), test_dummy },
	{ "dummy", 1, test_made },
	{ }
};
