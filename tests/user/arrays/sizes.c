// SPDX-License-Identifier: GPL-2.0
/* Arrays of the kernel beyond 2 GiB, and beyond what a machine of 32 bits can address. */
#include <errno.h>

#include "shim.h"
#include "subject.h"

static const struct scounter_array_type byte = { .kind = SCOUNTER_REPR_MORRIS2, .bits = 8 };

static void test_large(void)
{
	const struct subject *kernel = &subjects[KERNEL];
	u64 length = (1ULL << 31) + 64, last = length - 1;
	void *array;
	int err = kernel->create(&array, &byte, length);

	if (!err) {
		kernel->inc(array, last);
		err = state_of(kernel, array, last) != 1 || state_of(kernel, array, 0);
		kernel->free(array);
	}
	ok(!err, "an array of 2 GiB and 64 bytes is created, and counts at its end");
}

/* A size of 2^32 + 64 bytes is one of 64 there. */
static void test_narrow_machine(void)
{
	const struct subject *kernel = &subjects[KERNEL];
	size_t most = shim_size_max;
	void *array;
	int err;

	shim_size_max = (1ULL << 32) - 1;
	err = kernel->create(&array, &byte, (1ULL << 32) + 64);
	if (!err)
		kernel->free(array);
	shim_size_max = most;
	ok(err == -ENOMEM, "an array of 2^32 + 64 bytes is refused by a machine of 32 bits");
}

void test_sizes(u64 seed)
{
	(void)seed;
	test_large();
	test_narrow_machine();
}
