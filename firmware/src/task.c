#include "task.h"

#include "move.h"
#include "operations.h"
#include "window.h"

#define STACK_GUARD 0x5AC0FFEEu

void task_switch(uint32_t **from, uint32_t *to);

static void answer(const struct call *call, uint32_t code)
{
#ifdef CCLO_EXCHANGE_PERFORMANCE_COUNTER_ADDRESS
	hw_write(CCLO_EXCHANGE_PERFORMANCE_COUNTER_ADDRESS, hw_read(CCLO_TIMERS_CYCLES_ADDRESS) - call->started);
#endif
	hw_write(CCLO_EXCHANGE_RETURN_CODE_ADDRESS, code);
	hw_write(CCLO_CALLS_TICKET_ADDRESS, call->ticket);
	hw_write(CCLO_CALLS_ANSWER_ADDRESS, code);
}

void task_end(struct call *call, uint32_t code)
{
	queue_give_back(call);
	windows_shut(call);
	if (call != &engine.dropped)
		engine.open &= ~call_bit(call);
	engine.given_back = true;
	answer(call, code);
}

void task_pause(void)
{
	struct call *call = self;

	task_switch(&call->sp, engine.scheduler_sp);
}

void task_stand_by(void)
{
	engine.standing_by = true;
	task_pause();
}

void task_fail(uint32_t error)
{
	self->error |= error;
	task_end(self, self->error);
	task_pause(); /* a call that has ended is never resumed */
	__builtin_unreachable();
}

static void task_main(void)
{
	operation_run(self);
	task_end(self, self->error);
	task_pause();
}

static void resume(struct call *call)
{
	engine.current = call;
	task_switch(&engine.scheduler_sp, call->sp);
	engine.current = NULL;
	if (engine.stacks[call - engine.calls][0] != STACK_GUARD)
		__builtin_trap();
}

void task_start(struct call *call)
{
	uint32_t *stack = engine.stacks[call - engine.calls];
	uint32_t *sp = stack + STACK_WORDS - 16; /* the frame that task_switch takes down */

	stack[0] = STACK_GUARD;
	sp[0] = (uint32_t)task_main;
	call->sp = sp;
	engine.open |= call_bit(call);
	call->timed = false;
	call->queue = call->other_queue = NO_QUEUE;
	call->windows = 0;
	resume(call);
}

void task_limit(uint32_t limit)
{
	self->deadline = milliseconds() + limit;
	self->timed = true;
}

void task_wait(uint32_t error)
{
	move_check();
	if (reached(self->deadline))
		task_fail(error);
	task_pause();
}

void task_run_all(void)
{
	uint32_t now = milliseconds();
	uint32_t soonest = 0x3FFFFFFF; /* half a wrap at most: differences stay signed */

	for (uint32_t set = engine.open; set != 0;) {
		struct call *call = &engine.calls[next_in(&set)];

		resume(call);
		if ((engine.open & call_bit(call)) && call->timed) {
			int32_t left = (int32_t)(call->deadline - now);

			if (left < 0)
				left = 0;
			if ((uint32_t)left < soonest)
				soonest = (uint32_t)left;
		}
	}
	hw_write(CCLO_SYSTEM_ALARM_ADDRESS, now + soonest);
}
