// SPDX-License-Identifier: GPL-2.0
/* In the place of record.c where the kernel has no perf events. */
#include <linux/errno.h>

#include "events/events.h"
#include "events/tally.h"

int scounter_record_find(const struct source *source, const struct event *event,
			 const char *name, struct value *value, u32 *id)
{
	return -EOPNOTSUPP;
}

int scounter_record_start(struct tally *tally)
{
	return -EOPNOTSUPP;
}

void scounter_record_stop(struct tally *tally)
{
}

void scounter_record_forget_cpu(struct tally *tally, u32 cpu)
{
}
