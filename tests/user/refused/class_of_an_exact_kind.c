// SPDX-License-Identifier: GPL-2.0
// refused: this kind needs a struct scounter, and has no words
#include <linux/scounter.h>

extern const struct scounter_class class;

const struct scounter_class class = SCOUNTER_CLASS(SCOUNTER_MULTILINE, 0);
