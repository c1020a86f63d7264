/* Around the ring: what comes in is kept and handed on in one pass. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

static void stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t block = rank_before(self->rank, k);

	stage->count = part.count;
	stage->result = place_at(&self->res, (uint64_t)block * self->words.count + part.offset);
	if (k == 0)
		stage->own = place_at(&self->op0, part.offset);
	stage->receives = k != 0;
	stage->from = rank_before(self->rank, 1);
	stage->sends = k + 1 < self->size;
	stage->to = rank_after(self->rank, 1);
}

void allgather(struct call *call)
{
	struct path path = path_choose(call->words.count, call->size);

	stages_run(&path, call->size, call->words.count, stage);
}
