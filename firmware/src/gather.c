/* Rank i's elements become block i at the root. */

#include "comm.h"
#include "operations.h"
#include "path.h"
#include "task.h"

static void at_root(uint32_t k, struct part part, struct move *stage)
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
	return path;
}

void gather(struct call *call)
{
	struct path *path = choose();

	if (comm_peer() == call->rank) {
		stages_run(path, call->size, call->words.count, at_root);
		return;
	}
	path_first(path);
	stages_run(path, 1, call->words.count, elsewhere);
}
