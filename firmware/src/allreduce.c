/* Few elements: recursive doubling, in as many steps as the number of ranks has
 * bits. Many: around the ring, first reducing, then gathering, so that each rank
 * sends 2 (n - 1) / n of the elements. Kernel streams: in the order of elements,
 * which goes around the ring twice. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

/* Blocks of the ring: as equal as whole packed elements allow. */
static uint32_t blocks_before(uint32_t block)
{
	uint32_t unit = 1u << self->ratio_log;
	uint32_t units = self->words.count / unit + (self->words.count % unit != 0);
	uint32_t longer = units % self->size;
	uint64_t elements = ((uint64_t)block * (units / self->size) + (block < longer ? block : longer)) * unit;

	return elements < self->words.count ? (uint32_t)elements : self->words.count;
}

static uint32_t block_count(uint32_t block) { return blocks_before(block + 1) - blocks_before(block); }

static void ring_stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t n = self->size;
	bool reducing = k < n;
	uint32_t block = rank_before(self->rank, reducing ? k : k - n);
	uint64_t first = (uint64_t)blocks_before(block) + part.offset;

	stage->count = part_within(part, block_count(block));
	if (reducing)
		stage->own = place_at(&self->op0, first);
	if (k + 1 >= n)
		stage->result = place_at(&self->res, first);
	stage->receives = k != 0;
	stage->from = rank_before(self->rank, 1);
	stage->sends = k + 2 < 2 * n;
	stage->to = rank_after(self->rank, 1);
}

/* Ranks beyond the largest power of two hand their elements to a partner below
 * and get the result back. */
static uint32_t doubling_ranks(void)
{
	uint32_t ranks = 1;

	while (2 * ranks <= self->size)
		ranks *= 2;
	return ranks;
}

static uint32_t doubling_steps(void)
{
	uint32_t steps = 0;

	for (uint32_t ranks = 2; ranks <= self->size; ranks *= 2)
		steps++;
	return steps;
}

static bool has_partner_above(void) { return self->rank + doubling_ranks() < self->size; }

static void send_to(struct stage *stage, uint32_t rank)
{
	stage->sends = true;
	stage->to = rank;
}

static void receive_from(struct stage *stage, uint32_t rank, struct place result)
{
	stage->receives = true;
	stage->from = rank;
	stage->result = result;
	stage->fence = true;
}

/* A step of doubling is two stages: send, then reduce what the other sent. */
static void doubling_stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t ranks = doubling_ranks();
	uint32_t steps = 2 * doubling_steps();
	struct place result = place_at(&self->res, part.offset);
	struct place own = k == 0 ? place_at(&self->op0, part.offset) : result;

	stage->count = part.count;
	stage->fence = k != 0;
	if (self->rank >= ranks) {
		if (k == 0) {
			stage->own = own;
			send_to(stage, self->rank - ranks);
		} else {
			receive_from(stage, self->rank - ranks, result);
		}
		return;
	}
	stage->own = own;
	if (has_partner_above()) {
		if (k == 0) {
			receive_from(stage, self->rank + ranks, result);
			return;
		}
		if (k == steps + 1) {
			send_to(stage, self->rank + ranks);
			return;
		}
		k--;
	} else if (k == 1) {
		stage->own = place_at(&self->op0, part.offset); /* not yet reduced with anything */
	}
	if (k % 2 == 0)
		send_to(stage, self->rank ^ (1u << k / 2));
	else
		receive_from(stage, self->rank ^ (1u << k / 2), result);
}

static uint32_t doubling_stages(void)
{
	if (self->rank >= doubling_ranks())
		return 2;
	return 2 * doubling_steps() + (has_partner_above() ? 2 : 0);
}

/* Each rank adds its own to what comes, from rank 0 on, and the last one's sum goes
 * around once more. */
static void streamed_stage(uint32_t k, struct part part, struct stage *stage)
{
	uint32_t last = self->size - 1;

	stage->count = part.count;
	stage->receives = k != 0 || self->rank != 0;
	stage->from = rank_before(self->rank, 1);
	stage->sends = k == 0 || self->rank + 1 != last;
	stage->to = rank_after(self->rank, 1);
	if (k == 0)
		stage->own = place_at(&self->op0, part.offset);
	if (k != 0 || self->rank == last)
		stage->result = place_at(&self->res, part.offset);
}

static void along_streams(void)
{
	struct path path = path_choose_reducing(self->words.count, 3);
	bool last = self->rank + 1 == self->size;

	path.tag = TAG_STREAMED;
	path_in_beats(&path);
	/* Both send each other data and credits, which come in the order in which they
	 * were sent: a credit before the data of the same part. */
	if (path.protocol == PACED && self->size == 2)
		path.ahead = last ? 0 : 1;
	if (self->size == 1)
		stages_run(&path, 1, self->words.count, alone_stage);
	else
		stages_run(&path, last ? 1 : 2, self->words.count, streamed_stage);
}

void allreduce(struct call *call)
{
	if (call->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM || call->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM) {
		along_streams();
		return;
	}
	uint32_t count = call->words.count;
	struct path doubling = path_choose(count, doubling_steps() + 2);
	struct path ring = path_choose_reducing(block_count(0), 2 * call->size);

	if (call->size == 1)
		stages_run(&ring, 1, count, alone_stage);
	else if (doubling.protocol == EAGER && bytes_of(count, false) <= engine.max_eager)
		stages_run(&doubling, doubling_stages(), count, doubling_stage);
	else
		stages_run(&ring, 2 * call->size - 1, block_count(0), ring_stage);
}
