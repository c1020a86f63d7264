/* Prefix reductions along the ranks. Scan: each rank reduces what the rank before it sends with its own operand,
 * keeps the sum and sends it on. Exscan: each rank keeps what it receives, and sends that reduced with its own
 * operand; rank 0 has no result. */

#include "operations.h"
#include "path.h"
#include "task.h"

#ifdef CCLO_OPERATION_SCAN

static void scan_stage(uint32_t k, struct part part, struct move *stage)
{
	(void)k;
	stage->count = part.count;
	place_further(&stage->own, &self->op0, part.offset);
	place_further(&stage->result, &self->res, part.offset);
	stage->from = self->rank - 1;
	stage->to = self->rank + 1;
	stage->shape = shape_of(self->rank != 0, stage->to != self->size);
}

static void exscan_stage(uint32_t k, struct part part, struct move *stage)
{
	scan_stage(k, part, stage);
	switch (stage->shape) {
	case SEND:
		stage->result.form = 0;
		break;
	case RECEIVE:
		stage->own.form = 0;
		break;
	default:
		stage->shape = EXCLUSIVE;
	}
}

static struct path *choose(const struct call *call)
{
	struct path *path = path_choose_reducing(call->words.count, 1);

	path_one_way(path);
	path_chain(path);
	path_in_beats(path);
	path_first(path);
	return path;
}

void scan(struct call *call)
{
	struct path *path = choose(call);

	if (call->rank != 0)
		stages_greet(path, call->rank - 1, NULL, call->words.count);
	stages_run(path, 1, call->words.count, scan_stage);
}

void exscan(struct call *call)
{
	struct path *path = choose(call);

	if (call->size == 1)
		return;
	if (call->rank != 0)
		stages_greet(path, call->rank - 1, call->res.packed ? NULL : &call->res, call->words.count);
	else
		stages_begin(path, call->words.count, 1);
	stages_run(path, 1, call->words.count, exscan_stage);
}

#endif
