// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "script.h"

int script_read(const char *script, const char *letters,
		char operations[SCRIPT_THREADS_MAX][SCRIPT_LENGTH_MAX + 1])
{
	int threads = 0;
	size_t length;

	do {
		length = strcspn(script, ",");
		if (!length || length > SCRIPT_LENGTH_MAX || threads == SCRIPT_THREADS_MAX ||
		    strspn(script, letters) < length)
			return 0;
		memcpy(operations[threads], script, length);
		operations[threads++][length] = 0;
		script += length;
	} while (*script++);
	return threads;
}

int script_cpu(int thread, int threads)
{
	static const int cpus[SCRIPT_THREADS_MAX] = { 0, 2, 1 };

	return thread < threads ? cpus[thread] : SCRIPT_CPUS - 1;
}

void script_run(const char *operations, void (*operate)(char operation))
{
	for (; *operations; operations++)
		operate(*operations);
}
