#include "move.h"

#include "comm.h"
#include "task.h"

#define COMPLETED(queue)                                                                                 \
	(CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS +                                                              \
	 (queue) * (CCLO_MOVE_STATUS_COMPLETED_1_ADDRESS - CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS))
#define ERROR(queue)                                                                                     \
	(CCLO_MOVE_STATUS_ERROR_0_ADDRESS +                                                                  \
	 (queue) * (CCLO_MOVE_STATUS_ERROR_1_ADDRESS - CCLO_MOVE_STATUS_ERROR_0_ADDRESS))

/* What is left of waits that the data plane bounds itself. */
#define MOVE_MARGIN_MILLISECONDS 1000

uint32_t bytes_of(uint32_t count, bool packed)
{
	uint64_t bytes = packed ? (uint64_t)(count >> self->ratio_log) * self->packed_bytes
	                        : (uint64_t)count * self->plain_bytes;

	if (bytes >> 32)
		task_fail(CCLO_RETURN_CODE_DMA_SIZE);
	return (uint32_t)bytes;
}

struct place place_at(const struct place *place, uint64_t elements)
{
	struct place p = *place;
	uint64_t address = address_of(place);

	address += place->packed ? (elements >> self->ratio_log) * self->packed_bytes : elements * self->plain_bytes;
	p.low = (uint32_t)address;
	p.high = (uint32_t)(address >> 32);
	return p;
}

static uint32_t wire_bytes(void) { return self->wire_packed ? self->packed_bytes : self->plain_bytes; }

/* Bytes at which messages to a rank are cut: whole elements of the wire. */
static uint32_t segment_bytes(uint32_t rank)
{
	uint32_t bytes = rank_word(rank, CCLO_COMMUNICATORS_MAX_SEGMENT_LEN_WORD);

	if (bytes == 0 || bytes > engine.rx_bytes)
		bytes = engine.rx_bytes;
	if (engine.max_segment != 0 && bytes > engine.max_segment)
		bytes = engine.max_segment;
	if (lossy() && bytes > CCLO_MAX_UDP_PAYLOAD_BYTES)
		bytes = CCLO_MAX_UDP_PAYLOAD_BYTES;
	return bytes < wire_bytes() ? bytes : bytes - bytes % wire_bytes();
}

/* Messages are cut at an rx buffer's worth of plain elements first. */
static uint32_t chunk_elements(void) { return engine.rx_bytes / self->plain_bytes; }

uint32_t message_elements(uint32_t rank)
{
	uint32_t elements = (segment_bytes(rank) / wire_bytes()) << (self->wire_packed ? self->ratio_log : 0);
	uint32_t chunk = chunk_elements();

	if (elements > chunk)
		elements = chunk;
	return elements != 0 ? elements : 1;
}

uint32_t move_completed(uint32_t queue) { return hw_read(COMPLETED(queue)); }

/* A queue is free when nobody has it and what its last owner left is gone. */
static bool queue_take_free(void)
{
	for (uint32_t queue = 0; queue < QUEUES; queue++) {
		if (engine.queue_taken[queue] || hw_read(COMPLETED(queue)) != engine.issued[queue])
			continue;
		engine.queue_taken[queue] = true;
		hw_write(ERROR(queue), 0);
		self->queue = (int8_t)queue;
		return true;
	}
	return false;
}

uint32_t queue_of_call(void)
{
	while (self->queue == NO_QUEUE && !queue_take_free())
		task_stand_by(); /* the waits of those who have one are limited */
	return (uint32_t)self->queue;
}

static void give_back(int8_t queue)
{
	if (queue == NO_QUEUE)
		return;
	if (hw_read(COMPLETED(queue)) != engine.issued[queue])
		hw_write(CCLO_MOVE_STATUS_ABORT_ADDRESS, 1u << queue);
	engine.queue_taken[queue] = false;
	engine.given_back = true;
}

void queue_give_back(struct call *call)
{
	give_back(call->queue);
	give_back(call->other_queue);
	call->queue = call->other_queue = NO_QUEUE;
}

void queue_change(void)
{
	int8_t queue = self->queue;

	self->queue = self->other_queue;
	self->other_queue = queue;
}

static bool room(void)
{
	return engine.issued[self->queue] - hw_read(COMPLETED(self->queue)) < CCLO_MOVE_QUEUE_DEPTH;
}

static uint32_t error_of(int8_t queue) { return queue == NO_QUEUE ? 0 : hw_read(ERROR(queue)); }

void move_check(void)
{
	uint32_t error = error_of(self->queue) | error_of(self->other_queue);

	if (error != 0)
		task_fail(error);
}

/* The data plane limits what it waits for itself; here is a second limit, for
 * each move anew. */
static uint32_t move_limit(void) { return 2 * remote_limit() + MOVE_MARGIN_MILLISECONDS; }

