// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of the representations that Steele & Tristan use or recommend, so that
 * arrays of these types share them and need no time for them.  powers.c, a
 * program of the build, writes standard_rungs.h; it also says which types.
 */
#include <linux/kernel.h>

#include "compat.h"
#include "array/standard.h"
#include "standard_rungs.h"

const struct scounter_rung *scounter_standard_rungs(const struct scounter_array_type *type,
						    u32 *count)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(standards); i++) {
		const struct standard *standard = &standards[i];

		if (standard->q_ppm != type->q_ppm || standard->m != type->m)
			continue;
		/* A table that ends before its count ends at 2^64. */
		if (*count > standard->count && !standard->complete)
			continue;
		*count = min(*count, standard->count);
		return standard->rungs;
	}
	return NULL;
}
