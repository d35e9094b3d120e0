// SPDX-License-Identifier: GPL-2.0
// refused: error must be 0 or 5000 to 200000 ppm
#include <linux/scounter.h>

DEFINE_SCOUNTER(fine, SCOUNTER_APPROX, 1);
