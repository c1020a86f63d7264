/* From the root to all: flat for few ranks, else along a binomial tree. */

#include "comm.h"
#include "operations.h"
#include "stage.h"
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
static void stage(uint32_t k, struct part part, struct stage *stage)
{
	struct place buffer = place_at(&self->op0, part.offset);
	uint32_t children = tree_children(tree());
	bool root = self->rank == tree().root;

	stage->count = part.count;
	stage->receives = !root && k == 0;
	if (stage->receives) {
		stage->from = tree_parent(tree());
		stage->result = buffer;
	} else {
		stage->own = buffer;
		stage->fence = k != 0;
	}
	stage->sends = k < children;
	if (stage->sends)
		stage->to = tree_child(tree(), children - 1 - k);
}

void bcast(struct call *call)
{
	struct path path = path_choose(call->words.count, 1);
	uint32_t stages = tree_children(tree());

	comm_peer();
	path_one_way(&path);
	if (call->rank != call->words.root_src_dst) {
		/* The one buffer is a result here. */
		call->op0.packed = call->res.packed;
		call->op0.host = call->res.host;
		if (stages == 0)
			stages = 1;
	}
	stages_run(&path, stages, call->words.count, stage);
}
