/* The one struct of the firmware: calls in progress and what the host has
 * configured. */

#ifndef ENGINE_H
#define ENGINE_H

#include "hw.h"

#define CALLS       CCLO_OPEN_CALLS
#define QUEUES      CCLO_MOVE_QUEUES
#define STACK_WORDS 128 /* the stack of a call; its last word is checked at each switch */
#define NO_QUEUE    (-1)
#define NO_RANK     0xFFFFFFFF
#define NO_LOG      0xFF
#define HELD        6 /* rendezvous windows that one call holds at the same time */
#define P2P_WINDOWS (QUEUES * HELD) /* from here on; those of collectives come before */

#define QUICK_WINDOW 0x80

/* What large messages between a peer and this rank do, since both have agreed: it sends them
 * into windows, and takes them in windows. Each record of a communicator has a unit. */
enum { PEER_SENDS = 1, PEER_TAKES = 2, PEER_UNIT = 16 };

/* What orders calls of one communicator among each other (order.c). */
enum call_kind { KIND_LOCAL, KIND_SEND_EAGER, KIND_SEND_RENDEZVOUS, KIND_RECV_EAGER, KIND_RECV_RENDEZVOUS,
                KIND_COLLECTIVE };

/* A place that an operand comes from or a result goes to. */
struct place {
	uint32_t low, high; /* address; halves, so that a place is three words */
	union {
		struct {
			uint8_t kind; /* enum move_operand and move_result: none, memory or kernel stream */
			bool packed; /* elements are compressed */
			bool host; /* in host memory */
			uint8_t zero;
		};
		uint32_t form; /* all of these */
	};
};

#define PLAIN_MEMORY ((uint32_t)CCLO_MOVE_OPERAND_MEMORY) /* the usual form */

/* Of elements, in a word: log2 of bytes plain and packed, or NO_LOG; log2 of how many are whole
 * beats; whether reductions are done on compressed ones. */
struct forms {
	_Alignas(uint32_t) uint8_t plain_log;
	uint8_t packed_log, beats_log;
	bool inner_packed;
};

/* What was read from the tables of the host last: true while their versions are that
 * of the tables. */
struct known {
	/* Communicator: byte offset, ranks, own rank, context of its messages. */
	uint32_t comm_version, comm, size, rank, context;
	struct series *series; /* of its collectives */
	/* Elements: byte offset, bytes plain and packed, log2 of the ratio, TDESTs. */
	uint32_t elements_version, elements, plain_bytes, packed_bytes, ratio_log, conversions;
	uint32_t elements_hash; /* of the configuration */
	struct forms forms;
	bool fits; /* an rx buffer holds one */
	bool express_packs; /* express.c may convert them */
	uint8_t express; /* bit set of operations for which express.c needs no more than is here */
	uint32_t window_bytes; /* that are sent into one window at most, between two ranks; 0 for none */
	/* TDEST of a function of these elements. */
	uint32_t reduction_version, function, reduction;
	/* Where eager messages of these elements to a rank of this communicator are cut. */
	uint32_t cut_version, to, chunk_bytes, segment_bytes, message_bytes;
	bool cut_packed; /* on the wire */
	bool cut_alike; /* to all ranks */
	uint32_t express_ranks, express_packed_ranks; /* those below are who express.c may send to so, plain or packed */
};

struct call {
	struct {
		uint32_t scenario, count, root_src_dst, function_code, tag;
	} words; /* of the call, those that its operation needs */
	uint32_t ticket;
	uint32_t order; /* calls were taken in this order */
	uint32_t error; /* return code so far */
	uint32_t deadline; /* milliseconds; when a wait ends */
	uint32_t *sp;
	uint32_t bit; /* its place in the set of open calls */
	struct call_state {
		int8_t queue; /* queue of moves that it owns, or NO_QUEUE */
		int8_t other_queue; /* a second one, whose moves go on side by side */
		bool timed; /* the deadline counts */
		bool finishing; /* nothing is left to do but to wait for its moves, off its stack */
		bool over; /* nor that: it is answered next */
		bool told; /* why it has failed */
		uint8_t ended; /* enum end: by what other ranks have said */
	} state;
	uint8_t kind;
	uint32_t seen; /* moves that had ended when the deadline was set, while finishing */

