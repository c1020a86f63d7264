/* Moves of the running call: descriptors for the data path. */

#ifndef MOVE_H
#define MOVE_H

#include "queue.h"
#include "registers.h"

/* What a move does with its operand and with what arrives. If both are there they are reduced, unless it is PAIRED: the
 * result is not what is sent. */
enum shape {
	LOCAL = 0, /* the operand becomes the result */
	RECEIVE = 1, /* what arrives becomes the result */
	SEND = 2, /* the operand is sent, and becomes the result if there is one */
	FORWARD = RECEIVE | SEND, /* what arrives is sent on, and becomes the result if there is one */
	PAIRED = 4,
	KEEP = PAIRED | SEND, /* the operand is sent; the second one becomes the result */
	EXCHANGE = PAIRED | FORWARD, /* the operand is sent; what arrives becomes the result */
	EXCHANGE_KEEP = 8 | EXCHANGE, /* the same, and what is sent is kept at the second place; plain places only */
	BESIDE = 16 | FORWARD, /* what arrives becomes the result; the second operand is sent; plain places only */
	EXCLUSIVE = 32 | FORWARD, /* what arrives, alone, becomes the result; reduced with the operand it is sent on */
};

/* A move, or a stage of a collective. */
struct move {
	struct place own, second, result; /* of memory or kernel stream; none if the form is 0 */
	uint32_t count; /* elements; a stage of none does nothing */
	uint32_t from, to; /* ranks */
	uint8_t shape;
	bool fence; /* needs what earlier moves of the call wrote, or overwrites what they read */
	/* One window can take what several stages receive, each behind the one before: whether this one
	 * follows such a stage, whether the next stage sends behind what this one sends, and how many
	 * elements at most come behind its own. */
	bool follows, unfinished;
	uint32_t later;
};

static inline bool receives(const struct move *move) { return (move->shape & RECEIVE) != 0; }

static inline bool sends(const struct move *move) { return (move->shape & SEND) != 0; }

static inline uint8_t shape_of(bool receives, bool sends) { return (uint8_t)(receives | sends << 1); }

/* What one rank sends into a window lands here, in the order of the moves that take it. */
struct landing {
	struct place place; /* of what the next move takes */
	uint8_t window, slot;
	bool in_place; /* there it stays: it becomes no result any more */
};

uint32_t bytes_of_many(uint32_t count, bool packed);

/* Bytes of so many elements; fails if a word cannot hold them. An element has a
 * beat at most. */
static inline uint32_t bytes_of(uint32_t count, bool packed)
{
	const struct call *call = engine.current;

	_Static_assert(CCLO_BEAT_BYTES <= 64, "product of counts that are not many");
	if (count >> 26)
		return bytes_of_many(count, packed);
	return packed ? (count >> call->ratio_log) * call->packed_bytes : count * call->plain_bytes;
}

/* Fields of operand 0 for a place that is not plain; and those of the result. */
uint32_t operand_fields(const struct place *place);
uint32_t result_fields(const struct place *place);

/* Sets the compressed bytes and gives the fields of what is compressed. Without a reduction nothing is converted that
 * need not be: the inner form is that of the only operand. */
static inline uint32_t compressed_fields(const struct move *move)
{
	const struct call *call = engine.current;
	bool arrives = receives(move), own = move->own.form != 0, two = own && (arrives || move->second.form != 0);
	bool inner = two ? call->forms.inner_packed && !(move->shape & PAIRED)
	             : own ? move->own.packed
	                   : arrives && call->wire_packed;
	uint32_t fields = FIELD(MOVE_CONTROL_INNER_COMPRESSED, inner);

	set_compressed_bytes(bytes_of(move->count, true));
	if (!call->wire_packed)
		return fields;
	if (arrives)
		fields |= own ? CCLO_MOVE_CONTROL_OP1_COMPRESSED_MASK : CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK;
	return fields | FIELD(MOVE_CONTROL_NETWORK_COMPRESSED, sends(move));
}

/* The fields of operand 1 as those of operand 0 stand in the word. */
static inline uint32_t as_op1(uint32_t fields)
{
	_Static_assert(CCLO_MOVE_CONTROL_OP1_COMPRESSED_MASK == CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK << 1 &&
	                   CCLO_MOVE_CONTROL_OP1_HOST_MASK == CCLO_MOVE_CONTROL_OP0_HOST_MASK << 1, "one place up");
	return (fields & CCLO_MOVE_CONTROL_OP0_MASK) << (CCLO_MOVE_CONTROL_OP1_SHIFT - CCLO_MOVE_CONTROL_OP0_SHIFT) |
	       (fields & (CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK | CCLO_MOVE_CONTROL_OP0_HOST_MASK)) << 1;
}

/* Sets the source and where what arrives is: in the window of the landing, or in a message without one. */
static inline uint32_t set_arriving(uint32_t from, const struct landing *landing, bool first)
{
	uint32_t fields = set_source(from);

#if CCLO_FEATURE_RENDEZVOUS
	if (landing != NULL) {
		const struct place *place = &landing->place;

		if (first)
			set_op0(place->low, place->high);
		else
			set_op1(place->low, place->high);
		fields = set_window(landing->window) | FIELD(MOVE_CONTROL_OP0_HOST, place->host);
	}
#endif
	(void)landing;
	return first ? fields : as_op1(fields);
}

