// SPDX-License-Identifier: GPL-2.0
/* In the place of fields.c where the kernel has no perf events. */
#include <linux/seq_file.h>

#include "events/events.h"

int scounter_fields_init(void)
{
	return 0;
}

void scounter_fields_exit(void)
{
}

int scounter_fields_attach(const struct request *request)
{
	return scounter_request_refuse(request, request->pattern[0], -EOPNOTSUPP,
		"This kernel has no records of events (CONFIG_PERF_EVENTS)");
}

bool scounter_fields_any(void)
{
	return false;
}

u32 scounter_fields_matching(const char *pattern)
{
	return 0;
}

void scounter_fields_detach(const char *pattern)
{
}

void scounter_fields_show(struct seq_file *seq)
{
}