	/* Communicator: byte offset, ranks, own rank, context of its messages. */
	uint32_t comm, size, rank, context, tag;
	uint32_t awaited; /* rank that is waited for, not by a move */
	/* Of a collective (collective.c); without a number it has not begun. */
	struct series *series;
	uint32_t number, shape;
	uint32_t ask_at; /* milliseconds; 0: not known yet, ASKED */
	/* Elements: bytes plain and packed, log2 of the ratio, TDESTs. */
	uint32_t elements, plain_bytes, packed_bytes, ratio_log, tdest;
	struct forms forms;
	bool wire_packed; /* messages are compressed */
	bool packs; /* something may be compressed */
	/* Operands and result of the call. */
	struct place op0, op1, res;
	union {
		/* Blocks of a ring: so many elements each, the first ones a packed one more. */
		struct {
			uint32_t block, longer_blocks;
		};
		/* Ranks that double what they have added up, the largest power of two, and how often. */
		struct {
			uint32_t doubling_ranks, doubling_steps;
		};
	};
	/* Windows that it has, oldest first, and the moves that read them. */
	struct held {
		uint32_t move; /* number in the call's queue */
		uint32_t low, high; /* address */
		uint16_t from; /* rank */
		uint8_t window;
		bool read : 1; /* by that move */
		bool awaited : 1; /* moves that read it are still to be issued */
	} held[HELD];
	uint8_t windows;
	uint32_t announced; /* number of the last announcement in the call's queue */
	/* What the last invitation said, and what was sent since, for the next
	 * rendezvous move. */
	uint64_t remote_address;
	uint32_t remote_bytes, remote_packet; /* the latter while those of another call are counted */
	uint32_t remote_transfer;
	bool remote_host;
	bool invites; /* the same rank as all others do */
};

/* How others end a collective: it differs from that of another rank, which is not known there yet; another
 * rank has told all. */
enum end { DIFFERS = 1, TOLD = 2 };

/* Of the time when a collective asks others what they call: it has. */
#define ASKED 1

enum { ALARMED = 1, RANG = 2 };

struct engine {
	struct call *current; /* the call that runs, NULL in the scheduler */
	uint32_t wake; /* layout wake, that a call was given which the scheduler is to see; or 0 */
	uint32_t switches; /* calls have left the processor to others so often */
	uint32_t round; /* bit set of calls that are still to run before the processor sleeps */
	uint32_t next_order;
	uint32_t tables; /* version of what the host has configured: goes up with each change, never 0 */
	uint32_t alarm; /* milliseconds, as it was set last */
	uint8_t alarms; /* ALARMED: for calls that wait, not after the end of any wait; RANG: it has come, or was never set */
	/* moves, and QUICK_WINDOW if its window is waited for then, of the only open call, the first one, if it is finishing
	 * in queue 0 and its ticket is the next to be answered */
	uint8_t quick;
	uint32_t remote_limit; /* of waits for a remote rank, in milliseconds */
	uint32_t ask_limit; /* after which a collective that waits asks others what they call */
	bool lossy; /* messages may be lost on their way */
	bool fills_at_once; /* the network writes a window as it likes, and says when it is full (RDMA) */
	uint32_t capabilities; /* layout hardware_id */
	bool enabled; /* enable_pkt was called since the last reset */
	uint32_t rx_count, rx_bytes; /* buffers, bytes of each */
	uint32_t max_eager, max_rendezvous; /* bytes; 0: not set */
	uint32_t max_segment; /* bytes; 0: not set */
	uint32_t issued[QUEUES]; /* moves, wrapping around */
	uint8_t room[QUEUES]; /* moves that they take at least */
	uint32_t queues_taken; /* bit set */
	uint32_t queues_lent; /* bit set, of these: the second ones of calls, until another call needs one */
	uint32_t early; /* bit of the call that holds a queue though its message has not come */
	uint32_t windows; /* bit set of windows in use */
	uint32_t ranks; /* of the largest communicator that calls have used since the last reset */
	struct plan *planned; /* of the call that begins, or to be recorded; or NULL */
	const struct plan *set_by; /* whose settings registers of moves have, or NULL */
	const struct call *recording; /* whose plan is recorded, or NULL */
	struct call *counted; /* whose packets the engine counts, in a register */
	struct {
		uint32_t comm, context;
	} contexts[8];
	uint32_t next_context;
	uint32_t open; /* bit set of calls in progress */
	bool left; /* the first queue may have moves or an error of a call that has given it back */
	bool alike; /* registers of moves have what express.c has set for the messages that it knows */
	bool standing_by; /* a call waits for what another has */
	bool given_back; /* and something was given back */
#if CCLO_FEATURE_RENDEZVOUS
	uint8_t peers[CCLO_EXCHANGE_BYTES / PEER_UNIT]; /* of communicators, by where their records stand: bit sets of PEER_ */
#endif
	struct known known;
	struct call calls[CALLS];
	uint32_t stacks[CALLS][STACK_WORDS] __attribute__((aligned(16)));
};

