/* Collectives are lists of stages. A stage takes what one rank sends and an
 * operand of this rank's own, or one of the two; reduces both if there are two;
 * and puts the result in memory, on to another rank, or both. */

#ifndef STAGE_H
#define STAGE_H

#include "engine.h"
#include "move.h"
#include "scratch.h"

/* Tags inside collectives, whose context is their own. */
enum { TAG_DATA, TAG_CREDIT, TAG_BARRIER, TAG_STREAMED };

/* Stages whose data can be asked for in advance, at least. */
#define STAGES_AHEAD 2

/* Stages that are looked at together; a power of two. */
#define STAGES 8

enum protocol {
	EAGER, /* messages into rx buffers */
	PACED, /* the same, slice by slice, each after the receiver has asked for it */
	RENDEZVOUS, /* into windows, slice by slice */
};

struct stage {
	struct place own, result;
	struct place further; /* what is sent beside, or where what is sent apart is kept, if that is said */
	uint32_t count; /* elements; without any there is nothing to do */
	bool receives, sends;
	bool keeps; /* sends its block of the operand, and this rank's own block becomes the result */
	bool apart; /* sends the operand, and what it receives becomes the result */
	bool kept; /* what is sent apart is kept further on; a plain stage only */
	bool exclusive; /* what it receives becomes the result, and what it sends is that reduced with its operand */
	bool beside; /* sends what lies further on, of as many elements, beside a result that it reduces; a plain stage only */
	uint32_t from, to;
	bool fence; /* needs what earlier stages wrote, or overwrites what they read */
	/* One window can take what several stages receive, each behind the one before:
	 * whether this one follows such a stage, how many elements at most come behind
	 * its own, and whether the next stage sends behind what this one sends. */
	bool follows, unfinished;
	uint32_t later;
};

/* What one rank sends lands here, in the order of the stages that take it. */
struct landing {
	struct place place; /* of what the next stage takes */
	uint8_t window, slot;
	bool in_place; /* there it stays: it is no scratch buffer */
};

/* The part of each rank's elements that travels now. */
struct part {
	uint32_t offset, count;
	bool whole; /* of the path */
};

/* Says what stage k does with this part. */
typedef void stage_builder(uint32_t k, struct part part, struct stage *stage);

/* The stages of a collective, for each part of so many elements anew. */
struct sequence {
	uint32_t stages, count;
	stage_builder *build;
	struct part part; /* of the stage that is built next */
	uint32_t k;
};

/* How the data of a collective travels: all ranks choose alike. */
struct path {
	enum protocol protocol;
	uint32_t tag; /* of its data: TAG_DATA, unless ranks must find out that others go another way */
	uint32_t slice; /* elements that travel at once */
	uint32_t ahead; /* stages whose data is asked for in advance, at least */
	uint32_t message; /* elements in an eager message; 0: not known yet */
	/* registers of moves have what does not change, of the call and for that rank, unless other calls have run since */
	uint32_t switches, cut;
	struct place kept; /* the block that the present stage keeps */
	struct move move; /* of the present stage, unless it is plain; stacks are small */
	struct stage exclusive; /* a move of the present stage, if that is exclusive */
	uint32_t unasked; /* the first stages, whose data nobody asks for */
	bool first, begun_first; /* stage 0 runs before others are looked at; it has */
	bool whole; /* rendezvous: all that a rank sends for a part of a ring's blocks fits into one window */
	bool greeted; /* the first window is open, and the stage that opens it is still to be looked at */
#if CCLO_FEATURE_RENDEZVOUS
	/* places of landings: of the next window, of the next one that is read, of the one that is */
	uint8_t opened, begun, current;
	bool welcome; /* a window of the next rank is open to this one, and takes more */
	uint8_t slots_used; /* bit set: some stage has read it, or will */
	uint8_t slots_unread; /* bit set: some stage still will */
	uint8_t next_slot, slots; /* scratch buffers in which data lands */
	bool early; /* windows are opened as soon as there is room for them */
	bool aside; /* windows are announced without waiting for earlier stages */
	uint32_t slot_moves[SCRATCH_SLOTS]; /* the last move that reads the slot */
	struct landing landings[HELD];
#endif
	struct sequence sequence;
	struct stage stages[STAGES]; /* the present one and those ahead of it */
};

/* Whether a stage can keep a block beside one that it sends. */
bool stages_keep(void);

/* The only stage of a rank that is alone: the operand becomes the result. */
stage_builder alone_stage;

/* Opens the first window before stages are looked at, which takes a while; a stage must be
 * the one that does. It is for a part of count elements; at a place in the result, or in
 * scratch memory if there is none. */
void stages_greet(struct path *path, uint32_t from, const struct place *place, uint32_t count);

/* Runs stage 0 of operations in which it only sends operand 0, to another rank: so many
 * elements at most. */
void stages_begin(struct path *path, uint32_t count, uint32_t to);

/* Runs so many stages for each part of a block of count elements, and ends the call; none
 * of them is nothing to do. */
void stages_run(struct path *path, uint32_t stages, uint32_t count, stage_builder *build) __attribute__((noreturn));

/* Runs a stage by itself, for who has no list of them: as a message; or into the window of the
 * rank it sends to, which is invited to it if there is no welcome, and from that in which data
 * has landed, if any does, where it may stay. */
void stage_run(struct path *path, const struct stage *stage);
void stage_run_in_window(struct path *path, const struct stage *stage, const struct landing *landing, bool in_place);

/* Waits for all that a collective has begun, and ends the call. */
void stages_end(void) __attribute__((noreturn));

/* A rank, or a block of one, that is less than a round too large. */
static inline uint32_t around(uint32_t rank)
{
	return rank >= engine.current->size ? rank - engine.current->size : rank;
}

/* Elements of a part inside a block that may be shorter than the longest. */
uint32_t part_within(struct part part, uint32_t count);

#endif
