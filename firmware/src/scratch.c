#pragma GCC optimize("Os") /* memory is short */

#include "scratch.h"

#include "move.h"
#include "task.h"

#if CCLO_FEATURE_RENDEZVOUS

/* Scratch buffers, as the host has configured them when tables had this version. */
static struct {
	uint32_t version;
	bool configured;
	uint64_t address[SCRATCH_SLOTS];
} scratches;

__attribute__((cold)) static void scratch_read(void)
{
	for (uint32_t i = 0; i < SCRATCH_SLOTS; i++)
		scratches.address[i] = hw_read64(CCLO_EXCHANGE_SCRATCH_ADDRESS + i * CCLO_EXCHANGE_SCRATCH_BYTES);
	scratches.configured = engine.max_rendezvous != 0 && scratches.address[1] != scratches.address[0] &&
	                       scratches.address[2] != scratches.address[0];
	scratches.version = engine.tables;
}

bool scratch_configured(void)
{
	if (UNLIKELY(scratches.version != engine.tables))
		scratch_read();
	return scratches.configured;
}

/* Each queue of moves, and so the call that has it, owns a part of every scratch
 * buffer: calls need not wait for each other's. */
static uint32_t scratch_bytes(void)
{
	return engine.max_rendezvous / QUEUES - engine.max_rendezvous / QUEUES % CCLO_BEAT_BYTES;
}

uint32_t scratch_elements(void)
{
	uint32_t elements = elements_in(scratch_bytes());

	return elements - elements % (1u << self->ratio_log); /* whole packed ones */
}

uint64_t scratch_address(uint32_t slot)
{
	if (!scratch_configured())
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	return scratches.address[slot] + (uint64_t)queue_of_call() * scratch_bytes();
}

void scratch(struct place *place, uint32_t slot)
{
	uint64_t address = scratch_address(slot);

	place->low = (uint32_t)address;
	place->high = (uint32_t)(address >> 32);
	place->form = PLAIN_MEMORY;
}

struct place scratch_accumulator(void)
{
	struct place place;

	scratch(&place, ACCUMULATOR);
	return place;
}

#else

bool scratch_configured(void) { return false; }

uint32_t scratch_elements(void) { return 0; }

struct place scratch_accumulator(void) { task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH); }

#endif