extern struct engine engine;

_Static_assert(CALLS == 32, "calls in progress are the bits of a word");

/* Whether the call is a collective that has begun. */
static inline bool is_numbered(const struct call *call) { return call->kind == KIND_COLLECTIVE && call->number != 0; }

/* Takes the lowest bit out of a set and gives its place. */
static inline uint32_t next_in(uint32_t *set)
{
	uint32_t lowest = *set & -*set;
	uint32_t i = 0;

	*set ^= lowest;
	if (lowest == 1)
		return 0;
	i |= (lowest & 0xAAAAAAAA) != 0;
	i |= (uint32_t)((lowest & 0xCCCCCCCC) != 0) << 1;
	i |= (uint32_t)((lowest & 0xF0F0F0F0) != 0) << 2;
	i |= (uint32_t)((lowest & 0xFF00FF00) != 0) << 3;
	i |= (uint32_t)((lowest & 0xFFFF0000) != 0) << 4;
	return i;
}

#if CCLO_FEATURE_RENDEZVOUS
_Static_assert(PEER_UNIT <= CCLO_COMMUNICATORS_RECORD_BYTES, "no two ranks have one byte");

static inline uint8_t *peer_of(uint32_t comm, uint32_t rank)
{
	uint32_t record = comm + CCLO_COMMUNICATORS_HEADER_BYTES + rank * CCLO_COMMUNICATORS_RECORD_BYTES;

	return &engine.peers[(record - CCLO_EXCHANGE_BASE) / PEER_UNIT];
}
#endif

static inline uint64_t address_of(const struct place *place) { return (uint64_t)place->high << 32 | place->low; }

/* Elements of the call that so many bytes hold. */
static inline uint32_t elements_in(uint32_t bytes)
{
	const struct call *call = engine.current;

	return call->forms.plain_log != NO_LOG ? bytes >> call->forms.plain_log : bytes / call->plain_bytes;
}

/* Elements of the call that so many bytes of a message hold. */
static inline uint32_t elements_on_wire(uint32_t bytes)
{
	const struct call *call = engine.current;

	if (!call->wire_packed)
		return elements_in(bytes);
	return (call->forms.packed_log != NO_LOG ? bytes >> call->forms.packed_log : bytes / call->packed_bytes)
	       << call->ratio_log;
}

/* Elements that are whole beats, plain and packed: a power of two. */
static inline uint32_t beats_elements(void) { return 1u << engine.current->forms.beats_log; }

/* So many of them, less what fills no beat. */
static inline uint32_t whole_beats(uint32_t elements) { return elements & -beats_elements(); }

static inline bool capable(uint32_t mask) { return (engine.capabilities & mask) != 0; }

static inline uint32_t remote_limit(void) { return engine.remote_limit; }

static inline bool lossy(void) { return engine.lossy; }

/* What is known of tables, thresholds and buffers is no longer true. */
static inline void tables_changed(void)
{
	if (++engine.tables == 0)
		engine.tables = 1;
	engine.known.express = 0;
	engine.alike = false;
	engine.known.express_ranks = engine.known.express_packed_ranks = 0;
}

#endif
