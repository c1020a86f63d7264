/* Calls as they mostly come: alone, on plain elements in device memory, with a
 * configuration that is known from the call before. What they say goes from the
 * call window to the move's registers. Loads come before stores: a load from the bus
 * waits for the stores before it. */

#include "comm.h"
#include "move.h"
#include "operations.h"
#include "task.h"

/* The first queue, which is free, and the first call: no other is open. */
#define QUEUE 0

/* Issues the move. What is not needed while no other call comes is left for later
 * (express_settle), so that the processor sleeps before the move has ended. */
static inline bool go(uint32_t control, enum call_kind kind)
{
	struct call *call = engine.calls;

	hw_write(CCLO_MOVE_CONTROL_ADDRESS, control | FIELD(MOVE_CONTROL_QUEUE, QUEUE));
	engine.open = 1;
	engine.quick = true;
	call->kind = (uint8_t)kind;
	call->ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	task_limit_first(call, move_limit());
	return true;
}

void express_settle(void)
{
	struct call *call = engine.calls;

	engine.quick = false;
	engine.issued[QUEUE]++;
	engine.room[QUEUE] = CCLO_MOVE_QUEUE_DEPTH - 1;
	engine.queues_taken = 1u << QUEUE;
	call->seen = engine.issued[QUEUE] - 1;
	call->order = engine.next_order++;
	call->error = 0;
	call->windows = 0;
	call->op0.form = call->res.form = CCLO_MOVE_OPERAND_NONE;
	call->state = (struct call_state){ .queue = QUEUE, .other_queue = NO_QUEUE, .timed = true, .finishing = true };
}

static inline void set_bytes(uint32_t bytes) { hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes); }

static inline void set_op0(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, high);
}

static inline void set_op1(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, high);
}

static inline void set_result(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, high);
}

static inline void set_message(uint32_t comm, uint32_t peer, uint32_t tag)
{
	struct call *call = engine.calls;

	hw_write(CCLO_MOVE_COMM_ADDRESS, comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, engine.known.context);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	call->comm = comm;
	call->words.root_src_dst = peer;
	call->tag = tag;
}

#define FROM_MEMORY FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY)
#define TO_MEMORY   FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY)

bool express(uint32_t operation)
{
	const uint32_t used = (1u << CCLO_MOVE_STATE_BUSY_SHIFT | 1u << CCLO_MOVE_STATE_FAILED_SHIFT) << QUEUE;
	const struct known *known = &engine.known;
	uint32_t wrong, count, bytes, low0, high0, low2, high2, comm, peer, tag;

	if (operation > CCLO_OPERATION_RECV || (known->express >> operation & 1) == 0)
		return false;
	wrong = CALL_WORD(arithcfg) ^ known->elements;
	wrong |= CALL_WORD(compression_flags) | CALL_WORD(stream_flags);
	count = CALL_WORD(count);
	wrong |= count >> 26; /* the product with the bytes of an element is a word */
	wrong |= hw_read(CCLO_MOVE_STATUS_STATE_ADDRESS) & used;
	bytes = count * known->plain_bytes;
	if (LIKELY(operation == CCLO_OPERATION_SEND)) {
		comm = CALL_WORD(comm);
		peer = CALL_WORD(root_src_dst);
		tag = CALL_WORD(tag);
		low0 = CALL_WORD(addr_0_low);
		high0 = CALL_WORD(addr_0_high);
		if (UNLIKELY(wrong | (comm ^ known->comm) | (peer ^ known->to)) || bytes > engine.max_eager)
			return false;
		set_bytes(bytes);
		set_op0(low0, high0);
		set_message(comm, peer, tag);
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, peer);
		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, known->chunk_bytes);
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, known->segment_bytes);
		hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
		return go(FROM_MEMORY | FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK), KIND_SEND_EAGER);
	}
	low2 = CALL_WORD(addr_2_low);
	high2 = CALL_WORD(addr_2_high);
	if (operation == CCLO_OPERATION_RECV) {
		comm = CALL_WORD(comm);
		peer = CALL_WORD(root_src_dst);
		tag = CALL_WORD(tag);
		/* Without an address it may be in another place. */
		if (UNLIKELY(wrong | (comm ^ known->comm)) || peer >= known->size || bytes > engine.max_eager ||
		    (low2 | high2) == 0)
			return false;
		set_bytes(bytes);
		set_result(low2, high2);
		set_message(comm, peer, tag);
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, peer);
		engine.early = 1;
		return go(FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE) | TO_MEMORY, KIND_RECV_EAGER);
	}
	low0 = CALL_WORD(addr_0_low);
	high0 = CALL_WORD(addr_0_high);
	if (operation == CCLO_OPERATION_COMBINE) {
		uint32_t low1 = CALL_WORD(addr_1_low), high1 = CALL_WORD(addr_1_high);

		if (UNLIKELY(wrong | (CALL_WORD(function_code) ^ known->function)))
			return false;
		set_bytes(bytes);
		hw_write(CCLO_MOVE_TDEST_ADDRESS, known->conversions | known->reduction);
		set_op0(low0, high0);
		set_op1(low1, high1);
		set_result(low2, high2);
		return go(FROM_MEMORY | FIELD(MOVE_CONTROL_OP1, CCLO_MOVE_OPERAND_MEMORY) | TO_MEMORY, KIND_LOCAL);
	}
	if (UNLIKELY(wrong))
		return false;
	set_bytes(bytes);
	set_op0(low0, high0);
	set_result(low2, high2);
	return go(FROM_MEMORY | TO_MEMORY, KIND_LOCAL);
}
