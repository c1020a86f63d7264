/* Communicators and arithmetic configurations of the call that runs. */

#ifndef COMM_H
#define COMM_H

#include "engine.h"

/* Has what is known be of this communicator and these elements, if it is remembered; says whether
 * it was of others before. */
bool known_exchange(uint32_t comm, uint32_t elements);

/* Reads the communicator of the call and its peer; fails if it makes no sense. */
void comm_use(void);

/* Reads the arithmetic configuration of the call, and its operands and result. */
void arithmetic_use(bool op1);

/* Chooses the call's reduction. */
void reduction_use(void);

/* The call's peer or root; fails if it is no rank of the communicator. */
uint32_t comm_peer(void);

uint32_t rank_word(uint32_t rank, uint32_t word);

/* The session that leads to the peer or root of a call. */
uint32_t peer_session(const struct call *call);

/* The rank so many places after this one, around the ring. */
uint32_t rank_after(uint32_t rank, uint32_t places);
uint32_t rank_before(uint32_t rank, uint32_t places);

/* Finds out where eager messages of the call to a rank are cut: it is known then. */
void cut_use(uint32_t rank);

/* Context of messages inside collectives: other calls do not match them. */
static inline uint32_t collective_context(void) { return engine.current->context | 1; }

/* Forgets what is known about communicators. */
void comm_forget(void);

#endif
