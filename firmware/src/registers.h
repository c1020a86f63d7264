/* Registers of moves, and which of them a move depends on. */

#ifndef REGISTERS_H
#define REGISTERS_H

#include "engine.h"

/* Registers that moves depend on, in two runs. */
#define FIRST_RUN  ((CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS - CCLO_MOVE_BYTES_ADDRESS) / 4 + 1)
#define SECOND_RUN ((CCLO_MOVE_KEPT_ADDRESS_HIGH_ADDRESS - CCLO_MOVE_COMM_ADDRESS) / 4 + 1)
#define REGISTERS  (FIRST_RUN + SECOND_RUN)

/* The place of one among all of them. */
#define REGISTER_AT(address)                                                            \
	((address) < CCLO_MOVE_COMM_ADDRESS ? ((address) - CCLO_MOVE_BYTES_ADDRESS) / 4 \
	                                    : FIRST_RUN + ((address) - CCLO_MOVE_COMM_ADDRESS) / 4)

/* A bit for each register from one to another. */
#define BITS(from, to) (((2u << PLACE(to)) - 1) & ~((1u << PLACE(from)) - 1))
#define PLACE(name)    REGISTER_AT(CCLO_MOVE_##name##_ADDRESS)

/* Those that a move with this control depends on. */
uint32_t registers_of(uint32_t control);

#endif
