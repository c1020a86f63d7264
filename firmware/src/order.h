/* Which calls may overtake others. */

#ifndef ORDER_H
#define ORDER_H

#include "engine.h"

/* Waits until no earlier call is open that this one must not overtake. */
void order_wait(enum call_kind kind, uint32_t tag);

#endif
