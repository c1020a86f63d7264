/* Queues of moves: who has them, whether they take moves, have completed or failed them. Calls wait here. */

#ifndef QUEUE_H
#define QUEUE_H

#include "task.h"

/* Waits until the condition holds; fails with the error after the limit, and at
 * once with that of the call's moves. */
#define AWAIT(condition, limit_milliseconds, error) \
	do { \
		if (condition) \
			break; \
		task_limit(limit_milliseconds); \
		do \
			queue_wait(error); \
		while (!(condition)); \
		self->state.timed = false; \
	} while (0)

void queue_wait(uint32_t error);

/* Whether the call's queue takes a move at once. */
static inline bool move_has_room(void)
{
	int8_t queue = engine.current->state.queue;

	return queue != NO_QUEUE && engine.room[queue] != 0;
}

/* Waits until all moves of the call have completed; fails with their error. */
void move_drain(void);

/* The same, and ends the call. It must have one queue at most. */
void move_finish(void) __attribute__((noreturn));

/* Says so of a call. */
void move_finishes(struct call *call);

/* Whether the moves of a call that is finishing have ended, or fail: it is over then. */
void move_finishing(struct call *call);

/* Bits of the return code that a queue of the call has failed with, and what the move was about: the rank it
 * took from, tag, bytes; or 0. */
uint32_t move_failure(uint32_t *rank, uint32_t *tag, uint32_t *bytes);

/* The call's queue takes moves again after one has failed. */
void move_forgive(void);

/* The same, and drops those that it has. */
void queue_restart(void);

/* Fails with the error of the call's moves, if they have one. */
void move_check(void);

/* Takes a queue for the call. */
void queue_take(void);

/* Takes a second one, if one is free, and says whether the call has one: for moves
 * that need not wait for those in the first. It is taken back when another call has none. */
bool queue_take_second(void);

/* The queue of the call, which it takes if it has none. */
static inline uint32_t queue_of_call(void)
{
	if (UNLIKELY(engine.current->state.queue == NO_QUEUE))
		queue_take();
	return (uint32_t)engine.current->state.queue;
}

/* The number of moves that the call's queue has been given. */
uint32_t move_number(void);

/* Whether the move with this number, and those before, have completed. */
bool move_is_done(uint32_t number);

/* Waits until the move with this number, and those before, have completed. */
void move_wait(uint32_t number);

/* Moves that a queue has done with, wrapping around. */
uint32_t move_completed(uint32_t queue);

/* Changes to the other queue of the call: moves of the two go side by side. */
void queue_change(void);

/* The data plane limits what it waits for itself; here is a second limit, for each
 * move anew, and what is left of those waits then. */
static inline uint32_t move_limit(void) { return 2 * engine.remote_limit + 1000; }

/* Waits until moves that ended calls have left in queues are done, or their limit is over. */
void queues_settle(void);

/* Gives the queues of a call back; moves that have not completed are dropped. */
void queue_give_back(struct call *call);

void queue_await_room(void);

/* Waits until the call's queue takes a move; the call gets a queue if it has none. */
static inline void move_make_room(void)
{
	if (UNLIKELY(engine.room[queue_of_call()] == 0))
		queue_await_room();
}

#endif
