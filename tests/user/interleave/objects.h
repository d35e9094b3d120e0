/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The files in sysfs: objects that are given up while the module goes.  A letter of
 * the script is
 *
 *	r	the driver core gives up an object, the last time that it is looked at
 *	e	the module's end, after which nothing of it may be used; once only
 */
#ifndef _INTERLEAVE_OBJECTS_H
#define _INTERLEAVE_OBJECTS_H

#include "explore.h"

/* NULL if the script is not right. */
const struct explore_program *objects_program(const char *script);

#endif /* _INTERLEAVE_OBJECTS_H */
