/* How the data of a collective travels: in messages or windows, at once or slice by slice. */

#ifndef PATH_H
#define PATH_H

#include "stage.h"

/* Whether elements may be few enough for eager messages that wait in rx buffers. */
bool path_may_be_eager(uint32_t count);

/* Chooses how blocks of this many elements travel, when a rank may have this
 * many of them waiting. There is one path for each queue of moves. */
struct path *path_choose(uint32_t count, uint32_t waiting);

/* The same, for operations that need scratch buffers with rendezvous. */
struct path *path_choose_reducing(uint32_t count, uint32_t waiting);

/* For rings, in which so many stages receive a part each: lets one window take
 * them all where parts are not too small for it. */
void path_around(struct path *path, uint32_t count, uint32_t stages);

/* Cuts blocks of so many elements, of which the whole would fit, finer: the next part begins
 * while the one before it ends. */
void path_in_parts(struct path *path, uint32_t count);

/* For operations in which each rank sends to and takes from all others in turn, beside each
 * other. */
void path_exchange(struct path *path);

/* For operations in which stage 0 needs not that stages after it are asked for: it runs
 * before they are looked at. */
static inline void path_first(struct path *path) { path->first = true; }

/* For operations in which a rank can end before others have begun, and begin
 * the next: where messages can be lost, none is sent that was not asked for. */
void path_one_way(struct path *path);

/* For operations in which a rank receives from one other only: what comes first, in so many
 * stages, is sent though nobody has asked for it, if rx buffers can wait for it. */
void path_unasked(struct path *path, uint32_t stages);

/* The same along a chain of ranks, each of which has one stage: slices are smaller, and more of
 * them are on their way, for a question takes as long as some messages. */
void path_chain(struct path *path);

/* For operations in which all others invite one rank, whose engine remembers so many: fewer
 * windows are open at the same time. */
static inline void path_invited(void) { engine.current->invites = true; }

/* Data is asked for so many stages in advance, not more. */
void path_asks(struct path *path, uint32_t ahead);

/* Whether it is the time of messages that counts, for so many elements, not how
 * many bytes there are. All ranks say alike. */
bool path_is_short(const struct path *path, uint32_t count);

/* For operations in which some rank's operand or result may be a kernel stream,
 * which others do not know: all parts but the last are whole beats. */
void path_in_beats(struct path *path);

/* Whatever the size: slice by slice, as receivers ask for it. */
void path_paced(struct path *path);

/* Leaves the last scratch buffer to the reduction. */
void path_accumulates(struct path *path);

#endif
