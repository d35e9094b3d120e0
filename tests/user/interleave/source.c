// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "source.h"

#define KNOWN	256

/* "function at folder/file.c:12" becomes "function, file.c:12". */
static void shorten(char *name, const char *line)
{
	const char *start = strstr(line, "(inlined by) ");
	const char *at = strstr(line, " at "), *slash = strrchr(line, '/');

	line = start ? start + strlen("(inlined by) ") : line;
	sprintf(name, "%.*s, %.60s", (int)(at && at - line < 60 ? at - line : 0), line,
		slash ? slash + 1 : line);
	name[strcspn(name, "\n")] = 0;
}

static void ask(const void *code, char *name)
{
	char command[64], line[1024] = "", next[1024];
	FILE *answer;

	/* The call is before the address that it returns to. */
	snprintf(command, sizeof(command), "addr2line -pife /proc/$PPID/exe %p",
		 (const char *)code - 1);
	answer = popen(command, "r");
	/* Line by line, who inlined it: the first that is not of the shim. */
	while (answer && fgets(next, sizeof(next), answer))
		if (!*line && !strstr(next, "/shim/"))
			strcpy(line, next);
	shorten(name, line);
	if (answer)
		pclose(answer);
}

const char *source_name(const void *code)
{
	static struct {
		const void *code;
		char name[128];
	} known[KNOWN];
	unsigned int i;

	for (i = 0; i < KNOWN - 1 && known[i].code; i++)
		if (known[i].code == code)
			return known[i].name;
	known[i].code = code;
	ask(code, known[i].name);
	return known[i].name;
}
