/* Rings: each rank sends block after block to the rank before it. On their way around all ranks blocks are reduced
 * (reduce_scatter), gathered (allgather), or both in turn (allreduce). */

#ifndef RING_H
#define RING_H

#include "stage.h"

/* Runs the ring of the call, after one of the two below, and ends the call. */
void ring_run(struct path *path) __attribute__((noreturn));

/* Cuts the elements of the call: into a block of count elements for each rank; or count elements into a block for each
 * rank, as equal as whole compressed elements allow. */
void ring_cut_each(uint32_t count);
void ring_cut_all(uint32_t count);

/* Elements of the longest block. */
uint32_t ring_longest(void);

#endif
