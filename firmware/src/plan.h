/* The call cache: what a collective has written to the move registers is kept as a plan, and written again for
 * identical calls. */

#ifndef PLAN_H
#define PLAN_H

#include "engine.h"

/* Issues the moves of the call in the call window from its plan; false without a plan. The call is finishing then,
 * or waits for room, and the function does not return. No other call may be open. */
bool plan_issue(uint32_t operation);

/* Makes the collective that is alone an ordinary one: the call of the plan that set the registers, if one has. */
void plan_settle(struct call *call);

/* Decides whether the call that begins is recorded. */
void plan_begin(struct call *call);

/* Ends recording: all moves of the running call are issued. */
void plan_keep(void);

/* Completes the plan that was kept last; it takes long, and the call has been answered. */
void plan_complete(void);

/* Stops recording; there is no plan. */
static inline void plan_drop(void) { engine.recording = NULL; }

static inline bool plan_records(void)
{
	return UNLIKELY(engine.recording != NULL) && engine.recording == engine.current;
}

/* Notes that the tables have changed by the call that begins, not between it and the next one. */
void plan_renew(void);

/* Notes up to how many elements the call being recorded would have made the same choices. */
void plan_note_few(uint32_t elements);

#if CCLO_FEATURE_RENDEZVOUS

/* Records what the running call does besides moves: it opens a window; it takes an invitation; it waits for
 * something whose order may differ next time, so that there can be no plan. */
void plan_note_window(const struct held *window, uint32_t bytes, bool host, bool aside);
void plan_note_invitation(uint32_t tag);
void plan_refuse(void);

#endif

#endif
