#include "move.h"

#include "collective.h"
#include "comm.h"
#include "plan.h"
#include "task.h"

#define COMPLETED(queue)                                                                                 \
	(CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS +                                                              \
	 (queue) * (CCLO_MOVE_STATUS_COMPLETED_1_ADDRESS - CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS))
#define ERROR(queue)                                                                                     \
	(CCLO_MOVE_STATUS_ERROR_0_ADDRESS +                                                                  \
	 (queue) * (CCLO_MOVE_STATUS_ERROR_1_ADDRESS - CCLO_MOVE_STATUS_ERROR_0_ADDRESS))

uint32_t message_elements(uint32_t rank)
{
	uint32_t elements;

	cut_use(rank);
	elements = elements_on_wire(engine.known.message_bytes);
	return elements != 0 ? elements : 1;
}

uint32_t move_completed(uint32_t queue) { return hw_read(COMPLETED(queue)); }

static uint32_t state(void) { return hw_read(CCLO_MOVE_STATUS_STATE_ADDRESS); }

static bool failed(uint32_t state, int8_t queue) { return (state >> queue & 1u << CCLO_MOVE_STATE_FAILED_SHIFT) != 0; }

static int8_t take(uint32_t free, uint32_t now)
{
	int8_t queue = (free & 1) != 0 ? 0 : (free & 2) != 0 ? 1 : (free & 4) != 0 ? 2 : 3;

	engine.queues_taken |= 1u << queue;
	engine.room[queue] = CCLO_MOVE_QUEUE_DEPTH;
	if (queue == 0)
		engine.left = false;
	if (failed(now, queue))
		hw_write(ERROR(queue), 0);
	return queue;
}

/* Takes a second queue back that has nothing to do. */
__attribute__((cold)) static uint32_t take_back(uint32_t now)
{
	uint32_t free = engine.queues_lent & ~(now >> CCLO_MOVE_STATE_BUSY_SHIFT | now >> CCLO_MOVE_STATE_FAILED_SHIFT);

	free &= -free;
	for (struct call *call = engine.calls; free != 0 && call != engine.calls + CALLS; call++) {
		if ((engine.open & call->bit) != 0 && call->state.other_queue != NO_QUEUE && free == 1u << call->state.other_queue)
			call->state.other_queue = NO_QUEUE;
	}
	engine.queues_lent &= ~free;
	return free;
}

/* A queue is free when nobody has it and what its last owner left is gone. */
static uint32_t free_queues(uint32_t now)
{
	return ~(now >> CCLO_MOVE_STATE_BUSY_SHIFT | engine.queues_taken) & ((1u << QUEUES) - 1);
}

/* The waits of those who have queues are limited. */
__attribute__((noinline, cold)) static void queue_await(void)
{
	uint32_t now, free;

	while (now = state(), (free = free_queues(now)) == 0 && (free = take_back(now)) == 0)
		task_stand_by();
	self->state.queue = take(free, now);
	self->announced = engine.issued[self->state.queue];
}

void queue_take(void)
{
	const uint32_t used = 1u << CCLO_MOVE_STATE_BUSY_SHIFT | 1u << CCLO_MOVE_STATE_FAILED_SHIFT;
	struct call *call = engine.current;

	if (LIKELY((engine.queues_taken & 1) == 0 && (state() & used) == 0)) { /* the first one, mostly */
		call->state.queue = 0;
		engine.queues_taken |= 1;
		engine.room[0] = CCLO_MOVE_QUEUE_DEPTH;
		call->announced = engine.issued[0];
		engine.left = false;
		return;
	}
	queue_await();
}

bool queue_take_second(void)
{
	uint32_t now, free;

	if (self->state.other_queue != NO_QUEUE)
		return true;
	now = state();
	free = free_queues(now);
	if (free == 0)
		return false;
	self->state.other_queue = take(free, now);
	engine.queues_lent |= 1u << self->state.other_queue;
	return true;
}

