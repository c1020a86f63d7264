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

/* Ends the call with these bits of the return code, and what it holds. */
void task_fail(uint32_t error) __attribute__((noreturn));

/* Waits until the condition holds; fails with the error after the limit, and at
 * once with that of the call's moves. */
#define TASK_WAIT(condition, limit_milliseconds, error) \
	do {                                                \
		task_limit(limit_milliseconds);                 \
		while (!(condition))                            \
			task_wait(error);                           \
		self->timed = false;                            \
	} while (0)

void task_wait(uint32_t error);

void task_limit(uint32_t milliseconds_from_now);

/* Begins a call on its stack. */
void task_start(struct call *call);

/* Lets every call run until it waits; what waits for time sets the alarm. */
void task_run_all(void);

/* Answers a call that is open, and frees what it holds. */
void task_end(struct call *call, uint32_t code);

#endif
