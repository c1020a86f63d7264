/* Few elements: recursive doubling, in as many steps as the number of ranks has
 * bits. Many: around the ring, first reducing, then gathering, so that each rank
 * sends 2 (n - 1) / n of the elements. Kernel streams: in the order of elements,
 * which goes around the ring twice. */

#include "comm.h"
#include "operations.h"
#include "path.h"
#include "ring.h"
#include "task.h"

/* Ranks beyond the largest power of two hand their elements to a partner below
 * and get the result back. */
static void choose_doubling(void)
{
	uint32_t ranks = 1, steps = 0;

	while (2 * ranks <= self->size) {
		ranks *= 2;
		steps++;
	}
	self->doubling_ranks = ranks;
	self->doubling_steps = steps;
}

/* In each step a rank reduces what its partner has sent, and sends the sum to the
 * partner of the next one in the same pass. */
static void doubling_stage(uint32_t k, struct part part, struct move *stage)
{
	uint32_t ranks = self->doubling_ranks, rank = self->rank;
	bool below = rank < ranks, partner_above = rank + ranks < self->size;

	stage->count = part.count;
	stage->shape = shape_of(k != 0 || partner_above, below ? k != self->doubling_steps || partner_above : k == 0);
	if (receives(stage)) {
		stage->from = !below ? rank - ranks : k != 0 ? rank ^ (1u << (k - 1)) : rank + ranks;
		place_further(&stage->result, &self->res, part.offset);
	}
	stage->to = !below ? rank - ranks : k != self->doubling_steps ? rank ^ (1u << k) : rank + ranks;
	if (below && k > (partner_above ? 0 : 1)) { /* there is a sum already */
		stage->own = stage->result;
		stage->fence = true;
	} else if (below || k == 0) {
		place_further(&stage->own, &self->op0, part.offset);
	}
}

static uint32_t doubling_stages(void)
{
	return self->rank >= self->doubling_ranks ? 2 : self->doubling_steps + 1;
}

/* Each rank adds its own to what comes, from rank 0 on, and the last one's sum goes
 * around once more. */
__attribute__((cold)) static void streamed_stage(uint32_t k, struct part part, struct move *stage)
{
	uint32_t last = self->size - 1;

	stage->count = part.count;
	stage->shape = shape_of(k != 0 || self->rank != 0, k == 0 || self->rank + 1 != last);
	stage->from = rank_before(self->rank, 1);
	stage->to = rank_after(self->rank, 1);
	if (k == 0)
		place_further(&stage->own, &self->op0, part.offset);
	if (k != 0 || self->rank == last)
		place_further(&stage->result, &self->res, part.offset);
}

__attribute__((cold)) static void along_streams(void)
{
	bool last = self->rank + 1 == self->size;
	struct path *path = path_choose_reducing(self->words.count, 3);

	path->tag = TAG_STREAMED;
	path_in_beats(path);
	/* Both send each other data and credits, which come in the order in which they
	 * were sent: a credit before the data of the same part. */
	if (path->protocol == PACED && self->size == 2)
		path->ahead = last ? 0 : 1;
	if (self->size == 1)
		stages_run(path, 1, self->words.count, alone_stage);
	else
		stages_run(path, last ? 1 : 2, self->words.count, streamed_stage);
}

void allreduce(struct call *call)
{
	if (call->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM || call->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM) {
		along_streams();
		return;
	}
	uint32_t count = call->words.count;

	if (call->size == 1)
		stages_run(path_choose(count, 1), 1, count, alone_stage);
	if (path_may_be_eager(count)) {
		struct path *path;

		choose_doubling();
		path = path_choose(count, call->doubling_steps + 2);
		if (path->protocol == EAGER)
			stages_run(path, doubling_stages(), count, doubling_stage);
	}
	ring_cut_all(count);
	ring_run(path_choose_reducing(ring_longest(), 2 * call->size));
}
