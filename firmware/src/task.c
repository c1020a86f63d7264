#include "task.h"

struct engine engine;

#define STACK_GUARD 0x5AC0FFEEu

#define SWITCH_WORDS 16 /* of a saved stack, for task_resume; the first is the return address */

#define FAR         0x3FFFFFFFu /* half of what differences of times can be */

/* Saves callee-saved registers on the stack and enters the scheduler (start.S). */
void task_switch(uint32_t **sp);

void task_answer(uint32_t ticket, uint32_t code)
{
	hw_write(CCLO_CALLS_TICKET_ADDRESS, ticket);
	task_answer_next(code);
}

extern uint32_t scheduler_stack[]; /* cclo.ld */

/* At each switch, to a call and back: a stack that was full has overwritten others. */
static void check_stack(const struct call *call)
{
	if (engine.stacks[call - engine.calls][0] != STACK_GUARD || scheduler_stack[0] != STACK_GUARD)
		__builtin_trap();
}

uint32_t *task_stack(const struct call *call, void (*rest)(void))
{
	uint32_t *sp = engine.stacks[call - engine.calls] + STACK_WORDS - SWITCH_WORDS;

	sp[0] = (uint32_t)rest;
	return sp;
}

/* The scheduler ends the call. */
void task_done(void)
{
	struct call *call = self;

	check_stack(call);
	call->state.finishing = call->state.over = true;
	engine.round |= call->bit;
	task_leave();
}

void task_fail_of(struct call *call, uint32_t error)
{
	call->error |= error;
	call->state.finishing = call->state.over = true;
}

void task_fail(uint32_t error)
{
	self->error |= error;
	task_done();
}

void task_anew(void *what, task_part *run)
{
	uint32_t *top = engine.stacks[0] + STACK_WORDS;

	if (UNLIKELY(self != engine.calls))
		top += (self - engine.calls) * STACK_WORDS;
	task_begin(what, top, run);
}

__attribute__((cold)) void task_init(void)
{
	for (uint32_t i = 0; i < CALLS; i++) {
		engine.calls[i].bit = 1u << i;
		engine.stacks[i][0] = STACK_GUARD;
	}
	scheduler_stack[0] = STACK_GUARD;
	engine.alarms = RANG;
}

static void set_alarm(uint32_t time)
{
	engine.alarm = time;
	hw_write(CCLO_SYSTEM_ALARM_ADDRESS, time);
}

/* The next time at which a call needs attention without an event: its deadline, or when it asks others. */
static uint32_t next_look(const struct call *call)
{
	if (is_numbered(call) && call->ask_at != 0 && (int32_t)(call->deadline - call->ask_at) > 0)
		return call->ask_at;
	return call->deadline;
}

void task_limit_of(struct call *call, uint32_t limit)
{
	uint32_t now = milliseconds(), next;

	call->deadline = now + limit;
	call->state.timed = true;
	if (UNLIKELY(is_numbered(call)) && call->ask_at == 0)
		call->ask_at = (now + engine.ask_limit) | 1;
	next = next_look(call);
	if ((engine.alarms & ALARMED) == 0 || (int32_t)(engine.alarm - next) > 0)
		set_alarm(next);
	engine.alarms |= ALARMED;
}

void task_limit(uint32_t limit) { task_limit_of(self, limit); }

/* Milliseconds until the earliest of these times. */
__attribute__((noinline, cold)) static uint32_t soonest_end(uint32_t now)
{
	uint32_t soonest = FAR;

	for (const struct call *call = engine.calls; call != engine.calls + CALLS; call++) {
		int32_t left = (int32_t)(next_look(call) - now);

		if ((engine.open & call->bit) == 0 || !call->state.timed)
			continue;
		engine.alarms = ALARMED;
		if (left < 0)
			left = 0;
		if ((uint32_t)left < soonest)
			soonest = (uint32_t)left;
	}
	return soonest;
}

/* Sets the alarm after it has come, or is not needed any more. */
void task_alarm(void)
{
	uint32_t now = milliseconds();

	engine.alarms = 0;
	set_alarm(now + (engine.open != 0 ? soonest_end(now) : FAR));
}

/* Wake reasons that are for the scheduler. */
#define OTHERS (CCLO_WAKE_TAKEN_MASK | CCLO_WAKE_RESET_REQUESTED_MASK | CCLO_WAKE_EVENT_NETWORK)

/* Sleeps here if no other call is open; otherwise the scheduler does. */
void task_pause(void)
{
	struct call *call = self;

	if (engine.open == call->bit) {
		uint32_t wake = task_sleep(CCLO_SYSTEM_NEXT_ADDRESS);

		if (LIKELY((wake & OTHERS) == 0 && (wake & CCLO_WAKE_EVENTS_MASK) != 0))
			return;
		engine.wake = wake & ~CCLO_WAKE_AT_REST_MASK; /* the alarm is no reason for the scheduler */
		engine.round |= call->bit;
	}
	check_stack(call);
	engine.switches++;
	task_switch(&call->sp);
}

void task_stand_by(void)
{
	engine.standing_by = true;
	task_pause();
}
