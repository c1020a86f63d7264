/* Who talks to whom in a tree over the ranks of the communicator. */

#ifndef TREE_H
#define TREE_H

#include "engine.h"

/* Flat: all ranks are children of the root. Otherwise binomial. */
struct tree {
	uint32_t root;
	bool flat;
};

/* The rank above this one, which must not be the root. */
uint32_t tree_parent(struct tree tree);

uint32_t tree_children(struct tree tree);

/* Child k of this rank; in a binomial tree the one with the fewest below it
 * comes first. */
uint32_t tree_child(struct tree tree, uint32_t k);

#endif
