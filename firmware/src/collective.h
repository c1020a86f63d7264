/* Which collective of its communicator a call is. All ranks count alike; messages carry the number, the
 * count and the shape of the call, and the engine takes none of another collective. One that fails breaks
 * the communicator until its ranks have agreed to go on (recover.c). */

#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "engine.h"

/* The collectives of a communicator. It outlives a reset. */
struct series {
	uint32_t context; /* of their messages; 0: the place is free */
	uint32_t number; /* of the last one; the upper half counts agreements of the ranks */
	uint32_t comm; /* byte offset */
	uint32_t base; /* the number that they agreed on last: those up to it are obsolete */
	bool failed; /* one has */
	bool configured; /* the host has used the communicator since the last reset */
	bool unsure; /* since start or reset ranks have not agreed: they do so before the next collective */
};

/* What a rank's collective was that broke the communicator; code is what it failed with, if it has. */
struct failure {
	const struct series *series;
	uint32_t rank, number, count, shape, code;
};

/* Tags of notices: that of a failed collective is its return code. NOTICE_ASK says what a rank calls. */
enum { NOTICE_JOIN = 0, NOTICE_ASK = 0x40000000, NOTICE_REPLY = CCLO_RETURN_CODE_NOT_READY };

/* Of a wait, after which a rank asks; less where the limit is short. */
#define ASK_MILLISECONDS 250

/* The series of a context, which gets a place; NULL without room. */
struct series *series_of(uint32_t context);

/* Breaks a communicator; what broke it first stays. Remembered calls do not look at it: they are forgotten. */
void series_break(struct series *series, const struct failure *failure);

/* Series count on after a reset, but may not agree any more. */
void series_reset(void);

/* Refuses the call if its communicator is broken; gives it its number otherwise. */
void collective_begin(uint32_t shape);

/* Sets the move registers that say which collective messages belong to. */
static inline void collective_set(uint32_t number, uint32_t count, uint32_t shape)
{
	hw_write(CCLO_MOVE_COLLECTIVE_NUMBER_ADDRESS, number);
	hw_write(CCLO_MOVE_COLLECTIVE_COUNT_ADDRESS, count);
	hw_write(CCLO_MOVE_COLLECTIVE_SHAPE_ADDRESS, shape);
}

/* 0 is no number. */
static inline uint32_t series_next(struct series *series)
{
	uint32_t number = series->number + 1;

	number += number == 0;
	return series->number = number;
}

/* Whether the call is a collective that has begun. */
static inline bool is_numbered(const struct call *call) { return call->kind == KIND_COLLECTIVE && call->number != 0; }

/* Tells other ranks what a collective that waits for them is: they may wait for what it does not send. */
void collective_ask(const struct call *call);

/* The same once, when it is time. */
static inline void collective_waits(struct call *call)
{
	if (UNLIKELY(is_numbered(call)) && call->ask_at > ASKED && reached(call->ask_at)) {
		call->ask_at = ASKED;
		collective_ask(call);
	}
}

/* Ends the call: a message of the rank belongs to another collective. */
void collective_differs(uint32_t rank, uint32_t number, uint32_t count, uint32_t shape) __attribute__((noreturn));

/* Notes for the host why the call that runs has failed; and tells the other ranks of a collective. */
void collective_failed(void);

/* Takes the notices of other ranks. Leaves registers of moves alone. */
void notices_take(void);

/* Sends a notice to a rank of the call's communicator, which says this collective number, and waits until it
 * has left. */
void notice_send(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm);

/* All ranks of the call's communicator agree on a number above all that they have used. With resync, the
 * communicator's messages on their way are dropped. */
void ranks_agree(bool resync);

/* A rank takes part in an agreement, whose last number this was; false if there is none here. */
bool agreement_joined(const struct series *series, uint32_t rank, uint32_t tag, uint32_t number, uint32_t sequence);

/* Keeps what broke the communicator behind an agreement that is not finished here; false if there is none. */
bool agreement_fails(const struct failure *failure);

void agreements_reset(void);

/* The config function. */
void recover(void);

#endif
