/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _INTERLEAVE_SOURCE_H
#define _INTERLEAVE_SOURCE_H

/* Function and line of an address in the program, as far as addr2line knows. */
const char *source_name(const void *code);

#endif /* _INTERLEAVE_SOURCE_H */
