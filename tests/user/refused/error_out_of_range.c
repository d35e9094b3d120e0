// SPDX-License-Identifier: GPL-2.0
// refused: negative width in bit-field|size of unnamed array is negative|static assertion failed
#include <linux/scounter.h>

extern const struct scounter_class class;

const struct scounter_class class = SCOUNTER_CLASS(SCOUNTER_BFP_DUP, 4999);
