// SPDX-License-Identifier: GPL-2.0
// refused: scounters are never decremented
#include <linux/scounter.h>

void decrement(struct scounter *counter);

void decrement(struct scounter *counter)
{
	scounter_add(counter, -1);
}
