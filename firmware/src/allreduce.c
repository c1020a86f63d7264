/* Few elements: recursive doubling, in as many steps as the number of ranks has
 * bits. Many: around the ring, first reducing, then gathering, so that each rank
 * sends 2 (n - 1) / n of the elements. Kernel streams: in the order of elements,
 * which goes around the ring twice. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

/* Blocks of the ring: as equal as whole packed elements allow. */
static void cut_in_blocks(void)
{
	uint32_t unit = 1u << self->ratio_log;
	uint32_t units = (self->words.count >> self->ratio_log) + ((self->words.count & (unit - 1)) != 0);

	self->block_units = units / self->size;
	self->longer_blocks = units - self->block_units * self->size;
}

static uint32_t blocks_before(uint32_t block)
{
	uint32_t longer = block < self->longer_blocks ? block : self->longer_blocks;
	uint32_t elements = (block * self->block_units + longer) << self->ratio_log;

	return block != self->size && elements < self->words.count ? elements : self->words.count;
}

/* Blocks before this one that lie in the window of a rank that it comes into: in
 * the second round they come from its own number on, and then from 0. */
static uint32_t end_of_window(uint32_t rank, uint32_t block)
{
	if (block < rank)
		return rank - 1;
	return rank == 0 ? self->size - 1 : self->size;
}

/* Against the order of ranks, so that blocks that are gathered come in theirs. */
static void ring_stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t n = self->size;
	bool reducing = k < n;
	uint32_t block = around(self->rank + (reducing ? k : k - n));
	uint32_t first = blocks_before(block), end = blocks_before(block + 1);
	bool joins = part.whole && part.count == blocks_before(1) && self->block_units != 0;

	stage->count = part_within(part, end - first);
	if (reducing)
		place_further(&stage->own, &self->op0, (uint64_t)first + part.offset);
	if (k + 1 >= n)
		place_further(&stage->result, &self->res, (uint64_t)first + part.offset);
	stage->receives = k != 0;
	stage->from = around(self->rank + 1);
	stage->sends = k + 2 < 2 * n;
	stage->to = around(self->rank + n - 1);
	if (part.whole && reducing)
		stage_joins(stage, k, n, part.count);
	if (!reducing && joins) {
		stage->follows = k != n && block != 0;
		stage->later = blocks_before(end_of_window(self->rank, block)) - end;
	}
	if (k + 1 >= n)
		stage->unfinished = joins && k + 3 < 2 * n && block + 1 != n;
}

static void begin_ring(struct path *path, uint32_t count)
{
	uint32_t rank = self->rank, n = self->size, first = blocks_before(rank);
	struct place own;

	path_greet(path, around(rank + 1), NULL, n - 1, count);
	place_further(&own, &self->op0, first);
	path_begin(path, &own, NULL, blocks_before(rank + 1) - first, around(rank + n - 1), n > 2);
}

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
static void doubling_stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t ranks = self->doubling_ranks, rank = self->rank;
	bool below = rank < ranks, partner_above = rank + ranks < self->size;

	stage->count = part.count;
	stage->receives = k != 0 || partner_above;
	if (stage->receives) {
		stage->from = !below ? rank - ranks : k != 0 ? rank ^ (1u << (k - 1)) : rank + ranks;
		place_further(&stage->result, &self->res, part.offset);
	}
	stage->sends = below ? k != self->doubling_steps || partner_above : k == 0;
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
__attribute__((cold)) static void streamed_stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t last = self->size - 1;

	stage->count = part.count;
	stage->receives = k != 0 || self->rank != 0;
	stage->from = rank_before(self->rank, 1);
	stage->sends = k == 0 || self->rank + 1 != last;
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
	struct path *path;

	if (call->size == 1)
		stages_run(path_choose(count, 1), 1, count, alone_stage);
	if (path_may_be_eager(count)) {
		choose_doubling();
		path = path_choose(count, call->doubling_steps + 2);
		if (path->protocol == EAGER)
			stages_run(path, doubling_stages(), count, doubling_stage);
	}
	cut_in_blocks();
	count = blocks_before(1);
	path = path_choose_reducing(count, 2 * call->size);
	path_around(path, count, call->size - 1);
	if (path->whole)
		begin_ring(path, count);
	stages_run(path, 2 * call->size - 1, count, ring_stage);
}
