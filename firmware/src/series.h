/* Series: the collectives of a communicator, by their numbers, and what broke it. */

#ifndef SERIES_H
#define SERIES_H

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

/* The series of a context, which gets a place; NULL without room. */
struct series *series_of(uint32_t context);

/* Breaks a communicator; what broke it first stays. Remembered calls do not look at it: they are forgotten. */
void series_break(struct series *series, const struct failure *failure);

/* The same by a message of a rank. */
void series_break_by(struct series *series, uint32_t rank, uint32_t number, uint32_t count, uint32_t shape);

/* What broke a communicator; NULL if that is not known any more. */
struct failure *failure_of(const struct series *series);

/* Series count on after a reset, but may not agree any more. */
void series_reset(void);

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

/* Ends the call: a message of the rank belongs to another collective. */
void series_differs(uint32_t rank, uint32_t number, uint32_t count, uint32_t shape) __attribute__((noreturn));

#endif
