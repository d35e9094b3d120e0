/* SPDX-License-Identifier: GPL-2.0 */
/* What threads do: a word of letters each, separated by commas. */
#ifndef _INTERLEAVE_SCRIPT_H
#define _INTERLEAVE_SCRIPT_H

#define SCRIPT_THREADS_MAX	3
#define SCRIPT_LENGTH_MAX	16

/* The number of threads; 0 if there are other letters, or too many. */
int script_read(const char *script, const char *letters,
		char operations[SCRIPT_THREADS_MAX][SCRIPT_LENGTH_MAX + 1]);
/* One operation after the other. */
void script_run(const char *operations, void (*operate)(char operation));
/* Two CPUs of two nodes, then another of the first; others are on the last. */
int script_cpu(int thread, int threads);

#define SCRIPT_CPUS		4
#define SCRIPT_NODES		2

#endif /* _INTERLEAVE_SCRIPT_H */
