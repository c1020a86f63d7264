/* Around the ring, against the order of ranks: what comes in is kept and handed on
 * in one pass, and comes in the order of blocks. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

static void stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t n = self->size, count = self->words.count;
	uint32_t block = around(self->rank + k);

	stage->count = part.count;
	place_further(&stage->result, &self->res, (uint64_t)block * count + part.offset);
	if (k == 0)
		place_further(&stage->own, &self->op0, part.offset);
	stage->receives = k != 0;
	stage->from = around(self->rank + 1);
	stage->sends = k + 1 < n;
	stage->to = around(self->rank + n - 1);
	if (!part.whole || part.count != count)
		return;
	/* Blocks that lie together come into one window. */
	stage->follows = k > 1 && block != 0;
	stage->later = (n - 1 - (k > block ? k : block)) * count;
	stage->unfinished = k + 2 < n && block + 1 != n;
}

void allgather(struct call *call)
{
	uint32_t count = call->words.count, n = call->size, block = around(call->rank + 1);
	struct path *path = path_choose(count, n);

	path_around(path, count, n - 1);
	if (path->whole && path->slice >= count && !call->res.packed) {
		struct place place;

		place_further(&place, &call->res, (uint64_t)block * count);
		path_greet(path, block, &place, block != 0 ? n - block : n - 1, count);
		place_further(&place, &call->res, (uint64_t)call->rank * count);
		path_begin(path, &call->op0, &place, count, around(call->rank + n - 1), n > 2 && block != 0);
	}
	stages_run(path, n, count, stage);
}
