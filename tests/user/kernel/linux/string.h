/* SPDX-License-Identifier: GPL-2.0 */
/* User-space stand-in for the kernel header of this name. */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <errno.h>
#include <string.h>
#include <sys/types.h>

static inline ssize_t strscpy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);

	if (length == size)
		length = size - 1;
	memcpy(to, from, length);
	to[length] = 0;
	return length;
}

#endif /* _SHIM_LINUX_STRING_H */
