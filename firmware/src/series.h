/* Series: numbers of the collectives of a communicator, and the failure that broke it. */

#ifndef SERIES_H
#define SERIES_H

#include "engine.h"

/* The collectives of a communicator. It outlives a reset. */
struct series {
	uint32_t context; /* of their messages; 0: the place is free */
	uint32_t number; /* of the last one; the upper half counts agreements of the ranks */
	uint32_t comm; /* byte offset */
	uint32_t base; /* last number agreed on: collectives up to it are obsolete */
	bool failed; /* a collective has failed */
	bool configured; /* the host has used the communicator since the last reset */
	bool unsure; /* ranks have not agreed since start or reset: they do so before the next collective */
	bool resynced; /* when they agreed, they dropped all messages in flight */
};

/* The collective of a rank that broke the communicator; code 0: it has not failed itself. */
struct failure {
	const struct series *series;
	uint32_t rank, number, count, shape, code;
};

/* The series of a context, allocated if new; NULL if there is no room. */
struct series *series_of(uint32_t context);

/* Breaks a communicator; the first failure is kept. Drops cached plans, which do not check for it. */
void series_break(struct series *series, const struct failure *failure);

/* The same for a message of another collective. */
void series_break_by(struct series *series, uint32_t rank, uint32_t number, uint32_t count, uint32_t shape);

/* The failure that broke a communicator; NULL if it is not known any more. */
struct failure *failure_of(const struct series *series);

/* After a reset numbers continue, but other ranks may have others. */
void series_reset(void);

/* Increments the number, leaving out 0. */
static inline uint32_t series_next(struct series *series)
{
	uint32_t number = series->number + 1;

	number += number == 0;
	return series->number = number;
}

/* Keeps what the collective is that has begun. */
static inline void series_keep(const struct series *series, uint32_t count, uint32_t shape)
{
	engine.begun[series->number % BEGUN] = (struct begun){ series, series->number, count, shape };
}

/* Fails the call: a message of the rank belongs to another collective. */
void series_differs(uint32_t rank, uint32_t number, uint32_t count, uint32_t shape) __attribute__((noreturn));

#endif
