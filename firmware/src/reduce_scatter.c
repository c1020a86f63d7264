/* Around the ring: block i passes all ranks and ends, complete, at rank i. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

static void stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t block = rank_before(self->rank, (k + 1) % self->size);

	stage->count = part.count;
	stage->own = place_at(&self->op0, (uint64_t)block * self->words.count + part.offset);
	stage->receives = k != 0;
	stage->from = rank_before(self->rank, 1);
	stage->sends = k + 1 < self->size;
	stage->to = rank_after(self->rank, 1);
	if (!stage->sends)
		stage->result = place_at(&self->res, part.offset);
}

void reduce_scatter(struct call *call)
{
	struct path path = path_choose_reducing(call->words.count, call->size);

	stages_run(&path, call->size, call->words.count, stage);
}