__attribute__((noinline)) static void give_back(int8_t queue)
{
	uint32_t now;

	if (queue == NO_QUEUE)
		return;
	now = state() >> queue;
	if (now & 1u << CCLO_MOVE_STATE_BUSY_SHIFT)
		hw_write(CCLO_MOVE_STATUS_ABORT_ADDRESS, 1u << queue);
	if (now & (1u << CCLO_MOVE_STATE_BUSY_SHIFT | 1u << CCLO_MOVE_STATE_FAILED_SHIFT))
		engine.left = true;
	engine.queues_taken &= ~(1u << queue);
	engine.queues_lent &= ~(1u << queue);
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

uint32_t move_failure(uint32_t *rank, uint32_t *tag, uint32_t *bytes)
{
	const struct call *call = self;
	uint32_t now = state();

	for (uint32_t queue = 0; queue < QUEUES; queue++) {
		uint32_t at = CCLO_MOVE_STATUS_FAILED_SOURCE_0_ADDRESS +
		              queue * (CCLO_MOVE_STATUS_FAILED_SOURCE_1_ADDRESS - CCLO_MOVE_STATUS_FAILED_SOURCE_0_ADDRESS);

		if (((int8_t)queue != call->state.queue && (int8_t)queue != call->state.other_queue) || !failed(now, (int8_t)queue))
			continue;
		*rank = hw_read(at);
		*tag = hw_read(at + CCLO_MOVE_STATUS_FAILED_TAG_0_ADDRESS - CCLO_MOVE_STATUS_FAILED_SOURCE_0_ADDRESS);
		*bytes = hw_read(at + CCLO_MOVE_STATUS_FAILED_BYTES_0_ADDRESS - CCLO_MOVE_STATUS_FAILED_SOURCE_0_ADDRESS);
		return hw_read(ERROR(queue));
	}
	return 0;
}

/* Waits until queues are at rest; no longer than moves may take. */
__attribute__((noinline, cold)) static bool at_rest(uint32_t queues)
{
	uint32_t end = milliseconds() + move_limit();

	while (state() >> CCLO_MOVE_STATE_BUSY_SHIFT & queues) {
		if (reached(end))
			return false;
		task_limit(end - milliseconds());
		task_pause();
	}
	self->state.timed = false;
	return true;
}

__attribute__((cold)) void queue_restart(void)
{
	int8_t queue = self->state.queue;

	give_back(self->state.other_queue);
	self->state.other_queue = NO_QUEUE;
	if (queue == NO_QUEUE)
		return;
	hw_write(CCLO_MOVE_STATUS_ABORT_ADDRESS, 1u << queue);
	if (!at_rest(1u << queue)) {
		queue_give_back(self);
		return;
	}
	move_forgive();
	engine.room[queue] = CCLO_MOVE_QUEUE_DEPTH;
}

__attribute__((cold)) void queues_settle(void) { (void)at_rest(~engine.queues_taken & ((1u << QUEUES) - 1)); }

void move_forgive(void)
{
	if (failed(state(), self->state.queue))
		hw_write(ERROR(self->state.queue), 0);
}

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
	plan_keep();
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
		task_fail_of(call, error_of(call->state.queue));
	}
	if (UNLIKELY(call->state.ended))
		task_fail_of(call, CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
	collective_waits(call);
	seen = hw_read(COMPLETED(queue));
	if (seen != call->seen) {
		call->seen = seen;
		task_limit_of(call, move_limit());
	} else if (reached(call->deadline)) {
		task_fail_of(call, CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
}

static void await_room(void) { TASK_WAIT(room(), move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT); }

static inline void make_room(void)
{
	if (UNLIKELY(engine.room[queue_of_call()] == 0))
		await_room();
}

void move_make_room(void) { make_room(); }

static uint32_t op0_fields(const struct place *place)
{
	uint32_t form = place->form;

	if (form == PLAIN_MEMORY)
		return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);
	return FIELD(MOVE_CONTROL_OP0, place->kind) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_OP0_HOST, place->host);
}

static uint32_t result_fields(const struct place *place)
{
	uint32_t form = place->form;

	if (form == PLAIN_MEMORY)
		return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY);
	return FIELD(MOVE_CONTROL_RESULT, place->kind) | FIELD(MOVE_CONTROL_RESULT_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_RESULT_HOST, place->host);
}

/* What comes from a rank, as an operand: its message, or its window. */
static uint32_t set_incoming(const struct move *m, uint32_t address, const struct call *call)
{
#if CCLO_FEATURE_RENDEZVOUS
	const struct place *window = m->from_window;

	if (window != NULL) {
		hw_write(address, window->low);
		hw_write(address + 4, window->high);
		hw_write(CCLO_MOVE_WINDOW_ADDRESS, m->window);
		return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_WINDOW) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, call->wire_packed) |
		       FIELD(MOVE_CONTROL_OP0_HOST, window->host);
	}
#endif
	(void)address;
	(void)m;
	return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, call->wire_packed);
}

/* The fields of operand 1 as those of operand 0 stand in the word. */
static uint32_t as_op1(uint32_t fields)
{
	return (fields & CCLO_MOVE_CONTROL_OP0_MASK) << (CCLO_MOVE_CONTROL_OP1_SHIFT - CCLO_MOVE_CONTROL_OP0_SHIFT) |
	       (fields & (CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK | CCLO_MOVE_CONTROL_OP0_HOST_MASK)) << 1;
}

_Static_assert(CCLO_MOVE_CONTROL_OP1_COMPRESSED_MASK == CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK << 1 &&
                   CCLO_MOVE_CONTROL_OP1_HOST_MASK == CCLO_MOVE_CONTROL_OP0_HOST_MASK << 1, "as_op1");

/* Sets the operands and says what they are. Without a reduction nothing is
 * converted that need not be: the inner form is that of the only operand. */
