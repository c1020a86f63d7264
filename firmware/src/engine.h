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

/* What a peer and this rank have agreed on for large messages: the peer sends them into windows; it takes them in
 * windows. One unit for each record of a communicator. */
enum { PEER_SENDS = 1, PEER_TAKES = 2, PEER_UNIT = 16 };

/* Kinds of calls, by which they are ordered within a communicator (order.c). */
enum call_kind { KIND_LOCAL, KIND_SEND_EAGER, KIND_SEND_RENDEZVOUS, KIND_RECV_EAGER, KIND_RECV_RENDEZVOUS,
                KIND_COLLECTIVE };

/* Where an operand comes from or a result goes to. */
struct place {
	uint32_t low, high; /* address; halves, so that a place is three words */
	union {
		struct {
			uint8_t kind; /* enum move_operand and move_result: none, memory or kernel stream */
			bool packed; /* elements are compressed */
			bool host; /* in host memory */
			uint8_t zero;
		};
		uint32_t form; /* all of these; 0: none */
	};
};

#define PLAIN_MEMORY ((uint32_t)CCLO_MOVE_OPERAND_MEMORY) /* the usual form */

/* Elements, in a word: log2 of their bytes uncompressed and compressed, or NO_LOG; log2 of the elements in whole beats;
 * whether reductions are done in the compressed type. */
struct forms {
	_Alignas(uint32_t) uint8_t plain_log;
	uint8_t packed_log, beats_log;
	bool inner_packed;
};

/* Cache of the tables of the host: parts are valid while their version is engine.tables. */
struct known {
	/* Communicator: byte offset, ranks, own rank, context of its messages. */
	uint32_t comm_version, comm, size, rank, context;
	struct series *series; /* of its collectives */
	/* Elements: byte offset, bytes plain and packed, log2 of the ratio, TDESTs. */
	uint32_t elements_version, elements, plain_bytes, packed_bytes, ratio_log, conversions;
	uint32_t elements_hash; /* of the configuration */
	struct forms forms;
	bool fits; /* an rx buffer holds an element */
	bool express_packs; /* the fast path may compress messages */
	uint8_t express; /* bit set of operations that the fast path can do with what is here */
	uint32_t window_bytes; /* largest window of a send; 0: no windows */
	/* TDEST of a reduction of these elements. */
	uint32_t reduction_version, function, reduction;
	/* Where eager messages of these elements to a rank of this communicator are cut. */
	uint32_t cut_version, to, chunk_bytes, segment_bytes, message_bytes;
	bool cut_packed; /* for compressed messages */
	bool cut_alike; /* alike for all ranks */
	uint32_t express_ranks, express_packed_ranks; /* the fast path serves ranks below, without and with compression */
};

struct call {
	struct {
		uint32_t scenario, count, root_src_dst, function_code, tag;
	} words; /* of the call */
	uint32_t needs; /* CCLO_SHAPE_ of the operation */
	uint32_t ticket;
	uint32_t order; /* sequence number, by the order in which calls were taken */
	uint32_t error; /* return code so far */
	uint32_t deadline; /* of its wait, in milliseconds */
	uint32_t *sp;
	uint32_t bit; /* in the set of open calls */
	struct call_state {
		int8_t queue; /* of moves, owned by the call, or NO_QUEUE */
		int8_t other_queue; /* a second one, whose moves run side by side with those of the first */
		bool timed; /* has a deadline */
		bool finishing; /* only waits for its moves, without its stack */
		bool over; /* is answered next */
		bool told; /* its failure is recorded for the host */
		uint8_t ended; /* enum end, by notices of other ranks; or 0 */
	} state;
	uint8_t kind;
	uint32_t seen; /* while finishing: moves completed when the deadline was set */

	/* Communicator: byte offset, ranks, own rank, context of its messages. */
	uint32_t comm, size, rank, context, tag;
	uint32_t awaited; /* rank that firmware waits for, for the report of a failure */
	/* Of a collective (collective.c); number 0: not begun. */
	struct series *series;
	uint32_t number, shape;
	uint32_t ask_at; /* when to ask other ranks, in milliseconds; 0: not set */
	/* Elements: bytes plain and packed, log2 of the ratio, TDESTs. */
	uint32_t elements, plain_bytes, packed_bytes, ratio_log, tdest;
	struct forms forms;
	bool wire_packed; /* messages are compressed */
	bool packs; /* some operand, result or message may be compressed */
	/* Operands and result of the call. */
	struct place op0, op1, res;
	union {
		/* Blocks of a ring: elements of each; how many of the first ones are longer by one compressed element. */
		struct {
			uint32_t block, longer_blocks;
		};
		/* Recursive doubling: ranks that take part (a power of two), and steps. */
		struct {
			uint32_t doubling_ranks, doubling_steps;
		};
	};
	/* Open windows, oldest first, and the moves that read them. */
	struct held {
		uint32_t move; /* number of the last move that reads it */
		uint32_t low, high; /* address */
		uint16_t from; /* rank */
		uint8_t window;
		bool read : 1; /* such a move was issued */
		bool awaited : 1; /* such moves are still to be issued */
	} held[HELD];
	uint8_t windows;
	uint32_t announced; /* number of the last CTS in the call's queue */
	/* The last CTS taken, and bytes and packets sent since. */
	uint64_t remote_address;
	uint32_t remote_bytes, remote_packet; /* packets are valid while the register counts for another call */
	uint32_t remote_transfer;
	bool remote_host;
	bool invites; /* sends CTS to the same rank as all others do */
};

