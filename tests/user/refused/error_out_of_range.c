// SPDX-License-Identifier: GPL-2.0
// refused: error must be 0 or 5000 to 200000 ppm
#include <linux/scounter.h>

extern const struct scounter_class class;

const struct scounter_class class = SCOUNTER_CLASS(SCOUNTER_BFP_DUP, 4999);
