/* Pairwise: in step i each rank sends to the one i places on, and receives from
 * the one i places back. Its own block it keeps first, or beside the first one that
 * it sends. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

static void stage(uint32_t k, struct part part, struct stage *stage)
{
	bool keeps = stages_keep();
	uint32_t step = k + keeps; /* step 0 is that of the own block alone */
	uint32_t places = (step + 1) / 2;
	uint32_t to = rank_after(self->rank, places);
	uint32_t from = rank_before(self->rank, places);

	stage->count = part.count;
	stage->keeps = keeps && step == 1;
	if (stage->keeps)
		from = self->rank;
	if (step == 0 || step % 2 != 0)
		place_further(&stage->own, &self->op0, (uint64_t)to * self->words.count + part.offset);
	if (step % 2 == 0 || stage->keeps)
		place_further(&stage->result, &self->res, (uint64_t)from * self->words.count + part.offset);
	stage->sends = step % 2 != 0;
	stage->to = to;
	stage->receives = step != 0 && step % 2 == 0;
	stage->from = from;
}

void alltoall(struct call *call)
{
	struct path *path = path_choose(call->words.count, call->size);
	bool keeps = stages_keep();

	if (path->protocol == PACED)
		path->ahead = 1; /* every other stage only sends: one slice at a time comes in */
	if (path->protocol == RENDEZVOUS)
		path_asks(path, 2); /* the window of each step, before the one before it sends */
	if (keeps) {
		uint32_t from = rank_before(self->rank, 1);
		struct place result = place_at(&self->res, (uint64_t)from * self->words.count);

		path_greet(path, from, &result, 1, call->words.count); /* stage 0 sends: the others wait to be asked */
	}
	path_first(path);
	stages_run(path, 2 * call->size - 1 - keeps, call->words.count, stage);
}
