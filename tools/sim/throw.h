/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SIM_THROW_H
#define _SIM_THROW_H

#include "machine.h"

/* What `bench calibrate` measures, on the model: to be made equal by node_ns. */
double throw_ns(const struct machine *machine);

#endif /* _SIM_THROW_H */
