/* Access to registers and to the exchange memory. */

#ifndef HW_H
#define HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cclo_abi.h"

#define LIKELY(condition)   __builtin_expect((condition) != 0, 1)
#define UNLIKELY(condition) __builtin_expect((condition) != 0, 0)

static inline uint32_t hw_read(uint32_t address) { return *(volatile uint32_t *)address; }

static inline void hw_write(uint32_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

static inline void hw_write64(uint32_t address, uint64_t value)
{
	hw_write(address, (uint32_t)value);
	hw_write(address + 4, (uint32_t)(value >> 32));
}

static inline uint64_t hw_read64(uint32_t address)
{
	uint32_t low = hw_read(address); /* holds the high word where that matters */
	return ((uint64_t)hw_read(address + 4) << 32) | low;
}

/* Exchange memory: offsets are those of the host. */
#define EXCHANGE(offset) ((offset) - CCLO_EXCHANGE_BASE + CCLO_EXCHANGE_PROCESSOR_BASE)

static inline uint32_t exchange_read(uint32_t offset) { return hw_read(EXCHANGE(offset)); }

/* A word of the call that was taken last. */
#define CALL_WORD(name) hw_read(CCLO_CALL_WINDOW_WORDS_ADDRESS + offsetof(struct cclo_call, name))

/* A table's part of the exchange memory is whole words below the fixed words. */
static inline bool exchange_holds(uint32_t offset, uint32_t bytes)
{
	uint32_t below = CCLO_EXCHANGE_TABLE_LIMIT - offset; /* wraps around if there is nothing below */

	return (offset & 3) == 0 && below <= CCLO_EXCHANGE_TABLE_LIMIT - CCLO_EXCHANGE_BASE && bytes <= below;
}

/* FIELD(MOVE_CONTROL_OP0, x): x at its place in a word. */
#define FIELD(name, value)     (((uint32_t)(value) << CCLO_##name##_SHIFT) & CCLO_##name##_MASK)
#define FIELD_OF(name, word)   (((word) & CCLO_##name##_MASK) >> CCLO_##name##_SHIFT)

static inline uint32_t milliseconds(void) { return hw_read(CCLO_TIMERS_MILLISECONDS_ADDRESS); }

/* Time wraps around: only differences mean something. */
static inline bool reached(uint32_t deadline) { return (int32_t)(milliseconds() - deadline) >= 0; }

#endif
