/* The operations, one function each. They run as tasks: they return when the
 * call is done, or fail. */

#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "engine.h"

/* Checks the call and runs its operation. */
void operation_run(struct call *call);

#define OPERATION(name, code, shape) void name(struct call *call);
CCLO_OPERATIONS(OPERATION)
#undef OPERATION

/* The fast path: issues the move of the call in the call window if it is a copy, combine, send or recv in plain
 * device memory; the call is finishing then. No other call may be open. */
bool express(uint32_t operation);

/* After express has failed: loads the communicator and elements of the call; true to try again. */
bool express_other(uint32_t operation);

#if CCLO_FEATURE_RENDEZVOUS
/* Waits for the window of a fast receive; returns the wake word. */
uint32_t express_window(void);
#else
static inline uint32_t express_window(void) { return 0; }
#endif

/* Makes the fast call an ordinary one: it is no longer alone, or its move has failed. */
void express_settle(void);

#define EXPRESS_OPERATIONS \
	(1u << CCLO_OPERATION_COPY | 1u << CCLO_OPERATION_COMBINE | 1u << CCLO_OPERATION_SEND | 1u << CCLO_OPERATION_RECV)

/* Resets the state of the engine (config.c). */
void reset_engine(void);

#endif
