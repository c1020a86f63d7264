/* Rings: what each rank has for the one before it goes there block by block, and so
 * around all ranks. Blocks are reduced on their way, or handed on, or first the one and
 * then the other: reduce_scatter, allgather, allreduce. */

#ifndef RING_H
#define RING_H

#include "stage.h"

/* Runs the ring of the call, whose blocks are cut, and ends the call. */
void ring_run(struct path *path) __attribute__((noreturn));

/* Cuts the elements of the call: into a block of so many for each rank, or into as many as
 * there are ranks, as equal as whole packed elements allow. */
void ring_cut_each(uint32_t count);
void ring_cut_all(uint32_t count);

/* Elements of the longest block. */
uint32_t ring_longest(void);

#endif
