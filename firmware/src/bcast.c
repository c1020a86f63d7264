/* From the root to all: flat for few ranks, along a binomial tree where the time of
 * messages counts, else along a chain, through which elements stream. */

#include "comm.h"
#include "operations.h"
#include "path.h"
#include "task.h"
#include "tree.h"

static struct tree tree(void)
{
	struct tree t = { .root = self->words.root_src_dst };

#ifdef CCLO_EXCHANGE_BCAST_FLAT_MAX_RANKS_ADDRESS
	t.flat = self->size <= hw_read(CCLO_EXCHANGE_BCAST_FLAT_MAX_RANKS_ADDRESS);
#endif
	return t;
}

/* The largest subtree is served first. What comes in goes on to the first child
 * in the same pass, and to the others from memory. */
static void tree_stage(uint32_t k, struct part part, struct move *stage)
{
	struct place buffer = place_at(&self->op0, part.offset);
	uint32_t children = tree_children(tree());
	bool root = self->rank == tree().root;

	stage->count = part.count;
	stage->shape = shape_of(!root && k == 0, k < children);
	if (receives(stage)) {
		stage->from = tree_parent(tree());
		stage->result = buffer;
	} else {
		stage->own = buffer;
		stage->fence = !root;
	}
	if (sends(stage))
		stage->to = tree_child(tree(), children - 1 - k);
}

/* From the root around the ring of ranks: each keeps and hands on in one pass. */
static void chain_stage(uint32_t k, struct part part, struct move *stage)
{
	uint32_t root = self->words.root_src_dst;

	(void)k;
	stage->count = part.count;
	stage->from = rank_before(self->rank, 1);
	stage->to = rank_after(self->rank, 1);
	stage->shape = shape_of(self->rank != root, stage->to != root);
	place_further(receives(stage) ? &stage->result : &stage->own, &self->op0, part.offset);
}

void bcast(struct call *call)
{
	uint32_t count = call->words.count;
	bool root = comm_peer() == call->rank;
	struct path *path = path_choose(count, 1);

	path_one_way(path);
	if (!root) {
		/* The one buffer is a result here. */
		call->op0.packed = call->res.packed;
		call->op0.host = call->res.host;
	}
	if (path_is_short(path, count) || tree().flat) {
		uint32_t children = tree_children(tree());

		if (tree().flat)
			path_invited();
		stages_run(path, root || children != 0 ? children : 1, count, tree_stage);
		return;
	}
	path_first(path);
	path_chain(path);
	if (root)
		stages_begin(path, count, rank_after(call->rank, 1));
	else if (!call->op0.packed)
		stages_greet(path, rank_before(call->rank, 1), &call->op0, count);
	stages_run(path, 1, count, chain_stage);
}
