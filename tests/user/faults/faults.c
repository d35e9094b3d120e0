// SPDX-License-Identifier: GPL-2.0
/* Faults that a sanitizer must not let pass: each ends the program before "survived". */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;
char *volatile forgotten;

static void *add(void *unused)
{
	int i;

	for (i = 0; i < 100000; i++)
		shared++;
	return unused;
}

static void race(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, add, NULL);
	add(NULL);
	pthread_join(thread, NULL);
}

static void overflow(int most)
{
	most++;
	shared = most;
}

/* As large as the program has no way to know. */
static void beyond(int size)
{
	char *memory = malloc(size);

	memset(memory, 1, size);
	shared = memory[size + shared];
	free(memory);
}

static void leak(int size)
{
	forgotten = malloc(size);
	forgotten = NULL;
}

int main(int argc, char **argv)
{
	const char *fault = argc > 1 ? argv[1] : "";

	if (!strcmp(fault, "race"))
		race();
	else if (!strcmp(fault, "overflow"))
		overflow(INT_MAX - 1 + argc - 1);
	else if (!strcmp(fault, "beyond"))
		beyond(15 + argc);
	else if (!strcmp(fault, "leak"))
		leak(15 + argc);
	puts("survived");
	return 0;
}
