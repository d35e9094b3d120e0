/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays of approximate counters on MPI: Steele & Tristan 2017, sections 12 and 13, as a
 * library beside any MPI, where the paper changes the source of OpenMPI.
 *
 *	struct array *counts;			this process's share
 *
 *	if (scounter_mpi_allreduce(counts, MPI_COMM_WORLD))
 *		errx(1, "%s", array_error());	now it has the sum of all
 *
 * Calls return 0 or a negative errno; array_error() says why, and nothing has changed.
 * For errors of MPI itself see MPI_Comm_set_errhandler(): by default it ends the program.
 */
#ifndef _SCOUNTER_MPI_H
#define _SCOUNTER_MPI_H

#include <mpi.h>

#include "array.h"

/*
 * array[i] = the sum over all processes, the same cells in all of them.  Collective.
 * -EINVAL for arrays of different type, length or number of copies, for an
 * intercommunicator, and where MPI is not initialized; -ENOMEM; -EIO for an error of MPI:
 * all processes get the same but for the last.
 *
 * Each sum is rounded in one process, and handed to all.  An MPI_Allreduce() with the
 * operation below need not do so: implementations let each process compute for itself,
 * and what is rounded at random comes out differently.
 */
int scounter_mpi_allreduce(struct array *array, MPI_Comm comm);

/* The same in process `root`; in the others, the array stays as it is. */
int scounter_mpi_reduce(struct array *array, int root, MPI_Comm comm);

/*
 * An operation on the words of arrays of one type, for MPI_Reduce(), MPI_Reduce_scatter(),
 * MPI_Reduce_local(), MPI_Scan() and what does not block of these: MPI_UINT64_T or a
 * derived type of these.  Types that are not contiguous are packed, which takes time.  It
 * may be called by several threads at once.  Each process has its own random numbers, of
 * the seed; the same seed gives the same sums where MPI combines in the same order.
 *
 * -ENOSPC: there are SCOUNTER_MPI_OPS operations; others as of array_create().
 */
#define SCOUNTER_MPI_OPS	16

int scounter_mpi_op_create(const struct scounter_array_type *type, u64 seed, MPI_Op *op);

/* After all calls with it are complete, those that do not block, too.  -EINVAL for others. */
int scounter_mpi_op_free(MPI_Op *op);

/*
 * The least count of a cell that lost counts in this process, as lost_from in
 * <uapi/linux/scounter_array.h>: SCOUNTER_NOTHING_LOST if none did.  What the buffers lost
 * before, an operation cannot know; scounter_mpi_allreduce() does.
 */
u64 scounter_mpi_op_lost_from(MPI_Op op);

#endif /* _SCOUNTER_MPI_H */