static uint32_t set_operands(const struct move *m, const struct call *call)
{
	const struct place *op0 = m->op0, *op1 = m->op1;
	uint32_t control;

	if (op0 == NULL) {
		if (!m->receives)
			return 0;
		return set_incoming(m, CCLO_MOVE_OP0_ADDRESS_ADDRESS, call) | FIELD(MOVE_CONTROL_INNER_COMPRESSED, call->wire_packed);
	}
	control = op0_fields(op0);
	hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, op0->low);
	hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, op0->high);
	if (m->receives)
		return control | as_op1(set_incoming(m, CCLO_MOVE_OP1_ADDRESS_ADDRESS, call)) |
		       FIELD(MOVE_CONTROL_INNER_COMPRESSED, call->forms.inner_packed && !m->apart);
	if (op1 == NULL)
		return control | FIELD(MOVE_CONTROL_INNER_COMPRESSED, op0->packed);
	hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, op1->low);
	hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, op1->high);
	return control | as_op1(op0_fields(op1)) | FIELD(MOVE_CONTROL_INNER_COMPRESSED, call->forms.inner_packed && !m->apart);
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
		control += m->apart ? FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_APART - CCLO_MOVE_RESULT_MEMORY)
		                    : FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY_AND_NETWORK - CCLO_MOVE_RESULT_MEMORY);
		break;
	case CCLO_MOVE_RESULT_KERNEL_STREAM:
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_KERNEL_STREAM_AND_NETWORK - CCLO_MOVE_RESULT_KERNEL_STREAM);
		break;
	default:
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
	}
	return control | FIELD(MOVE_CONTROL_NETWORK_COMPRESSED, call->wire_packed);
}

#if CCLO_FEATURE_RENDEZVOUS
/* The register counts packets of one call after another. */
void move_count_packets(void)
{
	struct call *call = engine.current;

	if (engine.counted != NULL)
		engine.counted->remote_packet = hw_read(CCLO_MOVE_PACKET_INDEX_ADDRESS);
	hw_write(CCLO_MOVE_PACKET_INDEX_ADDRESS, call->remote_packet);
	engine.counted = call;
}
#endif

/* Registers are shared with other calls: what may wait or fail comes before they
 * are set. */
uint32_t move_prepare(const struct move *m)
{
	const struct call *call = engine.current;
	uint32_t bytes = bytes_of(m->count, false);
	uint32_t packed = call->packs ? bytes_of(m->count, true) : 0;
	uint32_t control = FIELD(MOVE_CONTROL_FENCE, m->fence);
	bool cut = m->sends && !m->to_window && m->count != 0;

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
		bool collective = call->kind == KIND_COLLECTIVE;

		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, collective ? 0 : engine.known.chunk_bytes);
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, collective ? engine.known.message_bytes : engine.known.segment_bytes);
	}
	return control;
}

void move_commit(bool to_window, uint32_t count, uint32_t control)
{
#if CCLO_FEATURE_RENDEZVOUS
	if (to_window) {
		move_give_remote(control, count * engine.current->plain_bytes); /* a word: prepared */
		return;
	}
#endif
	(void)to_window;
	(void)count;
	move_give(control);
}

void move_issue(const struct move *m) { move_commit(m->to_window, m->count, move_prepare(m)); }

__attribute__((cold)) uint32_t bytes_of_many(uint32_t count, bool packed)
{
	uint64_t bytes = packed ? (uint64_t)(count >> self->ratio_log) * self->packed_bytes
	                        : (uint64_t)count * self->plain_bytes;

	if (bytes >> 32)
		task_fail(CCLO_RETURN_CODE_DMA_SIZE);
	return (uint32_t)bytes;
}

void move_token(bool sends, bool fence, uint32_t rank, uint32_t tag, uint32_t context)
{
	struct call *call = self;

	make_room();
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	if (sends) {
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, rank);
		hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
		move_give(FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_FENCE, fence));
	} else {
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, rank);
		move_give(FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE));
	}
}

#if CCLO_FEATURE_RENDEZVOUS
static inline void header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host, uint32_t tag)
{
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, destination);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
	hw_write(CCLO_MOVE_HEADER_COUNT_ADDRESS, count);
	hw_write64(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, address);
	move_give(FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_MESSAGE_TYPE, type) |
	                    FIELD(MOVE_CONTROL_REMOTE_HOST, host));
}

static inline void header_from(uint32_t context)
{
	hw_write(CCLO_MOVE_COMM_ADDRESS, self->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
}

/* Others may set registers while this one waits. */
__attribute__((noinline, cold)) static void header_when_there_is_room(uint32_t type, uint32_t destination, uint32_t count, uint64_t address,
                                                                bool host, uint32_t tag, uint32_t context)
{
	make_room();
	header_from(context);
	header(type, destination, count, address, host, tag);
}

__attribute__((noinline)) void move_header_prepared(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host,
                                                    uint32_t tag, uint32_t context)
{
	if (UNLIKELY(self->state.queue == NO_QUEUE || engine.room[self->state.queue] == 0))
		header_when_there_is_room(type, destination, count, address, host, tag, context);
	else
		header(type, destination, count, address, host, tag);
}

void move_header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host, uint32_t tag,
                 uint32_t context)
{
	header_from(context);
	move_header_prepared(type, destination, count, address, host, tag, context);
}
#endif
