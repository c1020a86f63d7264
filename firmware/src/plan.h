/* Plans of collectives: what a call has written to the registers of moves is kept, and
 * written again for calls that say the same. */

#ifndef PLAN_H
#define PLAN_H

#include "engine.h"

/* Issues the moves of the call in the window, if it has a plan: it is finishing then, or waits for
 * room for more of them and does not return. If not, the call begins next. No other call may be open. */
bool plan_issue(uint32_t operation);

/* The call that plan_issue has issued last becomes one like others. */
void plan_settle(struct call *call);

/* That call begins: it may be recorded. */
void plan_begin(struct call *call);

/* All moves of the call that runs are issued. */
void plan_keep(void);

/* What is recorded is no plan. */
static inline void plan_drop(void) { engine.recording = NULL; }

#if CCLO_FEATURE_RENDEZVOUS

/* What the call that runs does besides moves, if it is recorded: it opens a window of so many bytes,
 * as registers of moves say; it has found an invitation; it waits for what may come in another order
 * the next time, so that it has no plan. */
void plan_note_window(const struct held *window, uint32_t bytes, bool host, bool aside);
void plan_note_invitation(uint32_t tag);
void plan_refuse(void);

static inline bool plan_records(void)
{
	return UNLIKELY(engine.recording != NULL) && engine.recording == engine.current;
}

#endif

#endif
