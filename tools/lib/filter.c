// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel is asked for: at least what the patterns match, which are then matched
 * here.  Example: 'net/eth?/rx' becomes the group "net" and the pattern "net/eth*"; the
 * kernel's '?' is a byte, and that of a shell a character.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "counters.h"

/* What a pattern means other than these bytes; '\' may begin how a byte is shown. */
#define SPECIAL	"*?[\\"

/* Up to where both mean the same. */
static bool take_pattern(struct scounter_filter *filter, const char *pattern)
{
	size_t same = strcspn(pattern, "?[\\");

	if (same + 2 > sizeof(filter->pattern))
		return false;
	memcpy(filter->pattern, pattern, same);
	/* A pattern matches the beginning of a name, too. */
	memcpy(filter->pattern + same, "*", 2);
	return true;
}

/* Bytes of the group, if the pattern names one. */
static size_t group_of(const char *pattern)
{
	size_t length = strcspn(pattern, "/" SPECIAL);

	return pattern[length] == '/' && length <= SCOUNTER_NAME_MAX ? length : 0;
}

static bool take_group(struct scounter_filter *filter, char **patterns)
{
	size_t length = group_of(*patterns);
	char **p;

	for (p = patterns; *p; p++)
		if (group_of(*p) != length || strncmp(*p, *patterns, length))
			return false;
	memcpy(filter->group, *patterns, length);
	return length;
}

bool filter_of(char **patterns, struct scounter_filter *filter)
{
	bool some;

	memset(filter, 0, sizeof(*filter));
	if (!patterns || !*patterns)
		return false;
	some = take_group(filter, patterns);
	return (!patterns[1] && take_pattern(filter, *patterns)) || some;
}

/* A kernel that knows no filters, or no patterns, gives more. */
void filter_device(FILE *device, char **patterns)
{
	struct scounter_filter filter;

	if (!filter_of(patterns, &filter) || !ioctl(fileno(device), SCOUNTER_IOC_FILTER, &filter))
		return;
	filter.pattern[0] = 0;
	ioctl(fileno(device), SCOUNTER_IOC_FILTER, &filter);
}
