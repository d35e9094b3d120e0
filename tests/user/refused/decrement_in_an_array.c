// SPDX-License-Identifier: GPL-2.0
// refused: scounters are never decremented
#include <linux/scounter_array.h>

void decrement(struct scounter_array *array);

void decrement(struct scounter_array *array)
{
	scounter_array_add(array, 0, -1);
}
