/* To the root: flat for few ranks or elements, along a binomial tree where the
 * time of messages counts, else along a chain, through which elements stream. */

#include "comm.h"
#include "operations.h"
#include "path.h"
#include "task.h"
#include "tree.h"

/* Rank by rank around the ring, the root last: each adds its own to what comes.
 * Nothing is stored on the way. */
static void chain_stage(uint32_t k, struct part part, struct move *stage)
{
	uint32_t first = rank_after(self->words.root_src_dst, 1);

	(void)k;
	stage->count = part.count;
	place_further(&stage->own, &self->op0, part.offset);
	stage->shape = shape_of(self->rank != first, self->rank != self->words.root_src_dst);
	stage->from = rank_before(self->rank, 1);
	stage->to = rank_after(self->rank, 1);
	if (!sends(stage))
		place_further(&stage->result, &self->res, part.offset);
}

static void along_chain(struct path *path)
{
	uint32_t count = self->words.count;

	path_first(path);
	if (self->rank != rank_after(self->words.root_src_dst, 1))
		stages_greet(path, rank_before(self->rank, 1), NULL, count);
	else
		stages_begin(path, count, rank_after(self->rank, 1));
	stages_run(path, 1, count, chain_stage);
}

#ifdef CCLO_EXCHANGE_REDUCE_FLAT_MAX_RANKS_ADDRESS

static struct tree tree(void)
{
	struct tree t = { .root = self->words.root_src_dst };

	t.flat = self->size <= hw_read(CCLO_EXCHANGE_REDUCE_FLAT_MAX_RANKS_ADDRESS) ||
	         bytes_of(self->words.count, false) <= hw_read(CCLO_EXCHANGE_REDUCE_FLAT_MAX_BYTES_ADDRESS);
	return t;
}

static bool tree_is_better(const struct path *path)
{
	if (!tree().flat && (bytes_of(self->words.count, false) > engine.max_eager || !path_is_short(path, self->words.count)))
		return false;
	return scratch_configured() && scratch_elements() >= beats_elements();
}

/* Each adds up its children, in scratch memory, and hands the sum on with the
 * last of them. */
static void tree_stage(uint32_t k, struct part part, struct move *stage)
{
	uint32_t children = tree_children(tree());

	stage->count = part.count;
	stage->own = k == 0 ? place_at(&self->op0, part.offset) : scratch_accumulator();
	stage->fence = k != 0;
	stage->shape = shape_of(k < children, k + 1 >= children && self->rank != tree().root);
	if (receives(stage))
		stage->from = tree_child(tree(), k);
	if (sends(stage))
		stage->to = tree_parent(tree());
	else if (k + 1 < children)
		stage->result = scratch_accumulator();
	else
		place_further(&stage->result, &self->res, part.offset);
}

static void along_tree(void)
{
	uint32_t children = tree_children(tree());
	struct path *path = path_choose_reducing(self->words.count, tree().flat ? self->size : 1);

	path_one_way(path);
	path_accumulates(path);
	path_in_beats(path);
	stages_run(path, children != 0 ? children : 1, self->words.count, tree_stage);
}

#else

static bool tree_is_better(const struct path *path)
{
	(void)path;
	return false;
}

static void along_tree(void) {}

#endif

void reduce(struct call *call)
{
	struct path *path = path_choose_reducing(call->words.count, 1);

	comm_peer();
	path_one_way(path);
	path_chain(path);
	path_in_beats(path);
	if (call->size == 1)
		stages_run(path, 1, call->words.count, alone_stage);
	else if (call->size > 2 && tree_is_better(path))
		along_tree();
	else
		along_chain(path);
}
