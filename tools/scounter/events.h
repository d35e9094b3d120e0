/* SPDX-License-Identifier: GPL-2.0 */
/* The files of scounter_events.ko, for events, attach, detach and functions. */
#ifndef SCOUNTER_TOOL_EVENTS_H
#define SCOUNTER_TOOL_EVENTS_H

#include <stddef.h>
#include <stdio.h>

/* The path of one of its files, until the next call. */
const char *events_path(const char *name);
/* Why it cannot be opened. */
void events_fail(const char *name, int error) __attribute__((noreturn));
/* Each line of a file, without its newline. */
void events_lines(const char *name, void (*take)(char *line, void *argument), void *argument);
/* The items, with room for one more. */
void *events_room(void *items, size_t count, size_t size);
/* Tell the module the systems that tracefs has. */
void events_tell_systems(void);

#endif
