/* Scratch buffers: memory of the host's choice for data that is neither operand nor result. */

#ifndef SCRATCH_H
#define SCRATCH_H

#include "engine.h"

#if CCLO_FEATURE_RENDEZVOUS
#define SCRATCH_SLOTS CCLO_EXCHANGE_SCRATCH_COUNT
#else
#define SCRATCH_SLOTS 1
#endif

/* The last one is the accumulator of reductions; the others are windows. */
#define ACCUMULATOR (SCRATCH_SLOTS - 1)

/* Whether the host has configured any; elements of the call's part of each; the accumulator. */
bool scratch_configured(void);
uint32_t scratch_elements(void);
struct place scratch_accumulator(void);

#if CCLO_FEATURE_RENDEZVOUS
/* The call's part of a buffer, and its address. */
void scratch(struct place *place, uint32_t slot);
uint64_t scratch_address(uint32_t slot);
#endif

#endif
