/* Numbers of collectives in their communicator. All ranks count alike; messages carry the number, count and
 * shape of the call, and the engine does not match those of another collective. A collective that fails breaks
 * the communicator until its ranks have agreed on a new number (recover.c). */

#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "series.h"

/* Tags of notices. The notice of a failed collective has its return code; NOTICE_ASK describes the open one. */
enum { NOTICE_JOIN = 0, NOTICE_ASK = 0x40000000, NOTICE_REPLY = CCLO_RETURN_CODE_NOT_READY };

/* Milliseconds of a wait after which a rank asks the others; less if the timeout is short. */
#define ASK_MILLISECONDS 250

/* Numbers the call; fails if its communicator is broken. */
void collective_begin(uint32_t shape);

/* Sends number, count and shape of a waiting collective to the other ranks, which may be in another one. */
void collective_ask(struct call *call);

/* Does so ask_limit after the call began, and again as what has happened since may be the answer. */
static inline void collective_waits(struct call *call)
{
	if (UNLIKELY(is_numbered(call)) && call->ask_at != 0 && reached(call->ask_at))
		collective_ask(call);
}

/* Records the cause of the failure for the host, notifies the other ranks of a collective, and ends the call. Runs
 * on the stack of the call. */
void collective_fail(void *call) __attribute__((noreturn));

/* Handles notices of other ranks. Does not write move registers. */
void notices_take(void);

/* Agrees with all ranks of the communicator on a number above all that were used. With resync, messages in
 * flight are dropped. */
void ranks_agree(bool resync);

/* Records that a rank joined an agreement with its last number; false if this rank is in none. */
bool agreement_joined(const struct series *series, uint32_t rank, uint32_t tag, uint32_t number, uint32_t sequence);

/* Keeps a failure that came after an agreement still open here; false if there is no such agreement. */
bool agreement_fails(const struct failure *failure);

void agreements_reset(void);

/* The config function. */
void recover(void);

#endif
