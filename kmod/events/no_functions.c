// SPDX-License-Identifier: GPL-2.0
/* In the place of functions.c where the kernel has no dynamic ftrace. */
#include <linux/seq_file.h>

#include "events/events.h"

int scounter_functions_attach(const struct request *request, const char *pattern)
{
	return scounter_request_refuse(request, pattern, -EOPNOTSUPP,
		"This kernel cannot trace functions (CONFIG_DYNAMIC_FTRACE)");
}

bool scounter_functions_attached(void)
{
	return false;
}

void scounter_functions_detach(void)
{
}

void scounter_functions_exit(void)
{
}

void scounter_functions_show(struct seq_file *seq)
{
}
