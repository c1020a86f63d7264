/* The scheduler: takes calls, runs them, answers them, sleeps. */

#include "collective.h"
#include "move.h"
#include "operations.h"
#include "plan.h"
#include "task.h"
#include "window.h"

/* Resumes a stack left by task_switch (start.S). */
void task_resume(uint32_t *sp) __attribute__((noreturn));

void scheduler(void) __attribute__((noreturn));

/* The call in the window. */
static bool is_reset(void)
{
	return CALL_WORD(scenario) == CCLO_OPERATION_CONFIG && CALL_WORD(function_code) == CCLO_CONFIG_FUNCTION_RESET_PERIPH;
}

/* Drops the moves of a call, and closes its windows. */
__attribute__((noinline, cold)) static void stop(struct call *call)
{
	queue_give_back(call);
	windows_shut(call);
}

/* Answers a call, and frees what it holds. The host may use the memory of a failed call as soon as it has the
 * answer. */
static void end(struct call *call, uint32_t code)
{
	plan_drop();
	if (UNLIKELY(code != 0))
		stop(call);
	if (LIKELY(call->ticket != 0)) /* a collective that has failed may have been answered */
		task_answer(call->ticket, code);
	if (call->state.queue != NO_QUEUE || call->state.other_queue != NO_QUEUE)
		queue_give_back(call);
	engine.early &= ~call->bit;
	engine.open &= ~call->bit;
	engine.given_back = true;
}

/* Ends a call. A failed one first notifies others, on its stack. */
__attribute__((noinline)) static void conclude(struct call *call)
{
	if (LIKELY(call->error == 0 || call->state.told)) {
		end(call, call->error);
		return;
	}
	call->state.told = true;
	call->state.finishing = call->state.over = false;
	engine.current = call;
	task_anew(call, collective_fail);
}

/* A reset drops every call before it, answers them all, then itself. */
__attribute__((noinline, cold)) static void reset_requested(void)
{
	uint32_t ticket;

	for (uint32_t set = engine.open; set != 0;)
		end(&engine.calls[next_in(&set)], CCLO_RETURN_CODE_NOT_READY);
	for (uint32_t i = 0; i <= CCLO_CALL_STATUS_WAITING_MASK && (ticket = hw_read(CCLO_CALLS_TAKE_ADDRESS)) != 0; i++) {
		if (is_reset()) {
			reset_engine();
			task_answer(ticket, 0);
			return;
		}
		task_answer(ticket, CCLO_RETURN_CODE_NOT_READY);
	}
}

/* The beginning of a call, on its stack. */
static void run(void *call)
{
	operation_run(call);
	task_done();
}

/* Begins the call in the window, on a stack: products take longer where it is the first one. */
__attribute__((noreturn)) static void begin(uint32_t operation)
{
	uint32_t free = ~engine.open;
	struct call *call = engine.calls;
	uint32_t *top = engine.stacks[0] + STACK_WORDS;

	if (UNLIKELY((free & 1) == 0)) {
		uint32_t i = next_in(&free);

		call += i;
		top += i * STACK_WORDS;
	}
	call->ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	call->order = engine.next_order++;
	call->error = 0;
	call->state = (struct call_state){ .queue = NO_QUEUE, .other_queue = NO_QUEUE };
	call->windows = 0;
	call->number = call->ask_at = 0;
	call->words.scenario = operation;
	engine.open |= call->bit;
	engine.current = call;
	engine.alike = false;
	engine.set_by = NULL;
	task_begin(call, top, run);
}

/* Resumes a call; returns if it is finishing. */
__attribute__((noinline)) static void resume(struct call *call)
{
	if (!call->state.over)
		collective_waits(call);
	if (call->state.finishing) {
		if (!call->state.over)
			move_finishing(call);
		if (call->state.over)
			conclude(call);
		return;
	}
	engine.current = call;
	if (is_numbered(call))
		set_collective(call->number, call->words.count, call->shape);
	task_resume(call->sp);
}

/* Without room for another call none is taken, but a reset must be seen. */
__attribute__((noinline, cold)) static uint32_t sleep_when_full(void)
{
	if (hw_read(CCLO_CALLS_STATUS_ADDRESS) & CCLO_CALL_STATUS_RESET_REQUESTED_MASK)
		return CCLO_WAKE_RESET_REQUESTED_MASK;
	return task_sleep(CCLO_SYSTEM_SLEEP_ADDRESS);
}

