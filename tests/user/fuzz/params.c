// SPDX-License-Identifier: GPL-2.0
/*
 * What another module may ask for: kinds by name, and counters with any parameters,
 * on which operations follow, two bytes each.
 */
#include <string.h>

#include <linux/scounter.h>

#include "../kernel/counters.h"
#include "counter/counter.h"
#include "fuzz.h"
#include "kinds/kind.h"

#define NAME	16

static void by_name(const uint8_t *data)
{
	char name[NAME + 1] = "";
	int kind;

	memcpy(name, data, NAME);
	kind = scounter_kind_by_name(name);
	require(kind < 0 || scounter_kind_name(kind));
}

struct books {
	uint64_t added, fetched;
	uint64_t last;		/* read */
	bool may_fall;		/* was reset, or begins again at the end of its range */
	bool exact;
};

static void judge(struct scounter *counter, struct books *books)
{
	struct scounter_estimate estimate;

	scounter_read_est(counter, &estimate);
	require(estimate.value == scounter_read(counter));
	require(estimate.lower <= estimate.value && estimate.value <= estimate.upper);
	require(books->may_fall || estimate.value >= books->last);
	if (books->exact && !estimate.flags)
		require(books->fetched + estimate.value == books->added);
	books->last = estimate.value;
}

static void operate(struct scounter *counter, struct books *books, uint8_t code, uint8_t by)
{
	uint64_t n = (uint64_t)(code >> 2) << (by & 63);

	switch (code & 3) {
	case 0:
	case 1:
		scounter_inc(counter);
		books->added++;
		break;
	case 2:
		/* No more in all than the exact kinds have room for. */
		if (n > (1ULL << 56) || books->added > (1ULL << 61))
			return;
		scounter_add(counter, n);
		books->added += n;
		break;
	case 3:
		books->fetched += scounter_fetch_reset(counter);
		books->may_fall = true;
		break;
	}
	judge(counter, books);
	books->may_fall = counter->class.flags & SCOUNTER_CLASS_WRAP;
}

static void use(const struct scounter_params *params, const uint8_t *data, size_t size)
{
	struct scounter *counter = shim_zalloc(sizeof(*counter));
	struct books books = { 0 };

	if (!scounter_init(counter, params) && !scounter_spread(counter, GFP_KERNEL)) {
		books.exact = !(BIT(counter->class.kind) & __SCOUNTER_APPROX_KINDS);
		books.may_fall = counter->class.flags & SCOUNTER_CLASS_WRAP;
		for (; size >= 2; size -= 2, data += 2)
			operate(counter, &books, data[0], data[1]);
		scounter_collapse(counter);
		judge(counter, &books);
	}
	counters_settle();
	shim_free(counter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scounter_params params = { 0 };
	static bool started;

	if (!started) {
		require(shim_init(4, 2));
		shim_param("adapt_tries", 0);
	}
	/* The same input must do the same, whatever came before. */
	counters_init(1);
	started = true;
	if (size < NAME)
		return 0;
	by_name(data);
	params.kind = data[0] % 24;
	memcpy(&params.error_ppm, data + 1, 3);
	params.flags = data[4];
	params.granularity_log2 = data[5];
	params.components = data[6];
	use(&params, data + 8, size - 8);
	return 0;
}
