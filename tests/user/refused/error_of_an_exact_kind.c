// SPDX-License-Identifier: GPL-2.0
// refused: error must be 0: this kind is exact
#include <linux/scounter.h>

DEFINE_SCOUNTER(exact, SCOUNTER_CAS, 10000);
