/* Calls as tasks: each has a stack of its own, waits by handing the processor
 * on, and ends by returning or failing. */

#ifndef TASK_H
#define TASK_H

#include "engine.h"

/* The call that runs. */
#define self (engine.current)

/* Lets others run; returns after something has happened that may matter. */
void task_pause(void);

/* The same for what another call has, and gives back without an event: a queue of
 * moves, a window, scratch buffers, its turn. */
void task_stand_by(void);

/* Ends the call with these bits of the return code. */
void task_fail(uint32_t error) __attribute__((noreturn));

void task_limit(uint32_t milliseconds_from_now);

/* Ends the call with the bits of the return code so far. */
void task_done(void) __attribute__((noreturn));

/* Part of a call, of what it is given; it does not return. */
typedef void task_part(void *what);

/* In start.S: runs a part on a stack that ends here. */
void task_begin(void *what, uint32_t *top, task_part *run) __attribute__((noreturn));

/* Runs the rest of the call where its stack begins: nothing that is there is needed. */
void task_anew(void *what, task_part *run) __attribute__((noreturn));

/* The stack of a call that goes on with the rest when it has its turn: it does not return. */
uint32_t *task_stack(const struct call *call, void (*rest)(void));

/* Sets the stacks up. */
void task_init(void);

/* Leaves the stack for good, for the scheduler. */
void task_leave(void) __attribute__((noreturn));

/* The same limit for a wait of any call. */
void task_limit_of(struct call *call, uint32_t milliseconds_from_now);

/* A limit if no other call is open. */
static inline void task_limit_first(struct call *call, uint32_t milliseconds_from_now)
{
	uint32_t deadline = milliseconds() + milliseconds_from_now;

	call->deadline = deadline;
	engine.alarm = deadline;
	engine.alarms = ALARMED;
	hw_write(CCLO_SYSTEM_ALARM_ADDRESS, deadline);
}

/* Sets the alarm anew, for the first of the calls' waits to end. */
void task_alarm(void);

/* Sleeps in a register, system.next or system.sleep, until something happens or a wait
 * ends (layout wake). */
static inline __attribute__((always_inline)) uint32_t task_sleep(uint32_t how)
{
	uint32_t wake;

	if (UNLIKELY(engine.alarms & (engine.open == 0 ? ALARMED | RANG : RANG)))
		task_alarm();
	wake = hw_read(how);
	if (UNLIKELY(wake & CCLO_WAKE_TABLES_MASK))
		tables_changed();
	if (UNLIKELY((wake & ~CCLO_WAKE_TABLES_MASK) == 0))
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

/* Answers the call of a ticket. */
void task_answer(uint32_t ticket, uint32_t code);

/* The same for any call that is open, when the scheduler comes to it. */
void task_fail_of(struct call *call, uint32_t error);

#endif
