/* The one struct of the firmware: calls in progress and what the host has
 * configured. */

#ifndef ENGINE_H
#define ENGINE_H

#include "hw.h"

#define CALLS       CCLO_OPEN_CALLS
#define QUEUES      CCLO_MOVE_QUEUES
#define STACK_WORDS 240 /* the stack of a call; its last word is checked at each switch */
#define NO_QUEUE    (-1)
#define HELD        4 /* rendezvous windows that one call holds at the same time */

/* What orders calls of one communicator among each other (order.c). */
enum call_kind { KIND_LOCAL, KIND_SEND_EAGER, KIND_SEND_RENDEZVOUS, KIND_RECV_EAGER, KIND_RECV_RENDEZVOUS, KIND_COLLECTIVE };

/* A place that an operand comes from or a result goes to. */
struct place {
	uint32_t low, high; /* address; halves, so that a place is three words */
	uint8_t kind; /* enum move_operand and move_result: none, memory or kernel stream */
	bool packed;  /* elements are compressed */
	bool host;    /* in host memory */
};

struct call {
	struct cclo_call words;
	uint32_t ticket;
	uint32_t order; /* calls were taken in this order */
	uint32_t started; /* cycles */
	uint32_t error; /* return code so far */
	uint32_t deadline; /* milliseconds; when a wait ends */
	uint32_t *sp;
	uint8_t kind;
	int8_t queue; /* queue of moves that it owns, or NO_QUEUE */
	int8_t other_queue; /* a second one, whose moves go on side by side */
	bool timed; /* the deadline counts */

	/* Communicator: byte offset, ranks, own rank, context of its messages. */
	uint32_t comm, size, rank, context, tag;
	/* Elements: bytes plain and packed, log2 of the ratio, TDESTs. */
	uint32_t plain_bytes, packed_bytes, ratio_log, tdest;
	bool inner_packed; /* reductions are done on compressed elements */
	bool wire_packed; /* messages are compressed */
	/* Operands and result of the call. */
	struct place op0, op1, res;
	/* Windows that it has, oldest first, and the moves that read them. */
	struct {
		uint32_t move; /* number in the call's queue */
		uint64_t address;
		uint8_t window;
		bool read;
	} held[HELD];
	uint8_t windows;
	/* What the last invitation said, for the next rendezvous move. */
	uint64_t remote_address;
	uint32_t remote_transfer;
	bool remote_host;
};

struct engine {
	struct call *current; /* the call that runs, NULL in the scheduler */
	uint32_t *scheduler_sp;
	uint32_t next_order;
	uint32_t capabilities; /* layout hardware_id */
	bool enabled; /* enable_pkt was called since the last reset */
	uint32_t rx_count, rx_bytes; /* buffers, bytes of each */
	uint32_t max_eager, max_rendezvous; /* bytes; 0: not set */
	uint32_t max_segment; /* bytes; 0: not set */
	uint32_t issued[QUEUES]; /* moves, wrapping around */
	bool queue_taken[QUEUES];
	uint32_t windows; /* bit set of windows in use */
	struct {
		uint32_t comm, context;
	} contexts[8];
	uint32_t next_context;
	uint32_t open; /* bit set of calls in progress */
	bool standing_by; /* a call waits for what another has */
	bool given_back; /* and something was given back */
	struct call calls[CALLS], dropped;
	uint32_t stacks[CALLS][STACK_WORDS] __attribute__((aligned(16)));
};

extern struct engine engine;

_Static_assert(CALLS == 32, "calls in progress are the bits of a word");

static inline uint32_t call_bit(const struct call *call) { return 1u << (call - engine.calls); }

/* Takes the lowest bit out of a set and gives its place. */
static inline uint32_t next_in(uint32_t *set)
{
	uint32_t lowest = *set & -*set;
	uint32_t i = 0;

	*set ^= lowest;
	i |= (lowest & 0xAAAAAAAA) != 0;
	i |= (uint32_t)((lowest & 0xCCCCCCCC) != 0) << 1;
	i |= (uint32_t)((lowest & 0xF0F0F0F0) != 0) << 2;
	i |= (uint32_t)((lowest & 0xFF00FF00) != 0) << 3;
	i |= (uint32_t)((lowest & 0xFFFF0000) != 0) << 4;
	return i;
}

static inline uint64_t address_of(const struct place *place) { return (uint64_t)place->high << 32 | place->low; }

static inline bool capable(uint32_t mask) { return (engine.capabilities & mask) != 0; }

static inline bool lossy(void)
{
	return hw_read(CCLO_NETWORK_STACK_ADDRESS) == CCLO_STACK_UDP;
}

#endif
