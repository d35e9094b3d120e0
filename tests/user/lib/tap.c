// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static unsigned int number, failures;

void tap_plan(unsigned int tests)
{
	printf("1..%u\n", tests);
	fflush(stdout);
}

bool ok(bool passed, const char *format, ...)
{
	va_list arguments;

	printf("%sok %u - ", passed ? "" : "not ", ++number);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
	failures += !passed;
	return passed;
}

void comment(const char *format, ...)
{
	va_list arguments;

	fputs("# ", stdout);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

unsigned int tap_tests(void)
{
	return number;
}

unsigned int tap_failures(void)
{
	return failures;
}

void tap_fail(void)
{
	failures++;
}

int tap_status(void)
{
	return failures ? 1 : 0;
}

/* What is buffered must be written once, not by both processes. */
static bool passes(const struct tap_test *test, unsigned int seconds)
{
	int status = 1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(seconds);
		status = !test->run();
		fflush(stdout);
		exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		perror(test->name);
	if (WIFSIGNALED(status))
		comment("ended by signal %d", WTERMSIG(status));
	return !status;
}

int tap_processes(const struct tap_test *tests, unsigned int count, const char *only,
		  unsigned int seconds)
{
	unsigned int i, run = 0;

	if (!only)
		tap_plan(count);
	for (i = 0; i < count; i++) {
		if (only && !strstr(tests[i].name, only))
			continue;
		number = i;
		ok(passes(&tests[i], seconds), "%s", tests[i].name);
		run++;
	}
	return run ? tap_status() : 1;
}
