// SPDX-License-Identifier: GPL-2.0
/* Descriptions of machines: bench/model/machines. */
#include <stdarg.h>
#include <string.h>

#include "../../../bench/model/machine.h"
#include "fuzz.h"

int fuzz_fprintf(FILE *file, const char *format, ...);

/* What is said of a wrong line is made, and goes nowhere: it would be a gigabyte. */
int fuzz_fprintf(FILE *file, const char *format, ...)
{
	char message[8192];
	va_list list;

	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
	require(file == stderr && *message);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = fuzz_file(data, size);
	struct machine machine;
	int cpus, i;

	if (machine_parse(&machine, file, "fuzz")) {
		cpus = machine_cpus(&machine);
		require(cpus >= 1 && cpus <= MACHINE_CPUS_MAX);
		require(machine.nodes <= MACHINE_NODES_MAX);
		require(*machine.name && strlen(machine.name) <= MACHINE_NAME_MAX);
		for (i = 0; i < cpus; i += 1 + cpus / 16)
			require(machine_place(&machine, i) >= 0 &&
				machine_place(&machine, i) < cpus);
	}
	fclose(file);
	return 0;
}
