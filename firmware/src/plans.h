/* Plans that calls have, or get. */

#ifndef PLANS_H
#define PLANS_H

#include "engine.h"

/* Words of a call that collectives look at, but for the operation. */
#define WORDS(X) \
	X(count) X(comm) X(root_src_dst) X(function_code) X(tag) X(arithcfg) X(compression_flags) X(stream_flags) \
	X(addr_0_low) X(addr_0_high) X(addr_2_low) X(addr_2_high)

struct words {
	uint32_t operation;
#define WORD(name) uint32_t name;
	WORDS(WORD)
#undef WORD
};

/* A register, and what is written to it; or a step. */
struct setting {
	uint32_t address, value;
};

/* Steps of plans with windows: what others say is asked for again. In place of an address. */
enum {
	STEP_HOLD, /* the window of this number, which was opened */
	STEP_ANNOUNCE, /* it, by a move with this control */
	STEP_ANNOUNCE_ASIDE,
	STEP_INVITATION, /* waits for that which registers seek; its data have this tag */
	STEP_REMOTE, /* a move with this control into the window that was announced, */
	STEP_BYTES, /* of so many bytes */
	STEP_DONE, /* a move with this control says that these were all */
	STEPS,
};

static inline bool is_step(const struct setting *s) { return s->address < STEPS; }

/* What is not to be written twice. */
static inline bool is_command(const struct setting *s)
{
#if CCLO_FEATURE_RENDEZVOUS
	if (s->address == CCLO_RENDEZVOUS_OPEN_ADDRESS)
		return true;
#endif
	return s->address == CCLO_MOVE_CONTROL_ADDRESS;
}

struct plan {
	uint32_t signature; /* of calls whose place this is */
	uint32_t version; /* of the tables that it holds for; 0 for none */
	uint32_t refused; /* version of the tables with which such calls have none */
	uint32_t moves, at_once; /* those before rest */
	uint32_t recorded, ticket; /* of the call that was recorded, and the last one that had the plan */
	bool windows; /* there are steps */
	/* From changed on if registers are as the plan leaves them; up to rest nothing is waited for. */
	const struct setting *first, *changed, *rest, *end;
	struct words words;
	struct series *series; /* of collectives of the communicator */
	uint32_t count, shape; /* as messages say them */
	struct plan *next; /* place of the call that came after such a one, the last time */
};

/* A call's place is one of a set, found by its signature. */
#define SETS_LOG 4
#define WAYS     4
#define PLACES   (WAYS << SETS_LOG)
#define SETTINGS 3072

struct set {
	struct plan places[WAYS];
	uint32_t next_way;
};

struct plans {
	struct set sets[1 << SETS_LOG];
	struct plan *last, *expected; /* places of the last call and of the next one, perhaps; or NULL */
	struct setting settings[SETTINGS];
	uint32_t used; /* settings */
	uint32_t full, full_ticket; /* with this version of the tables there was no room for this call's */
};

extern struct plans plans;

#endif
