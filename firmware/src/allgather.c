/* Around the ring, against the order of ranks: what comes in is kept and handed on
 * in one pass, and comes in the order of blocks. */

#include "operations.h"
#include "path.h"
#include "ring.h"

void allgather(struct call *call)
{
	ring_cut_each(call->words.count);
	ring_run(path_choose(call->words.count, call->size));
}
