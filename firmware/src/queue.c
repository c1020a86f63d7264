#include "queue.h"

#include "plan.h"
#include "task.h"

#define COMPLETED(queue)                                                                                 \
	(CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS +                                                              \
	 (queue) * (CCLO_MOVE_STATUS_COMPLETED_1_ADDRESS - CCLO_MOVE_STATUS_COMPLETED_0_ADDRESS))
#define ERROR(queue)                                                                                     \
	(CCLO_MOVE_STATUS_ERROR_0_ADDRESS +                                                                  \
	 (queue) * (CCLO_MOVE_STATUS_ERROR_1_ADDRESS - CCLO_MOVE_STATUS_ERROR_0_ADDRESS))

uint32_t move_completed(uint32_t queue) { return hw_read(COMPLETED(queue)); }

static uint32_t state(void) { return hw_read(CCLO_MOVE_STATUS_STATE_ADDRESS); }

/* Bit set of the queues of a call. */
static uint32_t queues_of(const struct call *call)
{
	uint32_t first = call->state.queue == NO_QUEUE ? 0 : 1u << call->state.queue;

	return call->state.other_queue == NO_QUEUE ? first : first | 1u << call->state.other_queue;
}

/* Of these queues, those with moves or with an error. */
static uint32_t busy_of(uint32_t state, uint32_t queues) { return state >> CCLO_MOVE_STATE_BUSY_SHIFT & queues; }

static uint32_t failed_of(uint32_t state, uint32_t queues) { return state >> CCLO_MOVE_STATE_FAILED_SHIFT & queues; }

__attribute__((noinline)) static int8_t take(uint32_t free)
{
	int8_t queue = (free & 1) != 0 ? 0 : (free & 2) != 0 ? 1 : (free & 4) != 0 ? 2 : 3;

	engine.queues_taken |= 1u << queue;
	engine.room[queue] = CCLO_MOVE_QUEUE_DEPTH;
	if (failed_of(state(), 1u << queue))
		hw_write(ERROR(queue), 0);
	return queue;
}

/* Takes away the idle second queue of a call. */
__attribute__((cold)) static uint32_t take_back(uint32_t now)
{
	uint32_t lent = engine.queues_lent, free = lent & ~(busy_of(now, lent) | failed_of(now, lent));

	free &= -free;
	for (struct call *call = engine.calls; free != 0 && call != engine.calls + CALLS; call++) {
		if ((engine.open & call->bit) != 0 && call->state.other_queue != NO_QUEUE && free == 1u << call->state.other_queue)
			call->state.other_queue = NO_QUEUE;
	}
	engine.queues_lent &= ~free;
	return free;
}

static uint32_t unowned(void) { return ~engine.queues_taken & ((1u << QUEUES) - 1); }

/* Queues without owner in which no move of an earlier owner is left. */
static uint32_t free_queues(uint32_t now) { return unowned() & ~busy_of(now, unowned()); }

/* Clears the errors that calls have left in queues. */
__attribute__((noinline, cold)) static void clear_left(void)
{
	uint32_t now = state();

	engine.left = busy_of(now, unowned()) != 0;
	for (uint32_t set = failed_of(now, unowned()); set != 0;)
		hw_write(ERROR(next_in(&set)), 0);
}

/* Waits for a queue. Ends, because all owners have timeouts. */
__attribute__((noinline, cold)) static void queue_await(void)
{
	uint32_t free;

	if (engine.left)
		clear_left();
	while ((free = free_queues(state())) == 0 && (free = take_back(state())) == 0)
		task_stand_by();
	self->state.queue = take(free);
	self->announced = engine.issued[self->state.queue];
}

void queue_take(void)
{
	struct call *call = engine.current;

	if (LIKELY((engine.queues_taken & 1) == 0 && !engine.left)) { /* the first one, mostly */
		call->state.queue = 0;
		engine.queues_taken |= 1;
		engine.room[0] = CCLO_MOVE_QUEUE_DEPTH;
		call->announced = engine.issued[0];
		return;
	}
	queue_await();
}

bool queue_take_second(bool leaves_one)
{
	uint32_t free;

	if (self->state.other_queue != NO_QUEUE)
		return true;
	free = free_queues(state());
	if (free == 0 || (leaves_one && (free & (free - 1)) == 0))
		return false;
	self->state.other_queue = take(free);
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

		if (failed_of(now, queues_of(call) & 1u << queue) == 0)
			continue;
		*rank = hw_read(at);
		*tag = hw_read(at + CCLO_MOVE_STATUS_FAILED_TAG_0_ADDRESS - CCLO_MOVE_STATUS_FAILED_SOURCE_0_ADDRESS);
		*bytes = hw_read(at + CCLO_MOVE_STATUS_FAILED_BYTES_0_ADDRESS - CCLO_MOVE_STATUS_FAILED_SOURCE_0_ADDRESS);
		return hw_read(ERROR(queue));
	}
	return 0;
}