/* How notices of other ranks end a collective: it differs from that of another rank, which has not been told yet; or
 * a rank has told all. */
enum end { DIFFERS = 1, TOLD = 2 };

/* A collective that was begun, for ranks that are still in it. */
struct begun {
	const struct series *series;
	uint32_t number, count, shape;
};

#define BEGUN 8

enum { ALARMED = 1, RANG = 2 };

struct engine {
	struct call *current; /* the call that runs, NULL in the scheduler */
	uint32_t wake; /* layout wake, read by a call and left for the scheduler; or 0 */
	uint32_t switches; /* number of switches between calls */
	uint32_t round; /* bit set of calls to run before the processor sleeps */
	uint32_t next_order;
	uint32_t tables; /* version of what the host has configured: incremented by each change, never 0 */
	uint32_t alarm; /* last setting, in milliseconds */
	uint8_t alarms; /* ALARMED: set no later than any deadline; RANG: has come, or was never set */
	/* not 0: calls[0] is the only open call, finishing in FAST_QUEUES, and next to be answered; so many moves in
	 * queue 0, and QUICK_WINDOW if its window is waited for behind them */
	uint8_t quick;
	uint32_t remote_limit; /* of waits for a remote rank, in milliseconds */
	uint32_t ask_limit; /* milliseconds until a waiting collective asks the other ranks */
	bool lossy; /* the network may lose messages */
	bool fills_at_once; /* RDMA: a window is written in any order, and readable when full */
	uint32_t capabilities; /* layout hardware_id */
	bool enabled; /* enable_pkt was called since the last reset */
	uint32_t rx_count, rx_bytes; /* buffers, bytes of each */
	uint32_t max_eager, max_rendezvous; /* bytes; 0: not set */
	uint32_t max_segment; /* bytes; 0: not set */
	uint32_t issued[QUEUES]; /* number of moves, wrapping around */
	uint8_t room[QUEUES]; /* lower bound of free entries */
	uint32_t queues_taken; /* bit set */
	uint32_t queues_lent; /* bit set, of these: second queues of calls */
	uint32_t early; /* bit of the receive that holds a queue before its message has come */
	uint32_t windows; /* bit set of windows in use */
	uint32_t ranks; /* of the largest communicator used since the last reset */
	struct plan *planned; /* place for the plan of the call that begins; or NULL */
	const struct plan *set_by; /* plan that wrote the move registers last, or NULL */
	const struct call *recording; /* call being recorded, or NULL */
	struct call *counted; /* call whose packets the register counts, or NULL */
	struct {
		uint32_t comm, context;
	} contexts[8];
	uint32_t next_context;
	uint32_t open; /* bit set of calls in progress */
	bool kept; /* a plan was recorded, and is not complete */
	bool left; /* free queues may hold moves or errors of calls that had them */
	bool alike; /* the move registers hold what messages of the fast path have in common */
	bool standing_by; /* a call waits for a resource of another */
	bool given_back; /* a resource was freed */
#if CCLO_FEATURE_RENDEZVOUS
	uint8_t peers[CCLO_EXCHANGE_BYTES / PEER_UNIT]; /* bit sets of PEER_, by address of the record in the table */
#endif
	struct known known;
	struct begun begun[BEGUN]; /* the last ones, by their numbers */
	struct call calls[CALLS];
	uint32_t stacks[CALLS][STACK_WORDS] __attribute__((aligned(16)));
};

extern struct engine engine;

_Static_assert(CALLS == 32, "calls in progress are the bits of a word");

/* Whether the call is a collective with a number. */
static inline bool is_numbered(const struct call *call) { return call->kind == KIND_COLLECTIVE && call->number != 0; }

/* Removes the lowest bit of a set; returns its index. */
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

/* Elements in so many bytes. */
static inline uint32_t elements_in(uint32_t bytes)
{
	const struct call *call = engine.current;

	return call->forms.plain_log != NO_LOG ? bytes >> call->forms.plain_log : bytes / call->plain_bytes;
}

/* Elements in so many bytes of a message. */
static inline uint32_t elements_on_wire(uint32_t bytes)
{
	const struct call *call = engine.current;

	if (!call->wire_packed)
		return elements_in(bytes);
	return (call->forms.packed_log != NO_LOG ? bytes >> call->forms.packed_log : bytes / call->packed_bytes)
	       << call->ratio_log;
}

/* Fewest elements that fill whole beats, uncompressed and compressed: a power of two. */
static inline uint32_t beats_elements(void) { return 1u << engine.current->forms.beats_log; }

/* Elements rounded down to whole beats. */
static inline uint32_t whole_beats(uint32_t elements) { return elements & -beats_elements(); }

static inline bool capable(uint32_t mask) { return (engine.capabilities & mask) != 0; }

static inline uint32_t remote_limit(void) { return engine.remote_limit; }

static inline bool lossy(void) { return engine.lossy; }

/* Invalidates everything derived from tables, thresholds and buffers. */
static inline void tables_changed(void)
{
	if (++engine.tables == 0)
		engine.tables = 1;
	engine.known.express = 0;
	engine.alike = false;
	engine.known.express_ranks = engine.known.express_packed_ranks = 0;
}

#endif
