/* Pairwise: in step i each rank sends to the one i places on, and receives from
 * the one i places back. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

static void stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t places = (k + 1) / 2;
	uint32_t to = rank_after(self->rank, places);
	uint32_t from = rank_before(self->rank, places);

	stage->count = part.count;
	if (k == 0 || k % 2 != 0)
		place_further(&stage->own, &self->op0, (uint64_t)to * self->words.count + part.offset);
	if (k % 2 == 0)
		place_further(&stage->result, &self->res, (uint64_t)from * self->words.count + part.offset);
	stage->sends = k % 2 != 0;
	stage->to = to;
	stage->receives = k != 0 && k % 2 == 0;
	stage->from = from;
}

void alltoall(struct call *call)
{
	struct path *path = path_choose(call->words.count, call->size);

	if (path->protocol == PACED)
		path->ahead = 1; /* every other stage only sends: one slice at a time comes in */
	if (path->protocol == RENDEZVOUS)
		path_asks(path, 2); /* the window of each step, before the one before it sends */
	path_first(path);
	stages_run(path, 2 * call->size - 1, call->words.count, stage);
}
