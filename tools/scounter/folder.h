/* SPDX-License-Identifier: GPL-2.0 */
/* The files that the module has in debugfs: kinds, topk/GROUP/NAME and arrays/GROUP/NAME. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stdbool.h>
#include <stdio.h>

struct folder {
	const char *name;	/* "topk" or "arrays" */
	const char *what;	/* "table" or "array" */
	const char *command;	/* that lists them */
};

extern const struct folder topk_folder, array_folder;

/* What cannot be opened ends the program, and says why. */
FILE *debugfs_open(const char *name);
FILE *folder_open(const struct folder *folder, const char *name);
FILE *folder_try(const struct folder *folder, const char *name);	/* or NULL */
/* GROUP/NAME, and nothing that leads out of the folder. */
bool is_folder_name(const char *name);
/* GROUP/NAME of all, in order; free() each, and the list, which ends with NULL. */
char **folder_names(const struct folder *folder);

#endif
