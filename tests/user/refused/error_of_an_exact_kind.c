// SPDX-License-Identifier: GPL-2.0
// refused: negative width in bit-field|size of unnamed array is negative|static assertion failed
#include <linux/scounter.h>

DEFINE_SCOUNTER(exact, SCOUNTER_CAS, 10000);
