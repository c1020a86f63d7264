/* Collectives are lists of stages. A stage takes what one rank sends and an
 * operand of this rank's own, or one of the two; reduces both if there are two;
 * and puts the result in memory, on to another rank, or both. */

#ifndef STAGE_H
#define STAGE_H

#include "engine.h"
#include "move.h"

/* Tags inside collectives, whose context is their own. */
enum { TAG_DATA, TAG_CREDIT, TAG_BARRIER, TAG_STREAMED };

/* Stages whose data can be asked for in advance. */
#define STAGES_AHEAD 2

enum protocol {
	EAGER, /* messages into rx buffers */
	PACED, /* the same, slice by slice, each after the receiver has asked for it */
	RENDEZVOUS, /* into windows, slice by slice */
};

#if CCLO_FEATURE_RENDEZVOUS
#define SCRATCH_SLOTS CCLO_EXCHANGE_SCRATCH_COUNT
#else
#define SCRATCH_SLOTS 1
#endif

/* How the data of a collective travels: all ranks choose alike. */
struct path {
	enum protocol protocol;
	uint32_t tag; /* of its data: TAG_DATA, unless ranks must find out that others go another way */
	uint32_t slice; /* elements that travel at once */
	uint32_t ahead; /* stages whose data is asked for in advance */
	uint32_t slots; /* scratch buffers in which data lands */
	uint32_t next_slot;
	uint32_t slot_moves[SCRATCH_SLOTS]; /* the move that reads the slot */
};

struct stage {
	struct place own, result;
	uint32_t count; /* elements; without any there is nothing to do */
	bool receives, sends;
	bool fence; /* needs what earlier stages wrote, or overwrites what they read */
	uint32_t from, to;
	/* Filled in when the data is asked for. */
	bool lands_in_scratch;
	uint8_t window, slot;
	struct place landing;
};

/* The part of each rank's elements that travels now. */
struct part {
	uint32_t offset, count;
};

/* Says what stage k does with this part. */
typedef void stage_builder(uint32_t k, struct part part, struct stage *stage);

/* Chooses how blocks of this many elements travel, when a rank may have this
 * many of them waiting. */
struct path path_choose(uint32_t count, uint32_t waiting);

/* The same, for operations that need scratch buffers with rendezvous. */
struct path path_choose_reducing(uint32_t count, uint32_t waiting);

/* For operations in which a rank can end before others have begun, and begin
 * the next: where messages can be lost, none is sent that was not asked for. */
void path_one_way(struct path *path);

/* Elements that are whole beats, plain and packed. */
uint32_t beats_elements(void);

/* For operations in which some rank's operand or result may be a kernel stream,
 * which others do not know: all parts but the last are whole beats. */
void path_in_beats(struct path *path);

/* Whatever the size: slice by slice, as receivers ask for it. */
struct path path_paced(void);

/* Leaves the last scratch buffer to the reduction. */
void path_accumulates(struct path *path);

/* The only stage of a rank that is alone: the operand becomes the result. */
stage_builder alone_stage;

/* Runs so many stages for each part of a block of count elements; none of them is
 * nothing to do. */
void stages_run(struct path *path, uint32_t stages, uint32_t count, stage_builder *build);

/* Elements of a part inside a block that may be shorter than the longest. */
uint32_t part_within(struct part part, uint32_t count);

/* Scratch buffers: whether the host has given any, how many elements of the call
 * fit into its part of each, and the one that a reduction accumulates in. */
bool scratch_configured(void);
uint32_t scratch_elements(void);
struct place scratch_accumulator(void);

#endif
