/* Rank i's elements become block i at the root. */

#include "comm.h"
#include "operations.h"
#include "path.h"
#include "task.h"

__attribute__((noinline)) static void at_root(uint32_t k, struct part part, struct move *stage)
{
	uint32_t from = rank_after(self->rank, k);

	stage->count = part.count;
	place_further(&stage->result, &self->res, (uint64_t)from * self->words.count + part.offset);
	if (k == 0) {
		place_further(&stage->own, &self->op0, part.offset);
		return;
	}
	stage->shape = RECEIVE;
	stage->from = from;
}

/* The same without its own block. */
static void at_root_others(uint32_t k, struct part part, struct move *stage) { at_root(k + 1, part, stage); }

/* Takes the own block to its place beside the others; false if it cannot. */
static bool keep_aside(struct path *path)
{
	struct move *stage = &path->stages[0];

	if (path->protocol == RENDEZVOUS || self->words.count - 1 >= WHOLE_ELEMENTS || !stages_keep_apart())
		return false;
	stage_clear(stage);
	at_root(0, (struct part){ .count = self->words.count }, stage);
	stage_run_aside(path, stage);
	return true;
}

static void elsewhere(uint32_t k, struct part part, struct move *stage)
{
	(void)k;
	stage->count = part.count;
	place_further(&stage->own, &self->op0, part.offset);
	stage->shape = SEND;
	stage->to = self->words.root_src_dst;
}

/* All send at once only what fits into the root's rx buffers, and as far as the
 * host allows; beyond it the root asks them one after another, so many ahead. */
static struct path *choose(void)
{
	uint32_t others = self->size > 1 ? self->size - 1 : 1;
	struct path *path = path_choose(self->words.count, others);

#ifdef CCLO_EXCHANGE_GATHER_MAX_BYTES_ADDRESS
	uint32_t fan_in = hw_read(CCLO_EXCHANGE_GATHER_FAN_IN_ADDRESS);
	uint32_t most = hw_read(CCLO_EXCHANGE_GATHER_MAX_BYTES_ADDRESS);

	if (path->protocol == EAGER && most != 0 && bytes_of(self->words.count, false) > most)
		path_paced(path);
	if (path->protocol == RENDEZVOUS && fan_in != 0)
		path_asks(path, fan_in - 1);
#endif
	path_one_way(path);
	path_in_blocks(path);
	return path;
}

void gather(struct call *call)
{
	struct path *path = choose();

	if (comm_peer() == call->rank) {
		if (keep_aside(path))
			stages_run(path, call->size - 1, call->words.count, at_root_others);
		stages_run(path, call->size, call->words.count, at_root);
	}
	path_first(path);
	stages_run(path, 1, call->words.count, elsewhere);
}
