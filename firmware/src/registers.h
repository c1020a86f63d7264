/* Registers of moves: how they are set, and which of them a move depends on. They keep what they have until they are
 * set again, by whatever call that is. */

#ifndef REGISTERS_H
#define REGISTERS_H

#include "engine.h"

/* The only writers of these registers, but for calls that are remembered (plan.c). Those of an operand, a result or a
 * rank give the fields of the control word that name it; PLAIN operands and results are in device memory. */

/* Issues a move, whatever the registers say. */
static inline void issue_move(uint32_t control, uint32_t queue)
{
	hw_write(CCLO_MOVE_CONTROL_ADDRESS, control | FIELD(MOVE_CONTROL_QUEUE, queue));
}

static inline void set_bytes(uint32_t bytes) { hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes); }

static inline void set_compressed_bytes(uint32_t bytes) { hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, bytes); }

static inline void set_tdest(uint32_t tdest) { hw_write(CCLO_MOVE_TDEST_ADDRESS, tdest); }

static inline uint32_t set_op0(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, high);
	return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);
}

static inline uint32_t set_op1(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, high);
	return FIELD(MOVE_CONTROL_OP1, CCLO_MOVE_OPERAND_MEMORY);
}

static inline void set_op2(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_OP2_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_OP2_ADDRESS_HIGH_ADDRESS, high);
}

static inline uint32_t set_result(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, high);
	return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY);
}

static inline uint32_t set_kept(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_KEPT_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_KEPT_ADDRESS_HIGH_ADDRESS, high);
	return FIELD(MOVE_CONTROL_KEEPS, 1);
}

static inline void set_comm(uint32_t comm, uint32_t context)
{
	hw_write(CCLO_MOVE_COMM_ADDRESS, comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
}

static inline void set_tag(uint32_t tag) { hw_write(CCLO_MOVE_TAG_ADDRESS, tag); }

static inline uint32_t set_source(uint32_t rank)
{
	hw_write(CCLO_MOVE_SOURCE_ADDRESS, rank);
	return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE);
}

static inline uint32_t set_destination(uint32_t rank)
{
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, rank);
	return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
}

static inline void set_strm(uint32_t strm) { hw_write(CCLO_MOVE_STRM_ADDRESS, strm); }

/* Where messages are cut. */
static inline void set_cut(uint32_t chunk_bytes, uint32_t segment_bytes)
{
	hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, chunk_bytes);
	hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, segment_bytes);
}

/* Which collective messages belong to. */
static inline void set_collective_number(uint32_t number) { hw_write(CCLO_MOVE_COLLECTIVE_NUMBER_ADDRESS, number); }

static inline void set_collective(uint32_t number, uint32_t count, uint32_t shape)
{
	set_collective_number(number);
	hw_write(CCLO_MOVE_COLLECTIVE_COUNT_ADDRESS, count);
	hw_write(CCLO_MOVE_COLLECTIVE_SHAPE_ADDRESS, shape);
}

#if CCLO_FEATURE_RENDEZVOUS
static inline uint32_t set_window(uint32_t window)
{
	hw_write(CCLO_MOVE_WINDOW_ADDRESS, window);
	return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_WINDOW);
}

/* Where a message goes in the memory of its destination, or a header says. */
static inline void set_remote(uint32_t low, uint32_t high)
{
	hw_write(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, low);
	hw_write(CCLO_MOVE_REMOTE_ADDRESS_HIGH_ADDRESS, high);
}

static inline void set_header_count(uint32_t count) { hw_write(CCLO_MOVE_HEADER_COUNT_ADDRESS, count); }

static inline void set_packet_index(uint32_t index) { hw_write(CCLO_MOVE_PACKET_INDEX_ADDRESS, index); }
#endif

/* Registers that moves depend on lie within so many words. */
#define WORD_OF(address) (((address) - CCLO_MOVE_BYTES_ADDRESS) / 4)
#define REGISTER_WORDS   (WORD_OF(CCLO_MOVE_KEPT_ADDRESS_HIGH_ADDRESS) + 1)

#define MOST_REGISTERS 24

/* Lists the words of those that a move with this control depends on, count in all, MOST_REGISTERS at most. Returns how
 * many of them vary: those behind do not change within a collective once a move depends on them. */
uint8_t registers_of(uint32_t control, uint8_t *words, uint8_t *count);

#endif
