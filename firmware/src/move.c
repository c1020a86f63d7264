#include "move.h"

#include "comm.h"
#include "task.h"

#define COMPLETED(queue)                                                                                 \
	(CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS +                                                              \
	 (queue) * (CCLO_MOVE_STATUS_COMPLETED_1_ADDRESS - CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS))
#define ERROR(queue)                                                                                     \
	(CCLO_MOVE_STATUS_ERROR_0_ADDRESS +                                                                  \
	 (queue) * (CCLO_MOVE_STATUS_ERROR_1_ADDRESS - CCLO_MOVE_STATUS_ERROR_0_ADDRESS))

struct place place_at(const struct place *place, uint64_t elements)
{
	struct place p = *place;
	uint64_t address = address_of(place);

	address += place->packed ? (elements >> self->ratio_log) * self->packed_bytes : elements * self->plain_bytes;
	p.low = (uint32_t)address;
	p.high = (uint32_t)(address >> 32);
	return p;
}

uint32_t message_elements(uint32_t rank)
{
	uint32_t wire_bytes = self->wire_packed ? self->packed_bytes : self->plain_bytes;
	uint32_t elements, chunk = engine.rx_bytes / self->plain_bytes;

	cut_use(rank);
	elements = (engine.known.segment_bytes / wire_bytes) << (self->wire_packed ? self->ratio_log : 0);
	if (elements > chunk)
		elements = chunk;
	return elements != 0 ? elements : 1;
}

uint32_t move_completed(uint32_t queue) { return hw_read(COMPLETED(queue)); }

static uint32_t state(void) { return hw_read(CCLO_MOVE_STATUS_STATE_ADDRESS); }

static bool failed(uint32_t state, int8_t queue) { return (state >> queue & 1u << CCLO_MOVE_STATE_FAILED_SHIFT) != 0; }

/* A queue is free when nobody has it and what its last owner left is gone. */
static bool queue_take_free(void)
{
	uint32_t now = state();
	uint32_t free = ~(now >> CCLO_MOVE_STATE_BUSY_SHIFT | engine.queues_taken) & ((1u << QUEUES) - 1);
	int8_t queue;

	if (free == 0)
		return false;
	queue = (free & 1) != 0 ? 0 : (free & 2) != 0 ? 1 : (free & 4) != 0 ? 2 : 3;
	engine.queues_taken |= 1u << queue;
	engine.room[queue] = CCLO_MOVE_QUEUE_DEPTH;
	if (failed(now, queue))
		hw_write(ERROR(queue), 0);
	self->state.queue = queue;
	return true;
}

uint32_t queue_of_call(void)
{
	while (self->state.queue == NO_QUEUE && !queue_take_free())
		task_stand_by(); /* the waits of those who have one are limited */
	return (uint32_t)self->state.queue;
}

static void give_back(int8_t queue)
{
	if (queue == NO_QUEUE)
		return;
	if (state() >> queue & 1u << CCLO_MOVE_STATE_BUSY_SHIFT)
		hw_write(CCLO_MOVE_STATUS_ABORT_ADDRESS, 1u << queue);
	engine.queues_taken &= ~(1u << queue);
	engine.given_back = true;
}

void queue_give_back(struct call *call)
{
	give_back(call->state.queue);
	give_back(call->state.other_queue);
	call->state.queue = call->state.other_queue = NO_QUEUE;
	engine.early &= ~call->bit;
}

void queue_change(void)
{
	int8_t queue = self->state.queue;

	self->state.queue = self->state.other_queue;
	self->state.other_queue = queue;
}

static bool room(void)
{
	uint32_t rooms = hw_read(CCLO_MOVE_STATUS_ROOM_ADDRESS);

	engine.room[self->state.queue] = (uint8_t)(rooms >> (self->state.queue * CCLO_MOVE_ROOM_QUEUE_0_WIDTH));
	return engine.room[self->state.queue] != 0;
}

static uint32_t error_of(int8_t queue) { return queue == NO_QUEUE ? 0 : hw_read(ERROR(queue)); }

static void fail(void) { task_fail(error_of(self->state.queue) | error_of(self->state.other_queue)); }

void move_check(void)
{
	uint32_t now = state();

	if ((self->state.queue != NO_QUEUE && failed(now, self->state.queue)) ||
	    (self->state.other_queue != NO_QUEUE && failed(now, self->state.other_queue)))
		fail();
}