/* Waits for the moves of the fast call. Any other event makes it an ordinary one; its wake word is returned. */
static inline uint32_t quick(void)
{
	const uint32_t busy = FAST_QUEUES << CCLO_MOVE_STATE_BUSY_SHIFT, failed = FAST_QUEUES << CCLO_MOVE_STATE_FAILED_SHIFT;
	uint32_t wake = task_sleep(CCLO_SYSTEM_NEXT_ADDRESS), state = 0;

	if (UNLIKELY(wake & (CCLO_WAKE_TAKEN_MASK | CCLO_WAKE_RESET_REQUESTED_MASK | CCLO_WAKE_EVENT_NETWORK))) {
		express_settle();
		return wake;
	}
	/* The moves may have ended since another event woke the processor. */
	if (LIKELY(wake & CCLO_WAKE_AT_REST_MASK) ||
	    ((state = hw_read(CCLO_MOVE_STATUS_STATE_ADDRESS)) & (busy | failed)) == 0) {
		task_answer_next(0);
		engine.open = engine.early = 0;
		engine.issued[0] += engine.quick;
		engine.quick = 0;
		return wake;
	}
	if ((wake & CCLO_WAKE_EVENTS_MASK) == 0 || (state & failed) != 0)
		express_settle(); /* a move fails or takes too long */
	return wake;
}

/* Tries the fast path and the call cache for the call in the call window; no other call is open. */
static inline bool at_once(uint32_t operation)
{
	if (LIKELY(operation <= CCLO_OPERATION_RECV))
		return LIKELY(express(operation)) || (express_other(operation) && express(operation));
	return plan_issue(operation);
}

/* Keeps no state on its stack: calls that wait or end enter it at its beginning. */
void scheduler(void)
{
	engine.current = NULL;
	for (;;) {
		uint32_t wake, round;
		bool idle = false;

		if (engine.quick) {
			wake = UNLIKELY(engine.quick & QUICK_WINDOW) ? express_window() : quick();
			if (LIKELY(engine.open == 0) || engine.quick)
				continue;
		} else if (engine.open == 0) {
			if (UNLIKELY(engine.kept))
				plan_complete();
			wake = task_sleep(CCLO_SYSTEM_NEXT_ADDRESS);
			idle = true;
		} else if (engine.wake != 0) {
			wake = engine.wake; /* a call that slept has seen it */
			engine.wake = 0;
		} else if ((round = engine.round & engine.open) != 0) {
			struct call *call = &engine.calls[next_in(&round)];

			engine.round = round;
			resume(call);
			continue;
		} else if (engine.standing_by && engine.given_back) {
			/* A freed resource may be what a call waits for. */
			engine.standing_by = engine.given_back = false;
			engine.round = engine.open;
			continue;
		} else {
			wake = engine.open != 0xFFFFFFFF ? task_sleep(CCLO_SYSTEM_NEXT_ADDRESS) : sleep_when_full();
		}
		if (UNLIKELY(wake & CCLO_WAKE_EVENT_NETWORK)) {
			notices_take();
			idle = idle && engine.open == 0; /* a notice may be pending */
		}
		if (LIKELY(wake & CCLO_WAKE_TAKEN_MASK)) {
			uint32_t operation = wake >> CCLO_WAKE_OPERATION_SHIFT;

			if (operation == CCLO_OPERATION_NOP)
				task_answer_next(0);
			else if (LIKELY(idle) && at_once(operation))
				continue;
			/* Other events are for other calls. */
			if (wake & (CCLO_WAKE_EVENTS_MASK & ~CCLO_WAKE_EVENT_CALL))
				engine.round = engine.open;
			if (operation != CCLO_OPERATION_NOP)
				begin(operation);
			continue;
		}
		if (wake & CCLO_WAKE_RESET_REQUESTED_MASK)
			reset_requested();
		engine.round = engine.open;
	}
}

extern const uint32_t firmware_hash; /* start.S */

void cclo_main(void)
{
	hw_write(CCLO_SYSTEM_FIRMWARE_ADDRESS, firmware_hash);
	engine.capabilities = hw_read(CCLO_SYSTEM_HARDWARE_ID_ADDRESS);
	hw_write(CCLO_EXCHANGE_HARDWARE_ID_ADDRESS, engine.capabilities);
	engine.remote_limit = hw_read(CCLO_TIMERS_REMOTE_MILLISECONDS_ADDRESS);
	engine.ask_limit = engine.remote_limit / 4 < ASK_MILLISECONDS ? engine.remote_limit / 4 : ASK_MILLISECONDS;
	task_init();
	reset_engine();
	task_leave();
}
