/* Around the ring, against the order of ranks: block i passes all ranks and ends,
 * complete, at rank i. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

static void stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t n = self->size;
	uint32_t block = around(around(self->rank + k) + 1);

	stage->count = part.count;
	place_further(&stage->own, &self->op0, (uint64_t)block * self->words.count + part.offset);
	stage->receives = k != 0;
	stage->from = around(self->rank + 1);
	stage->sends = k + 1 < n;
	stage->to = around(self->rank + n - 1);
	if (!stage->sends)
		place_further(&stage->result, &self->res, part.offset);
	if (part.whole)
		stage_joins(stage, k, n, part.count);
}

void reduce_scatter(struct call *call)
{
	struct path *path = path_choose_reducing(call->words.count, call->size);

	path_around(path, call->words.count, call->size - 1);
	if (path->whole) {
		uint32_t n = call->size, count = call->words.count, next = around(call->rank + 1);
		struct place own;

		path_greet(path, next, NULL, n - 1, count);
		place_further(&own, &call->op0, (uint64_t)next * count);
		path_begin(path, &own, NULL, count, around(call->rank + n - 1), n > 2);
	}
	stages_run(path, call->size, call->words.count, stage);
}
