#include "registers.h"

/* Why a move depends on registers. */
enum {
	OP0,
	OP1,
	RESULT,
	TAKES, /* a message or from a window, or announces a window of its source */
	TAGGED,
	SENDS,
	OP2,
	KEPT,
	PACKED,
	WINDOW,
	ANNOUNCES,
};

#define WORD(name)    WORD_OF(CCLO_MOVE_##name##_ADDRESS)
#define ADDRESS(name) WORD(name), WORD(name##_HIGH)

/* Those registers; 0 ends a row. BYTES, which is 0, belongs to every move. */
static const uint8_t registers[][4] = {
	[OP0] = { ADDRESS(OP0_ADDRESS) },
	[OP1] = { ADDRESS(OP1_ADDRESS) },
	[RESULT] = { ADDRESS(RESULT_ADDRESS) },
	[TAKES] = { WORD(SOURCE) },
	[TAGGED] = { WORD(TAG) },
	[SENDS] = { WORD(DESTINATION), WORD(CHUNK_BYTES), WORD(SEGMENT_BYTES) },
	[OP2] = { ADDRESS(OP2_ADDRESS) },
	[KEPT] = { ADDRESS(KEPT_ADDRESS) },
	[PACKED] = { WORD(COMPRESSED_BYTES) },
#if CCLO_FEATURE_RENDEZVOUS
	[WINDOW] = { WORD(WINDOW) },
	[ANNOUNCES] = { ADDRESS(REMOTE_ADDRESS), WORD(HEADER_COUNT) },
#endif
};

static inline uint32_t of_operand(uint32_t kind, uint32_t memory)
{
	switch (kind) {
	case CCLO_MOVE_OPERAND_MEMORY:
		return 1u << memory;
	case CCLO_MOVE_OPERAND_MESSAGE:
		return 1u << TAKES | 1u << TAGGED;
#if CCLO_FEATURE_RENDEZVOUS
	case CCLO_MOVE_OPERAND_WINDOW:
		return 1u << memory | 1u << TAKES | 1u << WINDOW;
#endif
	default:
		return 0;
	}
}

uint8_t registers_of(uint32_t control, uint8_t *words, uint8_t *count)
{
	const uint32_t packed = CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK | CCLO_MOVE_CONTROL_OP1_COMPRESSED_MASK |
	                        CCLO_MOVE_CONTROL_RESULT_COMPRESSED_MASK | CCLO_MOVE_CONTROL_NETWORK_COMPRESSED_MASK |
	                        CCLO_MOVE_CONTROL_INNER_COMPRESSED_MASK;
	uint32_t op1 = FIELD_OF(MOVE_CONTROL_OP1, control), result = FIELD_OF(MOVE_CONTROL_RESULT, control);
	uint32_t reasons = of_operand(FIELD_OF(MOVE_CONTROL_OP0, control), OP0) | of_operand(op1, OP1);
	uint8_t *word = words, varying;

	if (control & packed)
		reasons |= 1u << PACKED;
	if (control & CCLO_MOVE_CONTROL_KEEPS_MASK)
		reasons |= 1u << KEPT;
	if (result == CCLO_MOVE_RESULT_BESIDE)
		reasons |= 1u << OP2;
	if (result != CCLO_MOVE_RESULT_NONE && result != CCLO_MOVE_RESULT_NETWORK)
		reasons |= 1u << RESULT;
	if (result != CCLO_MOVE_RESULT_NONE && result != CCLO_MOVE_RESULT_MEMORY)
		reasons |= 1u << SENDS | 1u << TAGGED;
#if CCLO_FEATURE_RENDEZVOUS
	if (FIELD_OF(MOVE_CONTROL_MESSAGE_TYPE, control) == CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT)
		reasons |= 1u << ANNOUNCES | 1u << TAKES;
#endif
	*word++ = WORD(BYTES);
	for (uint32_t left = reasons, i = 0; left != 0; left >>= 1, i++)
		for (const uint8_t *r = registers[i]; (left & 1) != 0 && *r != 0; r++)
			*word++ = *r;
	varying = (uint8_t)(word - words);
	*word++ = WORD(COMM);
	*word++ = WORD(COMM_CONTEXT);
	if (reasons & (1u << SENDS))
		*word++ = WORD(STRM);
	if (op1 != CCLO_MOVE_OPERAND_NONE || (control & packed)) /* it may reduce or convert */
		*word++ = WORD(TDEST);
	*count = (uint8_t)(word - words);
	return varying;
}
