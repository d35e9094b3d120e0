// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "../testing/shim/shim.h"
#include "model.h"
#include "throw.h"

#define THROWS	1000

static _Alignas(64) int ball;

static void play(int mine)
{
	int i, seen;

	for (i = 0; i < THROWS; i++) {
		do {
			shim_access(&ball, sizeof(ball), SHIM_LOAD);
			seen = ball;
		} while (seen != mine);
		shim_access(&ball, sizeof(ball), SHIM_STORE);
		ball = !mine;
	}
}

double throw_ns(const struct machine *machine)
{
	if (!shim_init(machine_cpus(machine), (int)machine->nodes) || !model_init(machine))
		abort();
	model_run(2, play);
	return model_time() / (2e3 * THROWS);
}
