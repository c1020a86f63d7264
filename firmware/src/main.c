/* Takes calls, lets them run, sleeps. */

#include "operations.h"
#include "task.h"

struct engine engine;

static struct call *free_call(void)
{
	uint32_t free = ~engine.open;

	return free != 0 ? &engine.calls[next_in(&free)] : NULL;
}

static bool is_reset(const struct call *call)
{
	return call->words.scenario == CCLO_OPERATION_CONFIG &&
	       call->words.function_code == CCLO_CONFIG_FUNCTION_RESET_PERIPH;
}

/* Fills in the oldest waiting call; false if none waits. */
static bool take(struct call *call)
{
	uint32_t ticket = hw_read(CCLO_CALLS_TAKE_ADDRESS);
	uint32_t *words = (uint32_t *)&call->words;

	if (ticket == 0)
		return false;
	call->ticket = ticket;
	call->order = engine.next_order++;
	call->started = hw_read(CCLO_TIMERS_CYCLES_ADDRESS);
	call->error = 0;
	for (uint32_t i = 0; i < CCLO_CALL_WORDS; i++)
		words[i] = hw_read(CCLO_CALL_WINDOW_WORDS_ADDRESS + 4 * i);
	return true;
}

/* A reset drops every call before it, answers them all, then itself. */
static void reset_requested(void)
{
	struct call *call = &engine.dropped; /* there may be no free one */

	for (uint32_t set = engine.open; set != 0;)
		task_end(&engine.calls[next_in(&set)], CCLO_RETURN_CODE_NOT_READY);
	call->queue = call->other_queue = NO_QUEUE;
	for (uint32_t i = 0; i <= CCLO_CALL_STATUS_WAITING_MASK && take(call); i++) {
		if (is_reset(call)) {
			reset_engine();
			task_end(call, 0);
			return;
		}
		task_end(call, CCLO_RETURN_CODE_NOT_READY);
	}
}

static void accept(void)
{
	for (uint32_t i = 0; i < CALLS; i++) {
		uint32_t status = hw_read(CCLO_CALLS_STATUS_ADDRESS);
		struct call *call;

		if (status == 0)
			return;
		call = free_call();
		if (status & CCLO_CALL_STATUS_RESET_REQUESTED_MASK) {
			reset_requested();
			continue;
		}
		if (call == NULL || !take(call))
			return;
		task_start(call);
	}
}

void cclo_main(void)
{
	engine.capabilities = hw_read(CCLO_SYSTEM_HARDWARE_ID_ADDRESS);
	hw_write(CCLO_EXCHANGE_HARDWARE_ID_ADDRESS, engine.capabilities);
	reset_engine();
	for (;;) {
		engine.standing_by = engine.given_back = false;
		accept();
		task_run_all();
		/* What was given back may be what a call waits for that ran before. */
		if (engine.standing_by && engine.given_back)
			continue;
		/* Calls may have ended and made room for those that wait. */
		if (hw_read(CCLO_CALLS_STATUS_ADDRESS) == 0 || free_call() == NULL)
			(void)hw_read(CCLO_SYSTEM_SLEEP_ADDRESS);
	}
}
