/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays and tables of frequent items in recordings, beside the counters. */
#ifndef RECORDED_H
#define RECORDED_H

#include "scounter.h"
#include "folder.h"

/* What cannot be read ends the program. */
void recorded_check(void);
/* All that the module shows now, of the time of a snapshot. */
void recorded_write_all(const header_t *now, FILE *to);
/*
 * What --from has of a name, newest last; or the file itself, if it is no recording and
 * there is no name.  What is not there ends the program.
 */
FILE *recorded_open(const struct folder *folder, const char *name);
/* GROUP/NAME of all in --from, as folder_names(). */
char **recorded_names(const struct folder *folder);

#endif
