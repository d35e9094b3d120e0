// SPDX-License-Identifier: GPL-2.0
// refused: scounters are never decremented
#include <linux/scounter.h>

void decrement(struct scounter_word64 *word, const struct scounter_class *class);

void decrement(struct scounter_word64 *word, const struct scounter_class *class)
{
	scounter_word64_add(word, class, -1);
}