/* Waits until queues are idle; false after move_limit. */
__attribute__((noinline, cold)) static bool at_rest(uint32_t queues)
{
	uint32_t end = milliseconds() + move_limit();

	while (busy_of(state(), queues) != 0) {
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

__attribute__((cold)) void queues_settle(void) { (void)at_rest(unowned()); }

void move_forgive(void)
{
	if (failed_of(state(), 1u << self->state.queue))
		hw_write(ERROR(self->state.queue), 0);
}

__attribute__((noinline, cold)) static uint32_t errors_of(const struct call *call)
{
	return error_of(call->state.queue) | error_of(call->state.other_queue);
}

__attribute__((noinline)) void move_check(void)
{
	if (failed_of(state(), queues_of(self)) != 0)
		task_fail(errors_of(self));
}

void queue_wait(uint32_t error)
{
	move_check();
	if (UNLIKELY(self->state.ended))
		task_fail(CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
	if (reached(self->deadline))
		task_fail(error);
	task_pause();
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
		AWAIT(hw_read(COMPLETED(self->state.queue)) != seen, move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
	move_check();
}

bool move_is_done(uint32_t number)
{
	return self->state.queue == NO_QUEUE || (int32_t)(hw_read(COMPLETED(self->state.queue)) - number) >= 0;
}

uint32_t move_number(void) { return self->state.queue == NO_QUEUE ? 0 : engine.issued[self->state.queue]; }

/* Completed moves of both queues of a call, which has one at least. */
__attribute__((noinline)) static uint32_t completed_of(const struct call *call)
{
	uint32_t first = hw_read(COMPLETED(call->state.queue));

	return call->state.other_queue == NO_QUEUE ? first : first + hw_read(COMPLETED(call->state.other_queue));
}

void move_drain(void)
{
	if (self->state.queue == NO_QUEUE)
		return;
	for (;;) {
		uint32_t queues = queues_of(self), seen = completed_of(self), now = state();

		if (failed_of(now, queues) != 0)
			task_fail(errors_of(self));
		if (busy_of(now, queues) == 0)
			return;
		AWAIT(completed_of(self) != seen, move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
}

void move_finishes(struct call *call)
{
	call->state.finishing = true;
	call->seen = engine.issued[call->state.queue];
	task_limit_of(call, move_limit());
}

/* Hands the running call to the fast path, if it is alone and its moves are in the fast queues, not all completed: an
 * event will come. */
static void finish_fast(struct call *call)
{
	uint32_t now = state();

	if (busy_of(now, FAST_QUEUES) == 0 || failed_of(now, FAST_QUEUES) != 0 || call != engine.calls ||
	    engine.open != call->bit || engine.left || (queues_of(call) & ~FAST_QUEUES) != 0 || call->state.ended ||
	    call->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM || call->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM)
		return;
	hw_write(CCLO_CALLS_TICKET_ADDRESS, call->ticket);
	engine.queues_taken = engine.queues_lent = 0;
	engine.issued[0]--; /* the last one counts when it has ended */
	engine.quick = 1;
	task_limit_first(call, call->kind == KIND_COLLECTIVE ? engine.ask_limit : move_limit());
	task_leave();
}

void queue_settle_fast(struct call *call)
{
	uint32_t moves = engine.quick & ~QUICK_WINDOW, now = state();
	uint32_t second = (busy_of(now, FAST_QUEUES) | failed_of(now, FAST_QUEUES)) & 2;

	call->seen = engine.issued[0];
	engine.issued[0] += moves;
	engine.room[0] = (uint8_t)(CCLO_MOVE_QUEUE_DEPTH - moves);
	engine.room[1] = 0;
	engine.queues_lent = second;
	engine.queues_taken = 1 | second;
	call->state = (struct call_state){ .queue = 0, .other_queue = second != 0 ? 1 : NO_QUEUE, .timed = true,
	                                   .finishing = true };
}

/* The scheduler does the rest. */
void move_finish(void)
{
	plan_keep();
	if (self->state.queue == NO_QUEUE)
		task_done();
	finish_fast(self);
	move_finishes(self);
	engine.round |= self->bit; /* the moves may have completed: no event comes then */
	task_leave();
}

void move_finishing(struct call *call)
{
	uint32_t now = state(), queues = queues_of(call), seen;

	if ((busy_of(now, queues) | failed_of(now, queues)) == 0) {
		engine.queues_taken &= ~queues;
		engine.queues_lent &= ~queues;
		call->state.queue = call->state.other_queue = NO_QUEUE;
		call->state.over = true;
		return;
	}
	seen = completed_of(call);
	if (failed_of(now, queues) != 0) {
		task_fail_of(call, errors_of(call));
	} else if (UNLIKELY(call->state.ended)) {
		task_fail_of(call, CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
	} else if (seen != call->seen) {
		call->seen = seen;
		task_limit_of(call, move_limit());
	} else if (reached(call->deadline)) {
		task_fail_of(call, CCLO_RETURN_CODE_DMA_TIMEOUT);
	}
}

void queue_await_room(void) { AWAIT(room(), move_limit(), CCLO_RETURN_CODE_DMA_TIMEOUT); }

