/* SPDX-License-Identifier: GPL-2.0 */
/* Where the arguments of an event have what a field means. */
#ifndef SCOUNTER_RESOLVE_H
#define SCOUNTER_RESOLVE_H

/*
 * The fields of one option, "call_site" or "prev->comm,prev_prio", and the same for the
 * kernel: with their places, or without any.  NULL if the kernel is to judge.
 */
struct fields {
	const char *said;
	char *line;
};

/* Says if a field is in the record of the event only; ends the program if none of it works. */
void resolve_fields(const char *event, struct fields *fields, unsigned int count);

#endif
