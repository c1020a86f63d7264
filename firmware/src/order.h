/* The order of calls: which may overtake others. */

#ifndef ORDER_H
#define ORDER_H

#include "engine.h"

/* Waits for earlier calls that this one must not overtake. */
void order_wait_for_others(void);

/* Sets kind and tag of the call, then waits for those. */
static inline void order_wait(enum call_kind kind, uint32_t tag)
{
	struct call *call = engine.current;

	call->kind = kind;
	call->tag = tag;
	if (engine.open != call->bit)
		order_wait_for_others();
}

#endif