void move_wait(uint32_t number)
{
	uint32_t seen;

	if (self->state.queue == NO_QUEUE)
		return;
	for (;;) {
		seen = hw_read(COMPLETED(self->state.queue));
		if ((int32_t)(seen - number) >= 0)
			break;
		TASK_WAIT(hw_read(COMPLETED(self->state.queue)) != seen, move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
	move_check();
}

bool move_is_done(uint32_t number)
{
	return self->state.queue == NO_QUEUE || (int32_t)(hw_read(COMPLETED(self->state.queue)) - number) >= 0;
}

uint32_t move_number(void) { return self->state.queue == NO_QUEUE ? 0 : engine.issued[self->state.queue]; }

void move_drain(void)
{
	uint32_t busy;

	if (self->state.queue == NO_QUEUE)
		return;
	busy = 1u << CCLO_MOVE_STATE_BUSY_SHIFT << self->state.queue;
	for (;;) {
		uint32_t now = state(), seen;

		if ((now & (busy | CCLO_MOVE_STATE_FAILED_MASK)) == 0)
			return;
		if ((now & busy) == 0)
			break;
		seen = hw_read(COMPLETED(self->state.queue));
		if (seen != engine.issued[self->state.queue])
			TASK_WAIT(hw_read(COMPLETED(self->state.queue)) != seen, move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
	move_check();
}

void move_finishes(struct call *call)
{
	call->state.finishing = true;
	call->seen = engine.issued[call->state.queue];
	task_limit_of(call, move_limit());
}

/* What comes after is up to the scheduler. */
void move_finish(void)
{
	if (self->state.queue == NO_QUEUE)
		task_done();
	move_finishes(self);
	task_leave();
}

void move_finishing(struct call *call)
{
	uint32_t now = state(), queue = (uint32_t)call->state.queue, seen;

	if ((now >> queue & (1u << CCLO_MOVE_STATE_BUSY_SHIFT | 1u << CCLO_MOVE_STATE_FAILED_SHIFT)) == 0) {
		engine.queues_taken &= ~(1u << queue);
		call->state.queue = NO_QUEUE;
		task_end(call, call->error);
		return;
	}
	if (failed(now, call->state.queue)) {
		task_end(call, call->error | error_of(call->state.queue));
		return;
	}
	seen = hw_read(COMPLETED(queue));
	if (seen != call->seen) {
		call->seen = seen;
		task_limit_of(call, move_limit());
	} else if (reached(call->deadline)) {
		task_end(call, call->error | CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
}

static void make_room(void)
{
	queue_of_call();
	if (engine.room[self->state.queue] == 0)
		TASK_WAIT(room(), move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT);
}

static uint32_t op0_fields(const struct place *place)
{
	uint32_t form = place->form;

	if (form == PLAIN_MEMORY)
		return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);
	return FIELD(MOVE_CONTROL_OP0, place->kind) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_OP0_HOST, place->host);
}

static uint32_t op1_fields(const struct place *place)
{
	uint32_t form = place->form;

	if (form == PLAIN_MEMORY)
		return FIELD(MOVE_CONTROL_OP1, CCLO_MOVE_OPERAND_MEMORY);
	return FIELD(MOVE_CONTROL_OP1, place->kind) | FIELD(MOVE_CONTROL_OP1_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_OP1_HOST, place->host);
}

static uint32_t result_fields(const struct place *place)
{
	uint32_t form = place->form;

	if (form == PLAIN_MEMORY)
		return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY);
	return FIELD(MOVE_CONTROL_RESULT, place->kind) | FIELD(MOVE_CONTROL_RESULT_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_RESULT_HOST, place->host);
}

/* What comes from a rank, as an operand. */
static struct place incoming(const struct move *m, const struct call *call)
{
	struct place place = { .kind = CCLO_MOVE_OPERAND_MESSAGE };

#if CCLO_FEATURE_RENDEZVOUS
	if (m->from_window != NULL) {
		place = *m->from_window;
		place.kind = CCLO_MOVE_OPERAND_WINDOW;
	}
#endif
	(void)m;
	place.packed = call->wire_packed;
	return place;
}

/* Sets the operands and says what they are. Without a reduction nothing is
 * converted that need not be: the inner form is that of the only operand. */
static uint32_t set_operands(const struct move *m, const struct call *call)
{
	struct place message;
	const struct place *op0 = m->op0, *op1 = m->op1;
	uint32_t control;
	bool inner;

	if (m->receives) {
		message = incoming(m, call);
		if (op0 == NULL)
			op0 = &message;
		else
			op1 = &message;
	}
	if (op0 == NULL)
		return 0;
	inner = op1 != NULL ? call->inner_packed : op0->packed;
	control = op0_fields(op0) | FIELD(MOVE_CONTROL_INNER_COMPRESSED, inner);
	if (op0 != &message || m->from_window != NULL) {
		hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, op0->low);
		hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, op0->high);
	}
	if (op1 != NULL) {
		control |= op1_fields(op1);
		if (op1 != &message || m->from_window != NULL) {
			hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, op1->low);
			hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, op1->high);
		}
	}
	return control;
}

