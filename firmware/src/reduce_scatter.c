/* Around the ring, against the order of ranks: block i passes all ranks and ends,
 * complete, at rank i. */

#include "operations.h"
#include "path.h"
#include "ring.h"

void reduce_scatter(struct call *call)
{
	ring_cut_each(call->words.count);
	ring_run(path_choose_reducing(call->words.count, call->size));
}
