/* Moves: what the data plane is asked to do for the call that runs. */

#ifndef MOVE_H
#define MOVE_H

#include "queue.h"

/* A move. What is zero is not there. */
struct move {
	const struct place *op0, *op1, *result; /* memory or kernel stream */
	uint32_t count; /* elements */
	bool receives; /* the last operand is a message of the source, or its window */
	bool sends; /* the result goes to the destination as well */
	bool apart; /* operand 0 is sent, and operand 1 alone becomes the result, which is not compressed */
	bool fence; /* starts when the call's earlier moves have completed */
	uint32_t source, destination;
	uint32_t tag, strm;
	uint32_t tdest; /* of a result on the kernel stream */
	uint32_t context;
	/* Rendezvous. */
	bool to_window;
	uint8_t window;
	const struct place *from_window; /* where the window begins */
};

/* Issues a move in the call's queue, which it takes if it has none; waits for
 * room. */
void move_issue(const struct move *move);

/* The same in two steps: between them registers of moves keep what they have if no other
 * call has run (engine.switches) and this one has issued nothing; and an invitation may come. */
uint32_t move_prepare(const struct move *move);
void move_commit(bool to_window, uint32_t count, uint32_t prepared);

/* Parts of these, for who sets the registers: waits for room; says which call's packets are
 * counted from here on; gives what the registers say to the call's queue, or sends it into the
 * window of the last invitation. */
void move_count_packets(void);

/* A move of the call whose plan is recorded (record.c). */
void plan_note(uint32_t control);

static inline void move_give(uint32_t control)
{
	uint32_t queue = (uint32_t)engine.current->state.queue;

	hw_write(CCLO_MOVE_CONTROL_ADDRESS, control | FIELD(MOVE_CONTROL_QUEUE, queue));
	engine.issued[queue]++;
	engine.room[queue]--;
	if (UNLIKELY(engine.recording != NULL))
		plan_note(control); /* while it moves: registers stay */
}

#if CCLO_FEATURE_RENDEZVOUS
static inline void move_give_remote(uint32_t control, uint32_t bytes)
{
	struct call *call = engine.current;

	hw_write(CCLO_MOVE_TAG_ADDRESS, call->remote_transfer);
	hw_write64(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, call->remote_address + call->remote_bytes);
	if (engine.counted != call)
		move_count_packets();
	call->remote_bytes += bytes;
	move_give(control | FIELD(MOVE_CONTROL_MESSAGE_TYPE, CCLO_MESSAGE_TYPE_RENDEZVOUS_DATA) |
	          FIELD(MOVE_CONTROL_REMOTE_HOST, call->remote_host));
}
#endif

/* Issues a move that sends a message without payload to a rank, when the call's earlier moves
 * have completed if there is a fence; or takes one from it. */
void move_token(bool sends, bool fence, uint32_t rank, uint32_t tag, uint32_t context);

/* A header alone, of a type that is no eager message. */
void move_header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host, uint32_t tag,
                 uint32_t context);

/* The same where registers have the communicator and the context already. */
void move_header_prepared(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host,
                          uint32_t tag,
                          uint32_t context);

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

/* The place so many elements further on. */
void place_further(struct place *to, const struct place *from, uint64_t elements);
struct place place_at(const struct place *place, uint64_t elements);

/* Elements in an eager message to a rank inside collectives, as all ranks cut alike: each is a
 * segment and waits in an rx buffer, which pacing counts. Sends are cut in chunks first. */
uint32_t message_elements(uint32_t rank);

#endif
