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

/* Issues the move of the call in the window, if it is a simple one of the usual kind:
 * it is finishing then. No other call may be open. */
bool express(uint32_t operation);

/* If it has not, although it may: says whether it is to be tried again. */
bool express_other(uint32_t operation);

#if CCLO_FEATURE_RENDEZVOUS
/* Waits for the window of such a call; says what has woken the processor. */
uint32_t express_window(void);
#else
static inline uint32_t express_window(void) { return 0; }
#endif

/* Makes the call that runs one of those if it is alone and its moves are in the first queue: it does
 * not return then. */
void express_again(void);

/* That call is no longer alone, or its move fails: makes it one like others. */
void express_settle(void);

#define EXPRESS_OPERATIONS \
	(1u << CCLO_OPERATION_COPY | 1u << CCLO_OPERATION_COMBINE | 1u << CCLO_OPERATION_SEND | 1u << CCLO_OPERATION_RECV)

/* Clears everything: see config.c. */
void reset_engine(void);

#endif
