// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include "kernel.h"
#include "script.h"

static struct script script;
static char operations[SCRIPT_THREADS_MAX][SCRIPT_LENGTH_MAX + 1];
static struct explore_program program;

/* The number of threads, or 0. */
static int split(const char *text, const char *letters)
{
	int threads = 0;
	size_t length;

	do {
		length = strcspn(text, ",");
		if (!length || length > SCRIPT_LENGTH_MAX || threads == SCRIPT_THREADS_MAX ||
		    strspn(text, letters) < length)
			return 0;
		memcpy(operations[threads], text, length);
		operations[threads++][length] = 0;
		text += length;
	} while (*text++);
	return threads;
}

static void operate_in_context(char operation)
{
	if (isupper(operation)) {
		shim_read_lock();
		shim_this.context = SHIM_HARDIRQ;
		script.operate(tolower(operation));
		shim_this.context = SHIM_TASK;
		shim_read_unlock();
	} else {
		kernel_task_runs();
		script.operate(operation);
		kernel_task_sleeps();
	}
}

void script_run(const char *of)
{
	for (; of && *of; of++) {
		if (script.contexts)
			operate_in_context(*of);
		else
			script.operate(*of);
	}
}

static void body(int thread)
{
	if (thread >= program.needed)
		kernel_thread(thread - program.needed);
	script_run(operations[thread]);
}

/* The kernel's threads are on the last CPU. */
static int cpu_of(int thread)
{
	static const int cpus[SCRIPT_THREADS_MAX] = { 0, 2, 1 };

	if (thread >= program.needed)
		return SCRIPT_CPUS - 1;
	return script.one_cpu ? 0 : cpus[thread];
}

const struct explore_program *script_program(const struct script *of,
					     const struct explore_program *like)
{
	script = *of;
	program = *like;
	program.body = body;
	program.cpu = cpu_of;
	program.needed = split(script.text, script.letters);
	program.threads = program.needed + (script.contexts ? KERNEL_THREADS : 0);
	return program.needed ? &program : NULL;
}
