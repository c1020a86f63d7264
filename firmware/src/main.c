/* Takes calls, lets them run, sleeps. */

#include "move.h"
#include "operations.h"
#include "task.h"

struct engine engine;

/* In start.S: goes to task_main on a stack that ends here; goes on where task_switch
 * has left a stack. */
void task_begin(uint32_t *top) __attribute__((noreturn));
void task_resume(uint32_t *sp) __attribute__((noreturn));

void scheduler(void) __attribute__((noreturn));

/* The call in the window. */
static bool is_reset(void)
{
	return CALL_WORD(scenario) == CCLO_OPERATION_CONFIG && CALL_WORD(function_code) == CCLO_CONFIG_FUNCTION_RESET_PERIPH;
}

/* A reset drops every call before it, answers them all, then itself. */
__attribute__((noinline, cold)) static void reset_requested(void)
{
	uint32_t ticket;

	for (uint32_t set = engine.open; set != 0;)
		task_end(&engine.calls[next_in(&set)], CCLO_RETURN_CODE_NOT_READY);
	for (uint32_t i = 0; i <= CCLO_CALL_STATUS_WAITING_MASK && (ticket = hw_read(CCLO_CALLS_TAKE_ADDRESS)) != 0; i++) {
		if (is_reset()) {
			reset_engine();
			task_answer(ticket, 0);
			return;
		}
		task_answer(ticket, CCLO_RETURN_CODE_NOT_READY);
	}
}

/* Begins the call in the window. Simple ones need no stack. */
static void begin(uint32_t operation)
{
	uint32_t ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	uint32_t free = ~engine.open, i = 0;
	struct call *call = engine.calls;

	if (operation == CCLO_OPERATION_NOP) {
		task_answer(ticket, 0);
		return;
	}
	if (free != 0xFFFFFFFF) {
		i = next_in(&free);
		call += i;
	}
	call->ticket = ticket;
	call->order = engine.next_order++;
	call->error = 0;
	call->state = (struct call_state){ .queue = NO_QUEUE, .other_queue = NO_QUEUE };
	call->windows = 0;
	engine.open |= call->bit;
	if (engine.open == 1 && express(call, operation))
		return;
	call->words.scenario = operation;
	engine.current = call;
	task_begin(engine.stacks[i] + STACK_WORDS);
}

/* Lets a call go on; returns if it is finishing. */
static inline void resume(struct call *call)
{
	if (call->state.finishing) {
		move_finishing(call);
		return;
	}
	engine.current = call;
	task_resume(call->sp);
}

/* Where there is no room for another call, none is taken, but a reset must be seen. */
__attribute__((noinline, cold)) static uint32_t sleep_when_full(void)
{
	if (hw_read(CCLO_CALLS_STATUS_ADDRESS) & CCLO_CALL_STATUS_RESET_REQUESTED_MASK)
		return CCLO_WAKE_RESET_REQUESTED_MASK;
	return task_sleep(CCLO_SYSTEM_SLEEP_ADDRESS);
}

/* Waits for what comes next, unless a call that slept has seen it already. */
static inline uint32_t next(void)
{
	uint32_t wake = engine.wake;

	if (wake != 0) {
		engine.wake = 0;
		return wake;
	}
	return engine.open != 0xFFFFFFFF ? task_sleep(CCLO_SYSTEM_NEXT_ADDRESS) : sleep_when_full();
}

/* Has no state on its stack: calls that wait or end come here, to its beginning. */
void scheduler(void)
{
	engine.current = NULL;
	for (;;) {
		uint32_t round = engine.round & engine.open, wake;

		if (round != 0) {
			struct call *call = engine.calls;

			if (round != 1)
				call += next_in(&round);
			else
				round = 0;
			engine.round = round;
			resume(call);
			continue;
		}
		/* What was given back may be what a call waits for. */
		if (engine.standing_by && engine.given_back) {
			engine.standing_by = engine.given_back = false;
			engine.round = engine.open;
			continue;
		}
		wake = next();
		if (wake & CCLO_WAKE_RESET_REQUESTED_MASK)
			reset_requested();
		if (wake & CCLO_WAKE_TAKEN_MASK) {
			engine.round = wake & (CCLO_WAKE_EVENTS_MASK & ~CCLO_WAKE_EVENT_CALL) ? engine.open : 0;
			begin(wake >> CCLO_WAKE_OPERATION_SHIFT);
		} else {
			engine.round = engine.open;
		}
	}
}

void cclo_main(void)
{
	engine.capabilities = hw_read(CCLO_SYSTEM_HARDWARE_ID_ADDRESS);
	hw_write(CCLO_EXCHANGE_HARDWARE_ID_ADDRESS, engine.capabilities);
	engine.remote_limit = hw_read(CCLO_TIMERS_REMOTE_MILLISECONDS_ADDRESS);
	task_init();
	reset_engine();
	task_leave();
}
