/* Queues of moves: owners, room, completion, errors. All waits of calls are here. */

#ifndef QUEUE_H
#define QUEUE_H

#include "task.h"

/* Waits until the condition holds. Fails with the error after the limit, and at once with the error of the
 * call's moves. */
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

/* Whether the call's queue has room for a move. */
static inline bool move_has_room(void)
{
	int8_t queue = engine.current->state.queue;

	return queue != NO_QUEUE && engine.room[queue] != 0;
}

/* Waits until all moves of the call have completed; fails with their error. */
void move_drain(void);

/* Ends the call when its moves have completed, without its stack. */
void move_finish(void) __attribute__((noreturn));

/* Marks a call as finishing: only its moves are waited for. */
void move_finishes(struct call *call);

/* Checks the moves of a finishing call: over when they have completed, failed with their error. */
void move_finishing(struct call *call);

/* Return code of a failed queue of the call, with source rank, tag and bytes of the move; 0 if none has failed. */
uint32_t move_failure(uint32_t *rank, uint32_t *tag, uint32_t *bytes);

/* Clears the error of the call's queue. */
void move_forgive(void);

/* Drops the moves of the call's queue and clears its error. */
void queue_restart(void);

/* Fails if a move of the call has failed. */
void move_check(void);

/* Allocates a queue for the call; waits for one. */
void queue_take(void);

/* Allocates a second queue if one is free, for moves that need not wait for those in the first; whether the call
 * has one. It is taken away again when another call has none, but not from moves that wait for another rank: for them
 * one more must be free, which is left to other calls. */
bool queue_take_second(bool leaves_one);

/* The queue of the call, allocated if it has none. */
static inline uint32_t queue_of_call(void)
{
	if (UNLIKELY(engine.current->state.queue == NO_QUEUE))
		queue_take();
	return (uint32_t)engine.current->state.queue;
}

/* Number of moves issued in the call's queue. */
uint32_t move_number(void);

/* Whether moves up to this number have completed. */
bool move_is_done(uint32_t number);

/* Waits until moves up to this number have completed. */
void move_wait(uint32_t number);

/* Number of completed moves of a queue, wrapping around. */
uint32_t move_completed(uint32_t queue);

/* Switches to the other queue of the call: moves of the two run side by side. */
void queue_change(void);

/* Timeout of one move in milliseconds: beyond the timeout of the data path itself. */
static inline uint32_t move_limit(void) { return 2 * engine.remote_limit + 1000; }

/* Queues in which the only open call may have moves when it is left to the fast path (engine.quick). */
#define FAST_QUEUES 3u

/* Makes the call of the fast path own the queues in which it has moves, and finishing in them. */
void queue_settle_fast(struct call *call);

/* Waits until moves left in queues by ended calls have completed, or for move_limit. */
void queues_settle(void);

/* Frees the queues of a call; outstanding moves are dropped. */
void queue_give_back(struct call *call);

void queue_await_room(void);

/* Waits until the call's queue has room for a move; allocates a queue if the call has none. */
static inline void move_make_room(void)
{
	if (UNLIKELY(engine.room[queue_of_call()] == 0))
		queue_await_room();
}

#endif
