/* Scratch buffers, for what is neither an operand nor a result. */

#ifndef SCRATCH_H
#define SCRATCH_H

#include "engine.h"

#if CCLO_FEATURE_RENDEZVOUS
#define SCRATCH_SLOTS CCLO_EXCHANGE_SCRATCH_COUNT
#else
#define SCRATCH_SLOTS 1
#endif

/* The last one accumulates; data lands in the others. */
#define ACCUMULATOR (SCRATCH_SLOTS - 1)

/* Whether the host has given any, how many elements of the call fit into its part of each, and
 * the one that a reduction accumulates in. */
bool scratch_configured(void);
uint32_t scratch_elements(void);
struct place scratch_accumulator(void);

#if CCLO_FEATURE_RENDEZVOUS
/* The call's part of one of them, and its address. */
void scratch(struct place *place, uint32_t slot);
uint64_t scratch_address(uint32_t slot);
#endif

#endif
