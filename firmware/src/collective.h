/* Which collective of its communicator a call is. All ranks count alike; messages carry the number, the
 * count and the shape of the call, and the engine takes none of another collective. One that fails breaks
 * the communicator until its ranks have agreed to go on (recover.c). */

#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "series.h"

/* Tags of notices: that of a failed collective is its return code. NOTICE_ASK says what a rank calls. */
enum { NOTICE_JOIN = 0, NOTICE_ASK = 0x40000000, NOTICE_REPLY = CCLO_RETURN_CODE_NOT_READY };

/* Of a wait, after which a rank asks; less where the limit is short. */
#define ASK_MILLISECONDS 250

/* Refuses the call if its communicator is broken; gives it its number otherwise. */
void collective_begin(uint32_t shape);

/* Tells other ranks what a collective that waits for them is: they may wait for what it does not send. */
void collective_ask(const struct call *call);

/* The same once, when it is time. */
static inline void collective_waits(struct call *call)
{
	if (UNLIKELY(is_numbered(call)) && call->ask_at > ASKED && reached(call->ask_at)) {
		call->ask_at = ASKED;
		collective_ask(call);
	}
}

/* Notes for the host why the call has failed, tells the other ranks of a collective, and ends the call: on its
 * stack. */
void collective_fail(void *call) __attribute__((noreturn));

/* Takes the notices of other ranks. Leaves registers of moves alone. */
void notices_take(void);

/* All ranks of the call's communicator agree on a number above all that they have used. With resync, the
 * communicator's messages on their way are dropped. */
void ranks_agree(bool resync);

/* A rank takes part in an agreement, whose last number this was; false if there is none here. */
bool agreement_joined(const struct series *series, uint32_t rank, uint32_t tag, uint32_t number, uint32_t sequence);

/* Keeps what broke the communicator behind an agreement that is not finished here; false if there is none. */
bool agreement_fails(const struct failure *failure);

void agreements_reset(void);

/* The config function. */
void recover(void);

#endif
