/* Stages: a collective is a list of them, one move each (none without elements). */

#ifndef STAGE_H
#define STAGE_H

#include "engine.h"
#include "move.h"
#include "scratch.h"

/* Tags of messages inside collectives. */
enum { TAG_DATA, TAG_CREDIT, TAG_BARRIER, TAG_STREAMED };

/* Stages for which credit or CTS can be sent in advance, at least. */
#define STAGES_AHEAD 2

/* Stages known at a time; a power of two. */
#define STAGES 8

enum protocol {
	EAGER, /* messages into rx buffers */
	PACED, /* the same, slice by slice, each after a credit of the receiver */
	RENDEZVOUS, /* into windows, slice by slice */
};

/* A part of each rank's elements. */
struct part {
	uint32_t offset, count;
	bool whole; /* path.whole */
};

/* Fills in stage k for this part. */
typedef void stage_builder(uint32_t k, struct part part, struct move *stage);

/* All stages of a collective: so many, for each part of count elements. */
struct sequence {
	uint32_t stages, count;
	stage_builder *build;
	struct part part; /* of the next stage */
	uint32_t k;
};

/* How the data of a collective travels. All ranks choose alike. */
struct path {
	enum protocol protocol;
	uint32_t tag; /* of its data: TAG_DATA, or another one so that a mismatch of algorithms is found */
	uint32_t slice; /* elements sent at a time */
	uint32_t ahead; /* stages for which credit or CTS is sent in advance, at least */
	uint32_t message; /* elements in an eager message; 0: not known yet */
	/* engine.switches and destination for which the move registers hold what stages have in common */
	uint32_t switches, cut;
	uint32_t unasked; /* first stages, which need no credit */
	bool first, begun_first; /* stage 0 runs before others are built; it has run */
	bool whole; /* rendezvous: all that a rank sends for a part of a ring's blocks fits into one window */
	bool greeted; /* the first window is open, its stage not yet built */
#if CCLO_FEATURE_RENDEZVOUS
	/* indices of landings: next to open, next to read, being read */
	uint8_t opened, begun, current;
	bool welcome; /* a window of the next rank is open and not full */
	uint8_t slots_used; /* bit set: read by some stage, now or later */
	uint8_t slots_unread; /* bit set: still to be read */
	uint8_t next_slot, slots; /* of scratch buffers used as windows */
	bool early; /* windows open as soon as there is room */
	bool aside; /* CTS do not wait for earlier stages */
	uint32_t slot_moves[SCRATCH_SLOTS]; /* number of the last move that reads the slot */
	struct landing landings[HELD];
#endif
	struct sequence sequence;
	struct move stages[STAGES]; /* the present one and those ahead of it */
};

/* Whether operand and result allow shape KEEP. */
bool stages_keep(void);

/* The same, and whether the operand, of one block, lies apart from the result or in its own place there. */
bool stages_keep_apart(void);

/* Makes a stage KEEP this rank's own block, from the offset of a part on. */
void stage_keep(struct move *stage, uint32_t offset);

/* The only stage in a communicator of one rank: the operand becomes the result. */
stage_builder alone_stage;

/* Opens the first window, of count elements at the place or in scratch memory without one, before stages are built,
 * which takes longer. A later stage must need this window first. */
void stages_greet(struct path *path, uint32_t from, const struct place *place, uint32_t count);

/* Runs stage 0 of operations in which it only sends operand 0: at most count elements. */
void stages_begin(struct path *path, uint32_t count, uint32_t to);

/* Runs the stages for each part of count elements, and ends the call. */
void stages_run(struct path *path, uint32_t stages, uint32_t count, stage_builder *build) __attribute__((noreturn));

/* Runs one stage of an algorithm without a list: with messages; or with windows, that of the rank it sends to, whose
 * CTS is waited for unless path->welcome, and that of the landing. */
void stage_run(struct path *path, struct move *stage);
void stage_run_in_window(struct path *path, const struct move *stage, const struct landing *landing);

/* Runs it in the call's second queue, beside those of the first, if it can have one. */
void stage_run_aside(struct path *path, struct move *stage);

/* Elements up to which any block is one move: it ends well within the time limit of moves. */
#define WHOLE_ELEMENTS 0x100000

/* Each rank sends a block to every other: all of them, after the first one (sent), which may keep another in the same
 * pass, while what arrives goes to its place in the result. Whether they can: rx buffers hold all of it, or there are two
 * and they have asked each other; and does it, with the same block to all or one to each. */
bool stages_cross(const struct path *path, bool held);
void stages_run_cross(struct path *path, struct move *sent, bool to_all) __attribute__((noreturn));

/* Waits for moves and windows of a collective, and ends the call. */
void stages_end(void) __attribute__((noreturn));

/* An empty stage. */
static inline void stage_clear(struct move *stage)
{
	stage->own.form = stage->second.form = stage->result.form = 0;
	stage->shape = LOCAL;
	stage->fence = stage->follows = stage->unfinished = false;
	stage->later = 0;
}

/* The rank modulo the number of ranks, for less than twice as many. */
static inline uint32_t around(uint32_t rank)
{
	return rank >= engine.current->size ? rank - engine.current->size : rank;
}

/* Elements of a part inside a block of count elements. */
uint32_t part_within(struct part part, uint32_t count);

#endif
