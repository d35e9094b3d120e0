// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "util.h"

#define PROGRESS_SECONDS	3

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		perror(program_invocation_short_name);
		exit(2);
	}
	return memory;
}

u64 derive_seed(u64 master, const char *label, u64 which)
{
	u64 seed = master;

	while (*label)
		seed = next_seed(&seed) ^ (unsigned char)*label++;
	seed = next_seed(&seed) ^ which;
	return next_seed(&seed);
}

u64 number_option(const char *option, const char *text, u64 least, u64 most)
{
	char *end;
	u64 value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value < least || value > most)
		errx(2, "--%s is a number from %llu to %llu, not '%s'", option,
		     (unsigned long long)least, (unsigned long long)most, text);
	return value;
}

void progress(const char *what, u64 done, u64 all)
{
	static time_t said;
	time_t now = time(NULL);

	if (!said)
		said = now;
	if (now - said < PROGRESS_SECONDS)
		return;
	said = now;
	fprintf(stderr, "%s: %s: %llu of %llu\n", program_invocation_short_name, what, done, all);
}
