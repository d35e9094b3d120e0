// SPDX-License-Identifier: GPL-2.0
#include "profile.h"

struct profile profiles[PROFILES_MAX];
bool profile_on;

void profile_begin(void)
{
	if (profile_on)
		profiles[raw_smp_processor_id()] = (struct profile) { .since = profile_clock() };
}
