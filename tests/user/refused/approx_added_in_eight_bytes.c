// SPDX-License-Identifier: GPL-2.0
// refused: this kind needs a scounter_word32, as approx does
#include <linux/scounter.h>

static const struct scounter_class approx_class = SCOUNTER_CLASS(SCOUNTER_APPROX, 0);

void count(struct scounter_word64 *word, u64 n);

void count(struct scounter_word64 *word, u64 n)
{
	scounter_word64_add(word, &approx_class, n);
}