static uint32_t set_result(const struct move *m, const struct call *call)
{
	uint32_t control = 0;

	if (m->result != NULL) {
		control = result_fields(m->result);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, m->result->low);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, m->result->high);
	}
	if (!m->sends)
		return control;
	switch (FIELD_OF(MOVE_CONTROL_RESULT, control)) {
	case CCLO_MOVE_RESULT_MEMORY:
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY_AND_NETWORK - CCLO_MOVE_RESULT_MEMORY);
		break;
	case CCLO_MOVE_RESULT_KERNEL_STREAM:
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_KERNEL_STREAM_AND_NETWORK - CCLO_MOVE_RESULT_KERNEL_STREAM);
		break;
	default:
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
	}
	return control | FIELD(MOVE_CONTROL_NETWORK_COMPRESSED, call->wire_packed);
}

/* Gives the move to the call's queue. */
static void issue_control(struct call *call, uint32_t control)
{
	uint32_t queue = (uint32_t)call->state.queue;

	hw_write(CCLO_MOVE_CONTROL_ADDRESS, control | FIELD(MOVE_CONTROL_QUEUE, queue));
	engine.issued[queue]++;
	engine.room[queue]--;
}

/* Registers are shared with other calls: what may wait or fail comes before they
 * are set. */
void move_issue(const struct move *m)
{
	struct call *call = engine.current;
	uint32_t bytes = bytes_of(m->count, false);
	uint32_t packed = call->packs ? bytes_of(m->count, true) : 0;
	uint32_t control = FIELD(MOVE_CONTROL_FENCE, m->fence);
	bool cut = m->sends && !m->to_window && m->count != 0;

	if (call->state.queue == NO_QUEUE || engine.room[call->state.queue] == 0)
		make_room();
	if (cut)
		cut_use(m->destination);
	hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes);
	if (call->packs)
		hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, packed);
	hw_write(CCLO_MOVE_TDEST_ADDRESS, call->tdest | FIELD(MOVE_TDEST_KERNEL, m->tdest));
	control |= set_operands(m, call) | set_result(m, call);
	if (m->receives || m->sends) {
		hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
		hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, m->context);
		hw_write(CCLO_MOVE_TAG_ADDRESS, m->tag);
	}
	if (m->receives)
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, m->source);
	if (m->sends) {
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, m->destination);
		hw_write(CCLO_MOVE_STRM_ADDRESS, m->strm);
	}
	if (cut) {
		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, engine.known.chunk_bytes);
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, engine.known.segment_bytes);
	}
#if CCLO_FEATURE_RENDEZVOUS
	if (m->from_window != NULL)
		hw_write(CCLO_MOVE_WINDOW_ADDRESS, m->window);
	if (m->to_window) {
		hw_write(CCLO_MOVE_TAG_ADDRESS, call->remote_transfer);
		hw_write64(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, call->remote_address + call->remote_bytes);
		hw_write(CCLO_MOVE_PACKET_INDEX_ADDRESS, call->remote_packet);
		control |= FIELD(MOVE_CONTROL_MESSAGE_TYPE, CCLO_MESSAGE_TYPE_RENDEZVOUS_DATA) |
		           FIELD(MOVE_CONTROL_REMOTE_HOST, call->remote_host);
	}
#endif
	issue_control(call, control);
#if CCLO_FEATURE_RENDEZVOUS
	if (m->to_window) {
		call->remote_bytes += bytes;
		call->remote_packet = hw_read(CCLO_MOVE_PACKET_INDEX_ADDRESS); /* counts packets */
	}
#endif
}

uint32_t bytes_of_many(uint32_t count, bool packed)
{
	uint64_t bytes = packed ? (uint64_t)(count >> self->ratio_log) * self->packed_bytes
	                        : (uint64_t)count * self->plain_bytes;

	if (bytes >> 32)
		task_fail(CCLO_RETURN_CODE_DMA_SIZE);
	return (uint32_t)bytes;
}

void move_token(bool sends, uint32_t rank, uint32_t tag, uint32_t context)
{
	struct call *call = self;

	if (call->state.queue == NO_QUEUE || engine.room[call->state.queue] == 0)
		make_room();
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	if (sends) {
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, rank);
		hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
		issue_control(call, FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK));
	} else {
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, rank);
		issue_control(call, FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE));
	}
}

#if CCLO_FEATURE_RENDEZVOUS
void move_header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host, uint32_t tag,
                 uint32_t context)
{
	make_room();
	hw_write(CCLO_MOVE_COMM_ADDRESS, self->comm);
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, destination);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
	hw_write(CCLO_MOVE_HEADER_COUNT_ADDRESS, count);
	hw_write64(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, address);
	issue_control(self, FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_MESSAGE_TYPE, type) |
	                    FIELD(MOVE_CONTROL_REMOTE_HOST, host));
}
#endif
