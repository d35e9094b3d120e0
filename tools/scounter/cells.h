/* SPDX-License-Identifier: GPL-2.0 */
/* The subcommands of array, each with its options. */
#ifndef CELLS_H
#define CELLS_H

int array_list(int argc, char **argv);
int array_show(int argc, char **argv);
int array_total(int argc, char **argv);

#endif