/* A result in memory beside one that is sent differs from it in these shapes. */
static inline uint32_t set_second(const struct move *move)
{
	switch (move->shape) {
	case EXCHANGE_KEEP:
		return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_APART - CCLO_MOVE_RESULT_MEMORY_AND_NETWORK) +
		       set_kept(move->second.low, move->second.high);
	case BESIDE:
		set_op2(move->second.low, move->second.high);
		return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_BESIDE - CCLO_MOVE_RESULT_MEMORY_AND_NETWORK);
	default:
		return FIELD(MOVE_CONTROL_RESULT,
		             move->shape & PAIRED ? CCLO_MOVE_RESULT_APART - CCLO_MOVE_RESULT_MEMORY_AND_NETWORK : 0);
	}
}

/* Sets the registers of bytes, operands, result and ranks, and gives the control word. */
static inline uint32_t move_set(const struct move *move, const struct landing *landing)
{
	uint32_t control = FIELD(MOVE_CONTROL_FENCE, move->fence);
	const struct place *own = &move->own, *second = &move->second, *result = &move->result;

	_Static_assert(CCLO_MOVE_RESULT_NETWORK + CCLO_MOVE_RESULT_MEMORY == CCLO_MOVE_RESULT_MEMORY_AND_NETWORK &&
	                   CCLO_MOVE_RESULT_NETWORK + CCLO_MOVE_RESULT_KERNEL_STREAM ==
	                       CCLO_MOVE_RESULT_KERNEL_STREAM_AND_NETWORK, "sums");
	set_bytes(bytes_of(move->count, false));
	if (own->form != 0) {
		control |= set_op0(own->low, own->high);
		if (UNLIKELY(own->form != PLAIN_MEMORY))
			control = (control & ~CCLO_MOVE_CONTROL_OP0_MASK) | operand_fields(own);
	}
	if (receives(move)) {
		control |= set_arriving(move->from, landing, own->form == 0);
	} else if (second->form != 0) {
		control |= set_op1(second->low, second->high);
		if (UNLIKELY(second->form != PLAIN_MEMORY))
			control = (control & ~CCLO_MOVE_CONTROL_OP1_MASK) | as_op1(operand_fields(second));
	}
	if (sends(move))
		control |= set_destination(move->to);
	if (result->form != 0 && !(landing != NULL && landing->in_place && receives(move))) {
		uint32_t fields = set_result(result->low, result->high);

		control += LIKELY(result->form == PLAIN_MEMORY) ? fields : result_fields(result);
		if (sends(move))
			control += set_second(move);
	}
	if (UNLIKELY(engine.current->packs))
		control |= compressed_fields(move);
	return control;
}

/* Waits for room, sets all registers of a move outside collectives, and gives the control word. */
uint32_t move_prepare(const struct move *move, uint32_t tag, uint32_t strm, uint32_t kernel_tdest);

/* Records a move for the call cache (record.c). */
void plan_note(uint32_t control);

/* Gives a move to the call's queue, and does not record it. */
static inline void move_enqueue(uint32_t control)
{
	uint32_t queue = (uint32_t)engine.current->state.queue;

	issue_move(control, queue);
	engine.issued[queue]++;
	engine.room[queue]--;
}

/* Gives a move, as the registers are, to the call's queue, and records it. */
static inline void move_give(uint32_t control)
{
	move_enqueue(control);
	if (UNLIKELY(engine.recording != NULL))
		plan_note(control); /* while the move runs; the registers still hold it */
}

#if CCLO_FEATURE_RENDEZVOUS
/* Has the hardware count packets of this call from here on. */
void move_count_packets(void);

/* Gives a move into the window of the last invitation. */
static inline void move_give_remote(uint32_t control, uint32_t bytes)
{
	struct call *call = engine.current;

	uint64_t address = call->remote_address + call->remote_bytes;

	set_tag(call->remote_transfer);
	set_remote((uint32_t)address, (uint32_t)(address >> 32));
	if (engine.counted != call)
		move_count_packets();
	call->remote_bytes += bytes;
	move_give(control | FIELD(MOVE_CONTROL_MESSAGE_TYPE, CCLO_MESSAGE_TYPE_RENDEZVOUS_DATA) |
	          FIELD(MOVE_CONTROL_REMOTE_HOST, call->remote_host));
}
#endif

/* Issues a move that sends a message without payload to a rank, after the call's earlier moves if there is a fence; or
 * receives one from it. */
void move_token(bool sends, bool fence, uint32_t rank, uint32_t tag, uint32_t context);

/* Issues a header of a type other than eager message. */
void move_header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host, uint32_t tag,
                 uint32_t context);

/* The same if the move registers hold the communicator and the context already. */
void move_header_prepared(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host,
                          uint32_t tag,
                          uint32_t context);

/* The place so many elements further on, in the form of from. */
void place_further(struct place *to, const struct place *from, uint64_t elements);
struct place place_at(const struct place *place, uint64_t elements);

/* Elements of an eager message to a rank inside collectives, alike on all ranks: a segment, which takes one rx
 * buffer. */
uint32_t message_elements(uint32_t rank);

#endif
