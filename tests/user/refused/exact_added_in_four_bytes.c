// SPDX-License-Identifier: GPL-2.0
// refused: this kind needs a scounter_word64, as exact does
#include <linux/scounter.h>

static const struct scounter_class exact_class = SCOUNTER_CLASS(SCOUNTER_EXACT, 0);

void count(struct scounter_word32 *word, u64 n);

void count(struct scounter_word32 *word, u64 n)
{
	scounter_word32_add(word, &exact_class, n);
}
