/* Communicators and arithmetic configurations of the call that runs. */

#ifndef COMM_H
#define COMM_H

#include "engine.h"

/* The record of an rx buffer, as the host's byte offset, and a word of it. */
static inline uint32_t rx_record(uint32_t i)
{
	return CCLO_RX_BUFFERS_OFFSET + CCLO_RX_BUFFERS_HEADER_BYTES + i * CCLO_RX_BUFFERS_RECORD_BYTES;
}

static inline uint32_t rx_word(uint32_t i, uint32_t word) { return exchange_read(rx_record(i) + 4 * word); }

/* Makes engine.known describe this communicator and these elements if they were used before; false if it
 * does so already, or they were not. */
bool known_exchange(uint32_t comm, uint32_t elements);

/* Reads the communicator of the call and its peer; fails if the table entry is invalid. */
void comm_use(void);

/* Reads the arithmetic configuration of the call, and its operands and result. */
void arithmetic_use(bool op1);

/* Finds the TDEST of the call's reduction. */
void reduction_use(void);

/* The call's peer or root; fails if it is no rank of the communicator. */
uint32_t comm_peer(void);

uint32_t rank_word(uint32_t rank, uint32_t word);

/* The session to the peer or root of a call. */
uint32_t peer_session(const struct call *call);

/* The rank that many places after or before this one, around the ring. */
uint32_t rank_after(uint32_t rank, uint32_t places);
uint32_t rank_before(uint32_t rank, uint32_t places);

/* Computes the chunk, segment and message sizes of eager messages to a rank, in engine.known. */
void cut_use(uint32_t rank);

/* Context of messages inside collectives, which sends and receives do not match. */
static inline uint32_t collective_context(void) { return engine.current->context | 1; }

/* Invalidates what engine.known holds of communicators. */
void comm_forget(void);

#endif
