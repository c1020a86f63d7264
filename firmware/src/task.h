/* Calls as tasks: each has a stack of its own, waits by handing the processor
 * on, and ends by returning or failing. */

#ifndef TASK_H
#define TASK_H

#include "engine.h"

/* The call that runs. */
#define self (engine.current)

/* Gives the processor to other calls until an event that may matter to this one. */
void task_pause(void);

/* Gives the processor to other calls until one of them has freed a resource, for which there is no event: a queue
 * of moves, a window, scratch buffers, its place in the order. */
void task_stand_by(void);

/* Ends the call with these bits of the return code. */
void task_fail(uint32_t error) __attribute__((noreturn));

/* Sets the deadline of the next wait. */
void task_limit(uint32_t milliseconds_from_now);

/* Ends the call with the bits of the return code so far. */
void task_done(void) __attribute__((noreturn));

/* A part of a call, with its argument. It does not return. */
typedef void task_part(void *what);

/* Runs a part on an empty stack with this top (start.S). */
void task_begin(void *what, uint32_t *top, task_part *run) __attribute__((noreturn));

/* Runs the rest of the call on its own stack, emptied: nothing on it is needed any more. */
void task_anew(void *what, task_part *run) __attribute__((noreturn));

/* Prepares the stack of a call so that it continues with rest, which does not return. */
uint32_t *task_stack(const struct call *call, void (*rest)(void));

/* Initializes the stacks. */
void task_init(void);

/* Enters the scheduler; the stack of the call is not used again. */
void task_leave(void) __attribute__((noreturn));

/* Sets the deadline of any open call. */
void task_limit_of(struct call *call, uint32_t milliseconds_from_now);

/* Sets the deadline of the only open call. */
static inline void task_limit_first(struct call *call, uint32_t milliseconds_from_now)
{
	uint32_t deadline = milliseconds() + milliseconds_from_now;

	call->deadline = deadline;
	engine.alarm = deadline;
	engine.alarms = ALARMED;
	hw_write(CCLO_SYSTEM_ALARM_ADDRESS, deadline);
}

/* Sets the alarm to the earliest deadline of all calls. */
void task_alarm(void);

/* Sleeps in a read of system.next or system.sleep until an event or the alarm. Result: layout wake. */
static inline __attribute__((always_inline)) uint32_t task_sleep(uint32_t how)
{
	uint32_t wake;

	if (UNLIKELY(engine.alarms & (engine.open == 0 ? ALARMED | RANG : RANG)))
		task_alarm();
	wake = hw_read(how);
	if (UNLIKELY(wake & CCLO_WAKE_TABLES_MASK))
		tables_changed();
	if (UNLIKELY((wake & ~(CCLO_WAKE_TABLES_MASK | CCLO_WAKE_AT_REST_MASK)) == 0))
		engine.alarms |= RANG;
	return wake;
}

/* Answers the call whose ticket is the next to be answered. */
static inline void task_answer_next(uint32_t code)
{
#ifdef CCLO_EXCHANGE_PERFORMANCE_COUNTER_ADDRESS
	hw_write(CCLO_EXCHANGE_PERFORMANCE_COUNTER_ADDRESS, hw_read(CCLO_CALLS_CYCLES_ADDRESS));
#endif
	hw_write(CCLO_EXCHANGE_RETURN_CODE_ADDRESS, code);
	hw_write(CCLO_CALLS_ANSWER_ADDRESS, code);
}

/* Answers the call with this ticket. */
void task_answer(uint32_t ticket, uint32_t code);

/* Marks an open call as failed; the scheduler ends it when it comes to it. */
void task_fail_of(struct call *call, uint32_t error);

#endif
