/* Notices to other ranks: headers alone, for their processors. */

#ifndef NOTICE_H
#define NOTICE_H

#include "engine.h"

/* Issues a notice to a rank of the call's communicator, which says this collective number; gives the number of
 * the move. */
uint32_t notice_give(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm);

/* Waits until it has left, or no longer than that. A rank that is gone hears nothing; others do. */
bool notice_left(uint32_t move, uint32_t limit);

/* Both, within the limit of moves. */
void notice_send(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm);

#endif
