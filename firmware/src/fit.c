/* How plans are fitted to calls with other operands, or other numbers of elements: settings that depend on them get
 * relocations, as code does that is loaded elsewhere. */

#include "plans.h"
#include "registers.h"

struct plans plans;

#define LONG 256 /* settings: more plans are worth more than what fits */

/* Bytes of all blocks for each element of the call, where this rank has them. */
static uint32_t bytes_of_blocks(const struct call *call, bool of_all, bool at_root)
{
	if (at_root && call->rank != call->words.root_src_dst)
		return 0;
	return call->plain_bytes * (of_all ? call->size : 1);
}

/* What a setting says that may differ between calls. */
enum { OTHER, LOW, HIGH, BYTES, COMPRESSED };

#define AT(name)      [WORD_OF(CCLO_MOVE_##name##_ADDRESS)]
#define ADDRESS(name) AT(name) = LOW, AT(name##_HIGH) = HIGH

/* By register. */
static const uint8_t kinds[REGISTER_WORDS] = {
	AT(BYTES) = BYTES, AT(COMPRESSED_BYTES) = COMPRESSED, ADDRESS(OP0_ADDRESS), ADDRESS(OP1_ADDRESS),
	ADDRESS(OP2_ADDRESS), ADDRESS(RESULT_ADDRESS), ADDRESS(KEPT_ADDRESS),
#if CCLO_FEATURE_RENDEZVOUS
	ADDRESS(REMOTE_ADDRESS),
#endif
};

static inline uint32_t kind_of(uint32_t address)
{
	uint32_t at = WORD_OF(address);

	if (at < sizeof(kinds))
		return kinds[at];
#if CCLO_FEATURE_RENDEZVOUS
	if (address == CCLO_RENDEZVOUS_ADDRESS_ADDRESS)
		return LOW;
	if (address == CCLO_RENDEZVOUS_ADDRESS_ADDRESS + 4)
		return HIGH;
#endif
	return OTHER;
}

#define NONE 0xFF

/* Finds the relocation of a setting, with by NONE if it needs none; false if the plan cannot be fitted with it. Its own
 * bytes are those of a block if the number of elements may differ, or 0. */
static bool find_relocation(const struct plan *plan, const struct setting *s, uint32_t block, struct relocation *r)
{
	const struct words *w = &plan->words;
	uint32_t offset;

	r->value = (uint16_t)((const char *)&s->value - (const char *)plan->first);
	r->by = NONE;
	r->blocks = 0;
	switch (kind_of(s->address)) {
	case LOW:
		if ((offset = s->value - w->addr_0_low) < w->count * plan->operand_bytes)
			r->by = offsetof(struct moved, operand);
		else if ((offset = s->value - w->addr_2_low) < w->count * plan->result_bytes)
			r->by = offsetof(struct moved, result);
		else
			return true; /* in scratch memory */
		if (block == 0)
			return true;
		r->blocks = (uint8_t)(offset / block);
		return r->blocks * block == offset;
	case HIGH:
		return s->value == (plan->operand_bytes != 0 ? w->addr_0_high : w->addr_2_high);
	case BYTES:
		if (block == 0 || s->value == 0)
			return true;
		r->by = offsetof(struct moved, bytes);
		return s->value == block;
	case COMPRESSED:
		if (block == 0)
			return true;
		r->by = offsetof(struct moved, compressed);
		return s->value == (w->count >> plan->ratio_log) * plan->packed_bytes;
	default:
		return true;
	}
}

/* Of the settings that equal the registers at the end of the plan, moves those to the front that are the same for all
 * calls. */
static uint8_t order_free(struct plan *plan)
{
	struct setting *free = plan->first;

	for (struct setting *s = free; s != plan->changed; s++) {
		struct setting setting = *s;

		uint32_t kind = kind_of(s->address);

		if (kind == LOW || kind >= BYTES)
			continue;
		*s = *free;
		*free++ = setting;
	}
	return (uint8_t)(free - plan->first);
}

/* Adds relocations behind the settings; false if there can be none, or no room. */
static bool relocate(struct plan *plan, uint32_t block)
{
	struct relocation *first = (struct relocation *)plan->end, *r = first;

	plan->early = plan->issued = 0;
	for (struct setting *s = plan->first; s != plan->end; s++) {
		if ((struct setting *)r == plans.settings + SETTINGS || !find_relocation(plan, s, block, r))
			return false;
		if (r->by != NONE)
			r++;
		if (plan->issued == 0 && (s->address == CCLO_MOVE_CONTROL_ADDRESS || s + 1 == plan->rest)) {
			plan->issued = (uint16_t)(s + 1 - plan->first);
			plan->early = (uint16_t)(r - first);
		}
	}
	plan->relocations = (uint16_t)(r - first);
	plans.used = (uint32_t)((struct setting *)(r + (r - first) % 2) - plans.settings);
	return true;
}

void plan_fit_to(struct plan *plan, const struct call *call)
{
	const struct words *w = &plan->words;
	uint32_t needs = call->needs, count = w->count, between = w->addr_2_low - w->addr_0_low;

	plan->plain_bytes = (uint8_t)call->plain_bytes;
	plan->packed_bytes = call->packs ? (uint8_t)call->packed_bytes : 0;
	plan->ratio_log = (uint8_t)call->ratio_log;
	plan->operand_bytes = bytes_of_blocks(call, needs & CCLO_SHAPE_OPERAND_OF_ALL, needs & CCLO_SHAPE_OPERAND_AT_ROOT);
	plan->result_bytes = bytes_of_blocks(call, needs & CCLO_SHAPE_RESULT_OF_ALL, needs & CCLO_SHAPE_RESULT_AT_ROOT);
	if (needs & CCLO_SHAPE_IN_PLACE)
		plan->result_bytes = 0;
	plan->lie = plan->operand_bytes == 0 || plan->result_bytes == 0 ? ONE_ALONE
	          : between < count * plan->operand_bytes || -between < count * plan->result_bytes ? JOINED
	                                                                                            : APART;
	plan->fits = (w->compression_flags & ~CCLO_COMPRESSION_FLAGS_ETH) == 0 && call->words.count != 0 &&
	             (uint64_t)count * call->plain_bytes * call->size >> 31 == 0;
}

void plan_fit(struct plan *plan, uint32_t few)
{
	uint32_t count = plan->words.count;

	plan->free = order_free(plan);
	plan->most = 0;
	if (!plan->fits)
		return;
	if (!plan->windows && count > 1 && count <= few && relocate(plan, count * plan->plain_bytes))
		plan->most = few;
	plan->fits = plan->most != 0 || (plan->end - plan->first < LONG && relocate(plan, 0));
}
