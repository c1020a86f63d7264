/* How plans are fitted to calls with other operands, or other numbers of elements: settings that depend on them get
 * relocations, as code does that is loaded elsewhere. */

#pragma GCC optimize("Os") /* seldom, and memory is short */

#include "plans.h"

struct plans plans;

/* Bytes of all blocks for each element of the call, where this rank has them. */
static uint32_t bytes_of_blocks(const struct call *call, bool of_all, bool at_root)
{
	if (at_root && call->rank != call->words.root_src_dst)
		return 0;
	return call->plain_bytes * (of_all ? call->size : 1);
}

static bool is_low(uint32_t address)
{
#if CCLO_FEATURE_RENDEZVOUS
	if (address == CCLO_MOVE_REMOTE_ADDRESS_ADDRESS || address == CCLO_RENDEZVOUS_ADDRESS_ADDRESS)
		return true;
#endif
	return address == CCLO_MOVE_OP0_ADDRESS_ADDRESS || address == CCLO_MOVE_OP1_ADDRESS_ADDRESS ||
	       address == CCLO_MOVE_OP2_ADDRESS_ADDRESS || address == CCLO_MOVE_RESULT_ADDRESS_ADDRESS ||
	       address == CCLO_MOVE_KEPT_ADDRESS_ADDRESS;
}

#define NONE 0

/* Finds the base of a setting; false if the plan cannot be fitted with it. A setting that needs no relocation has a base
 * of NONE. Unless the setting is for any few elements, in which a block is the unit of offsets, that unit is a byte. */
static bool find_base(const struct plan *plan, const struct setting *s, uint32_t block, uint32_t *base, uint32_t *offset)
{
	const struct words *w = &plan->words;
	uint32_t high = plan->operand_bytes != 0 ? w->addr_0_high : w->addr_2_high;

	*base = NONE;
	*offset = 0;
	if (is_low(s->address)) {
		if (s->value - w->addr_0_low < w->count * plan->operand_bytes)
			*base = offsetof(struct plan, words.addr_0_low);
		else if (s->value - w->addr_2_low < w->count * plan->result_bytes)
			*base = offsetof(struct plan, words.addr_2_low);
		else
			return true; /* in scratch memory */
		*offset = s->value - (*base == offsetof(struct plan, words.addr_0_low) ? w->addr_0_low : w->addr_2_low);
		if (*offset % block != 0)
			return false;
		*offset /= block;
		return true;
	}
	if (s->address >= 4 && is_low(s->address - 4))
		return s->value == high;
	if (block == 1)
		return true;
	if (s->address == CCLO_MOVE_BYTES_ADDRESS && s->value != 0) {
		*base = offsetof(struct plan, bytes);
		return s->value == block;
	}
	if (s->address == CCLO_MOVE_COMPRESSED_BYTES_ADDRESS) {
		*base = offsetof(struct plan, compressed);
		return s->value == (w->count >> plan->ratio_log) * plan->packed_bytes;
	}
	return true;
}

/* Moves settings of the first move that are the same for all calls to the front of those that equal the registers at the
 * end of the plan. */
static struct setting *order_free(struct plan *plan)
{
	struct setting *free = plan->first;

	for (struct setting *s = free; s != plan->changed; s++) {
		struct setting setting = *s;

		if (is_low(s->address) || s->address == CCLO_MOVE_BYTES_ADDRESS || s->address == CCLO_MOVE_COMPRESSED_BYTES_ADDRESS)
			continue;
		*s = *free;
		*free++ = setting;
	}
	return free;
}

/* Adds relocations behind the settings; false if there can be none, or no room. */
static bool relocate(struct plan *plan, uint32_t block)
{
	struct relocation *r = (struct relocation *)plan->end, *early = NULL;
	struct setting *s = plan->first;

	for (plan->issued = plan->rest; s != plan->end; s++) {
		uint32_t base, offset;

		if (!find_base(plan, s, block, &base, &offset))
			return false;
		if (base != NONE) {
			if ((struct setting *)r == plans.settings + SETTINGS)
				return false;
			*r++ = (struct relocation){ (uint16_t)((char *)&s->value - (char *)plan->first), (uint16_t)base, offset };
		}
		if (early == NULL && (s->address == CCLO_MOVE_CONTROL_ADDRESS || s + 1 == plan->rest)) {
			plan->issued = s + 1;
			early = r;
		}
	}
	plan->relocations = (struct relocation *)plan->end;
	plan->early = early;
	plan->relocations_end = r;
	plans.used += (uint32_t)(r - plan->relocations);
	return true;
}

void plan_fit(struct plan *plan, uint32_t few)
{
	const struct call *call = engine.current;
	const struct words *w = &plan->words;
	uint32_t needs = call->needs, count = w->count, between = w->addr_2_low - w->addr_0_low;

	plan->relocations = NULL;
	plan->free = order_free(plan);
	plan->most = 0;
	plan->plain_bytes = call->plain_bytes;
	plan->packed_bytes = call->packs ? call->packed_bytes : 0;
	plan->ratio_log = call->ratio_log;
	plan->operand_bytes = bytes_of_blocks(call, needs & CCLO_SHAPE_OPERAND_OF_ALL, needs & CCLO_SHAPE_OPERAND_AT_ROOT);
	plan->result_bytes = bytes_of_blocks(call, needs & CCLO_SHAPE_RESULT_OF_ALL, needs & CCLO_SHAPE_RESULT_AT_ROOT);
	if (needs & CCLO_SHAPE_IN_PLACE)
		plan->result_bytes = 0;
	plan->lie = plan->operand_bytes == 0 || plan->result_bytes == 0 ? ONE_ALONE
	          : between < count * plan->operand_bytes || -between < count * plan->result_bytes ? JOINED
	                                                                                            : APART;
	if ((w->compression_flags & ~CCLO_COMPRESSION_FLAGS_ETH) != 0 || call->words.count == 0 ||
	    (uint64_t)count * call->plain_bytes * call->size >> 31 != 0)
		return;
	if (!plan->windows && count > 1 && count <= few && relocate(plan, count * call->plain_bytes))
		plan->most = few;
	else
		(void)relocate(plan, 1);
}
