/* Notices to other ranks: headers alone, for their processors. */

#ifndef NOTICE_H
#define NOTICE_H

#include "engine.h"

/* Issues a notice with a collective number to a rank of the call's communicator; returns the number of the move. */
uint32_t notice_give(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm);

/* Waits for this move, at most limit milliseconds; false after that. The peer may be gone. */
bool notice_left(uint32_t move, uint32_t limit);

/* Both, with the timeout of moves. */
void notice_send(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm);

#endif
