/* Rendezvous: windows of the call that runs, and invitations to write into
 * those of others. Generations without rendezvous have neither. */

#ifndef WINDOW_H
#define WINDOW_H

#include "engine.h"

/* Closes all windows of a call. */
void windows_shut(struct call *call);

#if CCLO_FEATURE_RENDEZVOUS

/* Opens a window on plain memory to a rank, and announces it, aside: not behind the
 * moves of the call. The oldest window of the call is waited for if it has too many. */
uint8_t window_open(uint32_t from, const struct place *landing, uint32_t count, uint32_t tag, uint32_t context,
                    bool aside);

/* The same, quickly, for the first window of a collective that has issued no move yet. */
uint8_t window_open_first(uint32_t from, const struct place *landing, uint32_t count, uint32_t tag, uint32_t context);

/* Parts of these, for plans: the call has the window of this number; its announcement goes beside
 * other moves from here on, if it may and can, or does not; and that was it. */
void window_hold(uint8_t window);
bool window_announces_aside(bool aside);
void window_announced(bool aside);

/* Waits until a receive may invite its peer, whose engine remembers so many invitations. */
void windows_turn(void);

/* Whether a collective whose ranks all invite one may have another window: else the oldest is
 * waited for, whose stage must have run. */
bool windows_share_left(void);

/* Whether a window at this address can be opened without waiting. */
bool window_room(uint64_t address);

/* What has become of a window: whether the move issued last reads it, and whether
 * no later one will. It is needed until then. */
void window_read(uint8_t window, bool last, bool moved);

/* Tells a rank that this message will be received eagerly. */
void window_decline(uint32_t from, uint32_t tag, uint32_t context);

/* Waits until the sender is done with the call's windows, which its moves are. */
void windows_await(void);

static inline void windows_finish(void)
{
	if (engine.current->windows != 0)
		windows_await();
}

/* Waits for a rank's announcement and keeps it for the next moves into its
 * window; false if it wants the message eagerly. */
bool invitation_wait(uint32_t to, uint32_t tag, uint32_t context);

/* The same where registers of moves have the rank and the context already. */
bool invitation_wait_prepared(uint32_t to, uint32_t tag, uint32_t context);

/* Tells the rank that all bytes were sent into its window. */
void invitation_done(uint32_t to, uint32_t context);

/* Whether there is the announcement that registers seek; fails if it is of another collective. */
bool invitation_found(void);

/* Parts of these, for plans: keeps the announcement that was found, whose data have this tag; tells
 * that they were all, by a move with this control. */
void invitation_take(uint32_t tag);
void invitation_finish(uint32_t control);

#else

static inline void windows_finish(void) {}

#endif

#endif
