/* Rendezvous: windows of the running call, announced by a clear-to-send (CTS), and windows of other ranks, whose
 * CTS is called an invitation here. Interface versions without rendezvous have neither. */

#ifndef WINDOW_H
#define WINDOW_H

#include "engine.h"

/* Closes all windows of a call. */
void windows_shut(struct call *call);

#if CCLO_FEATURE_RENDEZVOUS

/* Opens a window on uncompressed memory to a rank and sends its CTS; aside: not behind the moves of the call. Waits
 * for the oldest window of the call if there are too many. */
uint8_t window_open(uint32_t from, const struct place *landing, uint32_t count, uint32_t tag, uint32_t context,
                    bool aside);

/* Opens the first window of a collective that has issued no move, in fewer cycles. */
uint8_t window_open_first(uint32_t from, const struct place *landing, uint32_t count, uint32_t tag, uint32_t context);

/* Steps of these, for the call cache: records the window as held by the call; switches to a second queue for the
 * CTS, if aside and one is free; notes that the CTS was issued. */
void window_hold(uint8_t window);
bool window_announces_aside(bool aside);
void window_announced(bool aside);

/* Waits until a receive may send a CTS: an engine remembers a limited number of them. */
void windows_turn(void);

/* Whether a collective in which all ranks send CTS to one may open another window. If not, the oldest is waited
 * for; its stage must have run. */
bool windows_share_left(void);

/* Whether a window at this address can be opened without waiting. */
bool window_room(uint64_t address);

/* Records for a window whether the last move reads it (moved), and whether no later move will (last). */
void window_read(uint8_t window, bool last, bool moved);

/* Tells a rank to send this message eagerly. */
void window_decline(uint32_t from, uint32_t tag, uint32_t context);

/* Waits until the sender has finished writing the call's windows. The call's own moves have completed. */
void windows_await(void);

static inline void windows_finish(void)
{
	if (engine.current->windows != 0)
		windows_await();
}

/* Waits for the CTS of a rank, whose window the next remote moves write; false if it asks for the message
 * eagerly. */
bool invitation_wait(uint32_t to, uint32_t tag, uint32_t context);

/* The same if the move registers hold the rank and the context already. */
bool invitation_wait_prepared(uint32_t to, uint32_t tag, uint32_t context);

/* Sends the done message: all bytes of the window are written. */
void invitation_done(uint32_t to, uint32_t context);

/* Whether the CTS that the move registers select has come; fails if it belongs to another collective. */
bool invitation_found(void);

/* Steps of these, for the call cache: takes the CTS found, for data with this tag; sends the done message with this
 * control word. */
void invitation_take(uint32_t tag);
void invitation_finish(uint32_t control);

#else

static inline void windows_finish(void) {}

#endif

#endif
