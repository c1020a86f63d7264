/* Paths: protocol and slices of the data of a collective. */

#ifndef PATH_H
#define PATH_H

#include "stage.h"

/* Whether so many elements may go as eager messages that wait in rx buffers. */
bool path_may_be_eager(uint32_t count);

/* Chooses the path of blocks of count elements, of which a rank may have so many waiting. There is one path for each
 * queue of moves. */
struct path *path_choose(uint32_t count, uint32_t waiting);

/* The same for operations that need scratch buffers with rendezvous. */
struct path *path_choose_reducing(uint32_t count, uint32_t waiting);

/* For rings, in which so many stages receive a part each: one window takes them all unless parts are too small. */
void path_around(struct path *path, uint32_t count, uint32_t stages);

/* Cuts blocks that would fit as a whole into parts, so that one begins while the one before it ends. */
void path_in_parts(struct path *path, uint32_t count);

/* For operations in which each rank exchanges blocks with all others in turn. */
void path_exchange(struct path *path);

/* For operations in which stage 0 can run before later stages are built. */
static inline void path_first(struct path *path) { path->first = true; }

/* For operations in which a rank can end, and begin the next one, before others have begun: on lossy networks every
 * message needs a credit. */
void path_one_way(struct path *path);

/* For operations in which a rank receives from one other only: the first stages need no credit if rx buffers can
 * hold them. */
void path_unasked(struct path *path, uint32_t stages);

/* The same along a chain of ranks with one stage each. Slices are smaller and more of them outstanding, because a
 * credit takes as long as several messages. */
void path_chain(struct path *path);

/* For operations in which all others send CTS to one rank, whose engine remembers a limited number: fewer windows are
 * open at a time. */
static inline void path_invited(void) { engine.current->invites = true; }

/* Credit or CTS is sent exactly so many stages in advance. */
void path_asks(struct path *path, uint32_t ahead);

/* Whether latency dominates for so many elements, not bandwidth. The same on all ranks. */
bool path_is_short(const struct path *path, uint32_t count);

/* For operations in which an operand or result of another rank may be a kernel stream: all parts but the last are whole
 * beats. */
void path_in_beats(struct path *path);

/* For operations in which one rank receives from all others: large blocks come as a whole, one after another, each
 * asked for when it alone is waited for, so that it goes straight to its place. */
void path_in_blocks(struct path *path);

/* Uses protocol PACED whatever the size. */
void path_paced(struct path *path);

/* Reserves the last scratch buffer as accumulator. */
void path_accumulates(struct path *path);

#endif
