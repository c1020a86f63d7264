/* Plans of the call cache. */

#ifndef PLANS_H
#define PLANS_H

#include "engine.h"

/* Words of a call that collectives depend on, without the operation: those by which plans are told apart, and those
 * that a plan can be fitted to. */
#define KEY_WORDS(X) \
	X(comm) X(root_src_dst) X(function_code) X(arithcfg) X(compression_flags) X(stream_flags) \
	X(addr_0_high) X(addr_2_high)
#define FREE_WORDS(X) X(count) X(addr_0_low) X(addr_2_low)

struct words {
	uint32_t operation;
#define WORD(name) uint32_t name;
	KEY_WORDS(WORD)
	FREE_WORDS(WORD)
#undef WORD
};

/* A register write; or a step, whose number stands in place of the address. */
struct setting {
	uint32_t address, value;
};

/* Steps of plans with windows: what depends on other ranks is done anew. */
enum {
	STEP_HOLD, /* the call holds this window, just opened */
	STEP_ANNOUNCE, /* CTS by a move with this control word */
	STEP_ANNOUNCE_ASIDE,
	STEP_INVITATION, /* waits for the CTS that registers select; data have this tag */
	STEP_REMOTE, /* a move with this control word into the window of that CTS, */
	STEP_BYTES, /* with this many bytes */
	STEP_DONE, /* done message by a move with this control word */
	STEPS,
};

/* In a control word: the move goes to the second queue, which a call alone finds idle. */
#define ASIDE FIELD(MOVE_CONTROL_QUEUE, 1)

static inline bool is_step(const struct setting *s) { return s->address < STEPS; }

/* Whether writing the setting again would repeat an action. */
static inline bool is_command(const struct setting *s)
{
#if CCLO_FEATURE_RENDEZVOUS
	if (s->address == CCLO_RENDEZVOUS_OPEN_ADDRESS)
		return true;
#endif
	return s->address == CCLO_MOVE_CONTROL_ADDRESS;
}

/* What changes from the call of a plan to the next one: addresses of operand and result, bytes of the elements. */
struct moved {
	uint32_t operand, result, bytes, compressed;
};

/* A setting that depends on where operand and result are, or on how many elements there are. */
struct relocation {
	uint16_t value; /* its value, in bytes from the first setting */
	uint8_t by; /* what is added to it: a word of struct moved, in bytes from the begin; */
	uint8_t blocks; /* and how many times what a block has more bytes */
};

/* How operand and result lie to each other. */
enum lie { ONE_ALONE, APART, JOINED };

struct plan {
	uint32_t signature; /* hash of the call */
	uint32_t version; /* of the tables for which it is valid; 0: none */
	uint32_t refused; /* version of the tables for which such calls are not recorded */
	uint32_t recorded, ticket; /* tickets of the recorded call (before: tables seen last) and of the last that used it */
	/* Start at changed if registers are as the plan leaves them. Settings before rest need no wait. */
	struct setting *first, *changed, *rest, *end; /* relocations are behind the end */
	struct words words; /* the call that the settings are for */
	/* The plan can be fitted to calls with other operands, and of up to most elements (0: of as many). */
	uint32_t most;
	uint32_t operand_bytes, result_bytes; /* of all blocks, for each element of the call */
	uint8_t plain_bytes, packed_bytes, ratio_log; /* of elements; packed_bytes 0: nothing is compressed */
	uint8_t lie; /* enum lie */
	bool windows, fits; /* it has steps; it has relocations */
	uint8_t at_once, aside; /* moves before rest: in the first queue; in the second one */
	uint8_t free; /* settings before this one are the same for all calls that the plan is fitted to, as those before
	               * changed are for its own one */
	uint16_t issued, early, relocations; /* settings to the end of the first move, or to rest; relocations of those; all */
	struct series *series; /* of collectives of the communicator */
	uint32_t count, shape; /* in message headers */
	struct plan *next; /* of the call that followed the last time */
};

/* Set-associative by signature. */
#define SETS_LOG 4
#define WAYS     3
#define PLACES   (WAYS << SETS_LOG)
#define SETTINGS 2756

struct set {
	struct plan places[WAYS];
	uint32_t next_way;
};

struct plans {
	struct set sets[1 << SETS_LOG];
	struct moved moved;
	struct plan *noted; /* place of the last call that had none */
	struct plan *last, *expected; /* of the last call; of the next one, predicted; or NULL */
	struct setting settings[SETTINGS];
	uint32_t used; /* of settings */
	uint32_t full, full_ticket; /* version of the tables and ticket of the last call that did not fit */
};

extern struct plans plans;

/* Notes what the call of a plan says about fitting it to others. */
void plan_fit_to(struct plan *plan, const struct call *call);

/* Finds how a plan just recorded can be fitted to other calls: to those of up to few elements, or with other operands
 * alone. */
void plan_fit(struct plan *plan, uint32_t few);

#endif
