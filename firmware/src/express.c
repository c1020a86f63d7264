/* Calls as they mostly come: alone, on plain elements in device memory, with a
 * configuration that is known from the call before. What they say goes from the
 * call window to the move's registers at once. */

#include "comm.h"
#include "move.h"
#include "operations.h"
#include "task.h"

/* The first queue, which is free: no other call is open. */
#define QUEUE 0

/* The product with the bytes of an element fits in a word. */
static bool few(uint32_t count) { return count >> 26 == 0; }

static bool queue_is_free(void)
{
	const uint32_t used = (1u << CCLO_MOVE_STATE_BUSY_SHIFT | 1u << CCLO_MOVE_STATE_FAILED_SHIFT) << QUEUE;

	return (hw_read(CCLO_MOVE_STATUS_STATE_ADDRESS) & used) == 0;
}

static void set_op0(void)
{
	hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, CALL_WORD(addr_0_low));
	hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, CALL_WORD(addr_0_high));
}

static void set_op1(void)
{
	hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, CALL_WORD(addr_1_low));
	hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, CALL_WORD(addr_1_high));
}

static void set_result(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, high);
}

static void set_message(struct call *call, uint32_t peer, uint32_t tag)
{
	const struct known *known = &engine.known;

	hw_write(CCLO_MOVE_COMM_ADDRESS, known->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, known->context);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	call->comm = known->comm;
	call->words.root_src_dst = peer;
	call->tag = tag;
}

/* Issues the move. Other calls may come before it has ended, and see what this one
 * is. */
static bool go(struct call *call, uint32_t control, enum call_kind kind)
{
	uint32_t issued = engine.issued[QUEUE] + 1;

	hw_write(CCLO_MOVE_CONTROL_ADDRESS, control | FIELD(MOVE_CONTROL_QUEUE, QUEUE));
	engine.issued[QUEUE] = issued;
	engine.room[QUEUE] = CCLO_MOVE_QUEUE_DEPTH - 1;
	engine.queues_taken |= 1u << QUEUE;
	call->kind = (uint8_t)kind;
	call->op0.form = call->res.form = CCLO_MOVE_OPERAND_NONE;
	call->state.queue = QUEUE;
	move_finishes(call);
	return true;
}

bool express(struct call *call, uint32_t operation)
{
	const struct known *known = &engine.known;
	uint32_t tables = engine.tables;
	uint32_t count, peer, tag;

	if (operation < CCLO_OPERATION_COPY || operation > CCLO_OPERATION_RECV)
		return false;
	if (known->elements_version != tables || CALL_WORD(arithcfg) != known->elements || !known->fits ||
	    known->inner_packed || (CALL_WORD(compression_flags) | CALL_WORD(stream_flags)) != 0)
		return false;
	count = CALL_WORD(count);
	if (!few(count) || !queue_is_free())
		return false;
	count *= known->plain_bytes;
	switch (operation) {
	case CCLO_OPERATION_COPY:
		hw_write(CCLO_MOVE_BYTES_ADDRESS, count);
		set_op0();
		set_result(CALL_WORD(addr_2_low), CALL_WORD(addr_2_high));
		return go(call, FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY) | FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY),
		   KIND_LOCAL);
	case CCLO_OPERATION_COMBINE:
		if (known->reduction_version != tables || CALL_WORD(function_code) != known->function)
			return false;
		hw_write(CCLO_MOVE_BYTES_ADDRESS, count);
		hw_write(CCLO_MOVE_TDEST_ADDRESS, known->conversions | known->reduction);
		set_op0();
		set_op1();
		set_result(CALL_WORD(addr_2_low), CALL_WORD(addr_2_high));
		return go(call,
		          FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY) | FIELD(MOVE_CONTROL_OP1, CCLO_MOVE_OPERAND_MEMORY) |
		                  FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY),
		   KIND_LOCAL);
	}

	peer = CALL_WORD(root_src_dst);
	if (known->comm_version != tables || CALL_WORD(comm) != known->comm || peer >= known->size || count > engine.max_eager)
		return false;
	tag = CALL_WORD(tag);
	if (operation == CCLO_OPERATION_SEND) {
		if (known->cut_version != tables || known->to != peer || known->cut_packed)
			return false;
		hw_write(CCLO_MOVE_BYTES_ADDRESS, count);
		set_op0();
		set_message(call, peer, tag);
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, peer);
		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, known->chunk_bytes);
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, known->segment_bytes);
		hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
		return go(call, FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY) | FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK),
		   KIND_SEND_EAGER);
	}
	{
		uint32_t low = CALL_WORD(addr_2_low), high = CALL_WORD(addr_2_high);

		if ((low | high) == 0) /* it may be in another place */
			return false;
		hw_write(CCLO_MOVE_BYTES_ADDRESS, count);
		set_result(low, high);
		set_message(call, peer, tag);
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, peer);
		engine.early = call->bit;
		return go(call, FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE) | FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY),
		   KIND_RECV_EAGER);
	}
}
