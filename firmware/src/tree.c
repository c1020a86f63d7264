#include "tree.h"

#include "comm.h"
#include "task.h"

/* Distance from the root, around the ring of ranks. */
static uint32_t distance(struct tree tree) { return rank_before(self->rank, tree.root); }

/* In a binomial tree the parent of a rank is found by clearing the lowest bit
 * of its distance. */
uint32_t tree_parent(struct tree tree)
{
	uint32_t d = distance(tree);

	return tree.flat ? tree.root : rank_after(d & (d - 1), tree.root);
}

uint32_t tree_children(struct tree tree)
{
	uint32_t d = distance(tree);
	uint32_t children = 0;

	if (tree.flat)
		return d == 0 ? self->size - 1 : 0;
	for (uint32_t bit = 1; bit < self->size && (d & bit) == 0 && d + bit < self->size; bit <<= 1)
		children++;
	return children;
}

uint32_t tree_child(struct tree tree, uint32_t k)
{
	uint32_t step = tree.flat ? k + 1 : 1u << k;

	return rank_after(distance(tree) + step, tree.root);
}
