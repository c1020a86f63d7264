/* Block i of the root goes to rank i. */

#include "comm.h"
#include "operations.h"
#include "path.h"
#include "task.h"

/* Whether the root's own block can be kept with the first one sent: not if the result overlaps blocks still to send. */
static bool keeps(void)
{
	uint64_t within = address_of(&self->res) - address_of(&self->op0);

	return stages_keep() && within >= (uint64_t)self->words.count * (self->size * self->plain_bytes);
}

static void at_root(uint32_t k, struct part part, struct move *stage)
{
	uint32_t to = rank_after(self->rank, k + 1);

	stage->count = part.count;
	place_further(&stage->own, &self->op0, (uint64_t)to * self->words.count + part.offset);
	if (to == self->rank) { /* last: the others wait */
		place_further(&stage->result, &self->res, part.offset);
		return;
	}
	stage->shape = SEND;
	stage->to = to;
	if (k == 0 && keeps()) {
		stage_keep(stage, part.offset);
		place_further(&stage->result, &self->res, part.offset);
	}
}

static void elsewhere(uint32_t k, struct part part, struct move *stage)
{
	(void)k;
	stage->count = part.count;
	stage->shape = RECEIVE;
	stage->from = self->words.root_src_dst;
	place_further(&stage->result, &self->res, part.offset);
}

void scatter(struct call *call)
{
	struct path *path = path_choose(call->words.count, 1);
	bool root = comm_peer() == call->rank;
	uint32_t stages = root ? call->size - keeps() : 1;

	path_one_way(path);
	path_first(path);
	path_invited();
	path_unasked(path, stages);
	stages_run(path, stages, call->words.count, root ? at_root : elsewhere);
}
