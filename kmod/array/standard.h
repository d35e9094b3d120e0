/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SCOUNTER_STANDARD_H
#define _SCOUNTER_STANDARD_H

#include "repr/type.h"

/*
 * The rungs of a standard representation, made by the build; NULL if this type is
 * none.  *count is how many the type needs, and becomes how many there are.
 */
const struct scounter_rung *scounter_standard_rungs(const struct scounter_array_type *type,
						    u32 *count);

#endif /* _SCOUNTER_STANDARD_H */