void move_wait(uint32_t number)
{
	uint32_t seen;

	if (self->queue == NO_QUEUE)
		return;
	for (;;) {
		seen = hw_read(COMPLETED(self->queue));
		if ((int32_t)(seen - number) >= 0)
			break;
		TASK_WAIT(hw_read(COMPLETED(self->queue)) != seen, move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
	move_check();
}

uint32_t move_number(void) { return self->queue == NO_QUEUE ? 0 : engine.issued[self->queue]; }

void move_drain(void)
{
	if (self->queue != NO_QUEUE)
		move_wait(engine.issued[self->queue]);
}

static uint32_t op0_fields(const struct place *place)
{
	return FIELD(MOVE_CONTROL_OP0, place->kind) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_OP0_HOST, place->host);
}

static uint32_t op1_fields(const struct place *place)
{
	return FIELD(MOVE_CONTROL_OP1, place->kind) | FIELD(MOVE_CONTROL_OP1_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_OP1_HOST, place->host);
}

/* What comes from a rank, as an operand. */
static struct place incoming(const struct move *m)
{
	struct place place = { .kind = CCLO_MOVE_OPERAND_MESSAGE };

#if CCLO_FEATURE_RENDEZVOUS
	if (m->from_window != NULL) {
		place = *m->from_window;
		place.kind = CCLO_MOVE_OPERAND_WINDOW;
	}
#endif
	(void)m;
	place.packed = self->wire_packed;
	return place;
}

/* Sets the operands and says what they are. Without a reduction nothing is
 * converted that need not be: the inner form is that of the only operand. */
static uint32_t set_operands(const struct move *m)
{
	struct place message;
	const struct place *op0 = m->op0, *op1 = m->op1;
	uint32_t control;
	bool inner;

	if (m->receives) {
		message = incoming(m);
		if (op0 == NULL)
			op0 = &message;
		else
			op1 = &message;
	}
	if (op0 == NULL)
		return 0;
	inner = op1 != NULL ? self->inner_packed : op0->packed;
	control = op0_fields(op0) | FIELD(MOVE_CONTROL_INNER_COMPRESSED, inner);
	hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, op0->low);
	hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, op0->high);
	if (op1 != NULL) {
		control |= op1_fields(op1);
		hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, op1->low);
		hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, op1->high);
	}
	return control;
}

static uint32_t set_result(const struct move *m)
{
	uint32_t kind = CCLO_MOVE_RESULT_NONE, control = 0;

	if (m->result != NULL) {
		kind = m->result->kind;
		control = FIELD(MOVE_CONTROL_RESULT_COMPRESSED, m->result->packed) | FIELD(MOVE_CONTROL_RESULT_HOST, m->result->host);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, m->result->low);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, m->result->high);
	}
	if (m->sends)
		kind = kind == CCLO_MOVE_RESULT_MEMORY          ? CCLO_MOVE_RESULT_MEMORY_AND_NETWORK
		       : kind == CCLO_MOVE_RESULT_KERNEL_STREAM ? CCLO_MOVE_RESULT_KERNEL_STREAM_AND_NETWORK
		                                                : CCLO_MOVE_RESULT_NETWORK;
	return control | FIELD(MOVE_CONTROL_RESULT, kind) | FIELD(MOVE_CONTROL_NETWORK_COMPRESSED, self->wire_packed);
}

/* Registers are shared with other calls: room is made before they are set. */
static void make_room(void)
{
	queue_of_call();
	TASK_WAIT(room(), move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT);
}

static void issue(uint32_t control)
{
	hw_write(CCLO_MOVE_CONTROL_ADDRESS, control | FIELD(MOVE_CONTROL_QUEUE, self->queue));
	engine.issued[self->queue]++;
}

static void set_peer(uint32_t source, uint32_t destination, uint32_t tag, uint32_t context)
{
	hw_write(CCLO_MOVE_COMM_ADDRESS, self->comm);
	hw_write(CCLO_MOVE_SOURCE_ADDRESS, source);
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, destination);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
}

void move_issue(const struct move *m)
{
	uint32_t bytes = bytes_of(m->count, false);
	uint32_t packed = bytes_of(m->count, true);
	uint32_t control = FIELD(MOVE_CONTROL_FENCE, m->fence);

	make_room();
	hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes);
	hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, packed);
	hw_write(CCLO_MOVE_TDEST_ADDRESS, self->tdest | FIELD(MOVE_TDEST_KERNEL, m->tdest));
	control |= set_operands(m) | set_result(m);
	if (m->receives || m->sends)
		set_peer(m->source, m->destination, m->tag, m->context);
	if (m->sends) {
		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, bytes_of(chunk_elements(), self->wire_packed));
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, segment_bytes(m->destination));
		hw_write(CCLO_MOVE_STRM_ADDRESS, m->strm);
	}
#if CCLO_FEATURE_RENDEZVOUS
	if (m->from_window != NULL)
		hw_write(CCLO_MOVE_WINDOW_ADDRESS, m->window);
	if (m->to_window) {
		hw_write(CCLO_MOVE_TAG_ADDRESS, self->remote_transfer);
		hw_write64(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, self->remote_address);
		hw_write(CCLO_MOVE_PACKET_INDEX_ADDRESS, 0);
		control |= FIELD(MOVE_CONTROL_MESSAGE_TYPE, CCLO_MESSAGE_TYPE_RENDEZVOUS_DATA) |
		           FIELD(MOVE_CONTROL_REMOTE_HOST, self->remote_host);
	}
#endif
	issue(control);
}

#if CCLO_FEATURE_RENDEZVOUS
void move_header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host, uint32_t tag,
                 uint32_t context)
{
	make_room();
	set_peer(destination, destination, tag, context);
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
	hw_write(CCLO_MOVE_HEADER_COUNT_ADDRESS, count);
	hw_write64(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, address);
	issue(FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_MESSAGE_TYPE, type) |
	      FIELD(MOVE_CONTROL_REMOTE_HOST, host));
}
#endif
