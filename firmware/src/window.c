#include "window.h"

#include "comm.h"
#include "move.h"
#include "plan.h"
#include "series.h"
#include "task.h"

#if !CCLO_FEATURE_RENDEZVOUS

void windows_shut(struct call *call) { (void)call; }

#else

_Static_assert(P2P_WINDOWS < CCLO_RENDEZVOUS_WINDOWS && CCLO_RENDEZVOUS_WINDOWS <= 32,
               "windows are the bits of a word");

__attribute__((noinline)) static void forget_oldest(struct call *call)
{
	plan_refuse();
	engine.windows &= ~(1u << call->held[0].window);
	engine.given_back = true;
	for (uint32_t i = 1; i < call->windows; i++)
		call->held[i - 1] = call->held[i];
	call->windows--;
}

__attribute__((cold)) void windows_shut(struct call *call)
{
	while (call->windows != 0) {
		hw_write(CCLO_RENDEZVOUS_WINDOW_ADDRESS, call->held[0].window);
		hw_write(CCLO_RENDEZVOUS_SHUT_ADDRESS, 1);
		forget_oldest(call);
	}
}

static uint32_t window_register(uint8_t window, uint32_t address)
{
	hw_write(CCLO_RENDEZVOUS_WINDOW_ADDRESS, window);
	return hw_read(address);
}

static bool is_done(uint8_t window) { return window_register(window, CCLO_RENDEZVOUS_DONE_ADDRESS) != 0; }

/* The limit counts from the last packet that came. */
__attribute__((noinline)) static void await_done(const struct held *held)
{
	uint8_t window = held->window;
	uint32_t seen = 0;

	self->awaited = held->from;

	while (!is_done(window)) {
		uint32_t arrived = window_register(window, CCLO_RENDEZVOUS_ARRIVED_ADDRESS);

		if (!self->state.timed || arrived != seen)
			task_limit_of(self, remote_limit());
		seen = arrived;
		queue_wait(CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
	}
	self->state.timed = false;
}

/* A window number is reused only when no move reads it any more. */
__attribute__((noinline)) static void finish_oldest(void)
{
	await_done(&self->held[0]);
	if (self->held[0].read)
		move_wait(self->held[0].move);
	forget_oldest(self);
}

/* CTS that a rank may have outstanding at another one, whose engine remembers a limited number of all ranks and drops
 * more. Receives and collectives use half of the share each, at least one. */
static bool is_share(uint32_t announced)
{
	return announced * (engine.ranks - 1) <= CCLO_RENDEZVOUS_ANNOUNCEMENTS / 2;
}

/* The oldest receives have their turn until they end: the sender of a message in several windows waits for exactly
 * these. */
static bool has_turn(void)
{
	uint32_t session = peer_session(self), announced = 1;

	for (const struct call *call = engine.calls; call != engine.calls + CALLS; call++)
		if ((engine.open & call->bit) != 0 && call->kind == KIND_RECV_RENDEZVOUS &&
		    (int32_t)(call->order - self->order) < 0 &&
		    peer_session(call) == session)
			announced++;
	return announced == 1 || is_share(announced);
}

void windows_turn(void)
{
	while (!has_turn())
		task_stand_by(); /* the waits of those before are limited */
}

/* Closes the oldest window, if it is complete. */
static bool oldest_is_finished(void)
{
	return !self->held[0].awaited && is_done(self->held[0].window) &&
	       (!self->held[0].read || move_is_done(self->held[0].move));
}

void windows_await(void)
{
	struct call *call = engine.current;
	uint32_t finished = 0;

	for (uint32_t i = 0; i < call->windows; i++) {
		await_done(&call->held[i]);
		finished |= 1u << call->held[i].window;
	}
	call->windows = 0;
	engine.windows &= ~finished;
	engine.given_back = true;
}

/* The data may have been read before the done message, which names the window by its address, has come. */
static bool held_at(uint64_t address)
{
	for (uint32_t i = 0; i < self->windows; i++)
		if (self->held[i].low == (uint32_t)address && self->held[i].high == (uint32_t)(address >> 32))
			return true;
	return false;
}

bool window_room(uint64_t address)
{
	while (self->windows != 0 && oldest_is_finished()) {
		if (plan_records() && self->windows < HELD)
			break; /* a plan has each of them once */
		forget_oldest(self);
	}
	return self->windows < HELD && !held_at(address);
}

/* Each queue of moves has windows for its collective; receives share the others. */
__attribute__((noinline)) static uint8_t await_window(uint32_t first, uint32_t end)
{
	for (;;) {
		for (uint32_t window = first; window < end; window++)
			if ((engine.windows & (1u << window)) == 0)
				return (uint8_t)window;
		task_stand_by(); /* the waits of those who have them are limited */
	}
}

static inline uint8_t free_window(const struct call *call)
{
	bool collective = call->kind == KIND_COLLECTIVE;
	uint32_t first = collective ? queue_of_call() * HELD : P2P_WINDOWS;

	if (LIKELY((engine.windows >> first & 1) == 0))
		return (uint8_t)first;
	return await_window(first, collective ? first + HELD : CCLO_RENDEZVOUS_WINDOWS);
}

/* Leaves one to the collective of each other queue. */
bool windows_share_left(void)
{
	uint32_t announced = QUEUES;

	if (!self->invites || self->windows == 0)
		return true;
	for (uint32_t set = engine.windows & ((1u << P2P_WINDOWS) - 1); set != 0; set &= set - 1)
		announced++;
	return is_share(announced);
}

__attribute__((noinline)) static void make_room_at(uint64_t address)
{
	while (self->windows == HELD || held_at(address) || !windows_share_left())
		finish_oldest();
}

void window_hold(uint8_t window)
{
	struct call *call = engine.current;

	engine.windows |= 1u << window;
	call->held[call->windows++] = (struct held){ .window = window, .from = (uint16_t)hw_read(CCLO_MOVE_SOURCE_ADDRESS) };
}

/* CTS are matched in the order in which they arrive. */
bool window_announces_aside(bool aside)
{
	struct call *call = engine.current;

	if (!aside || engine.room[call->state.queue] == CCLO_MOVE_QUEUE_DEPTH || !move_is_done(call->announced) ||
	    !queue_take_second(false))
		return false;
	queue_change();
	return true;
}

void window_announced(bool aside)
{
	if (aside)
		queue_change();
	else
		engine.current->announced = move_number();
}

uint8_t window_open(uint32_t from, const struct place *landing, uint32_t count, uint32_t tag, uint32_t context,
                    bool aside)
{
	struct call *call = engine.current;
	struct held *held;
	uint8_t window;
	bool second;

	if (UNLIKELY(call->windows != 0))
		make_room_at(address_of(landing));
	window = free_window(call);
	engine.windows |= 1u << window;
	held = &call->held[call->windows++];
	held->window = window;
	held->low = landing->low;
	held->high = landing->high;
	held->from = (uint16_t)from;
	held->awaited = call->kind == KIND_COLLECTIVE;
	held->read = false;

	set_comm(call->comm, context);
	set_source(from);
	hw_write(CCLO_RENDEZVOUS_WINDOW_ADDRESS, window);
	hw_write64(CCLO_RENDEZVOUS_ADDRESS_ADDRESS, address_of(landing));
	hw_write(CCLO_RENDEZVOUS_BYTES_ADDRESS, bytes_of(count, false));
	hw_write(CCLO_RENDEZVOUS_OPEN_ADDRESS, landing->host);
	if (plan_records())
		plan_note_window(held, bytes_of(count, false), landing->host, aside);
	second = window_announces_aside(aside);
	move_header_prepared(CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT, from, count, address_of(landing), landing->host, tag,
	                     context);
	window_announced(second);
	return window;
}

uint8_t window_open_first(uint32_t from, const struct place *landing, uint32_t count, uint32_t tag, uint32_t context)
{
	struct call *call = engine.current;
	uint32_t queue = (uint32_t)call->state.queue, window = queue * HELD, low = landing->low, high = landing->high;

	if (UNLIKELY(engine.windows >> window & 1 || engine.room[queue] != CCLO_MOVE_QUEUE_DEPTH || count >> 26))
		return window_open(from, landing, count, tag, context, false);
	set_comm(call->comm, context);
	set_source(from);
	hw_write(CCLO_RENDEZVOUS_WINDOW_ADDRESS, window);
	hw_write(CCLO_RENDEZVOUS_ADDRESS_ADDRESS, low);
	hw_write(CCLO_RENDEZVOUS_ADDRESS_ADDRESS + 4, high);
	hw_write(CCLO_RENDEZVOUS_BYTES_ADDRESS, count * call->plain_bytes);
	hw_write(CCLO_RENDEZVOUS_OPEN_ADDRESS, landing->host);
	engine.windows |= 1u << window;
	call->windows = 1;
	call->held[0] = (struct held){ .low = low, .high = high, .window = (uint8_t)window, .from = (uint16_t)from,
	                              .awaited = true };
	if (plan_records())
		plan_note_window(&call->held[0], count * call->plain_bytes, landing->host, false);
	call->announced = engine.issued[queue] + 1;
	move_header_prepared(CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT, from, count, (uint64_t)high << 32 | low, landing->host,
	                     tag, context);
	return (uint8_t)window;
}

void window_decline(uint32_t from, uint32_t tag, uint32_t context)
{
	move_header(CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT, from, 0, 0, false, tag, context);
}

void window_read(uint8_t window, bool last, bool moved)
{
	for (uint32_t i = 0; i < self->windows; i++) {
		if (self->held[i].window != window)
			continue;
		self->held[i].awaited = !last;
		if (moved) {
			self->held[i].read = true;
			self->held[i].move = move_number();
		}
	}
}

static void seek_from(uint32_t to, uint32_t context)
{
	set_comm(self->comm, context);
	set_destination(to);
}

__attribute__((noinline)) bool invitation_found(void)
{
	uint32_t seen = hw_read(CCLO_RENDEZVOUS_SEEK_ADDRESS);

	if (UNLIKELY(seen > 1))
		series_differs(hw_read(CCLO_MOVE_DESTINATION_ADDRESS), hw_read(CCLO_RENDEZVOUS_ANNOUNCED_NUMBER_ADDRESS),
		               hw_read(CCLO_RENDEZVOUS_ANNOUNCED_COLLECTIVE_COUNT_ADDRESS),
		       hw_read(CCLO_RENDEZVOUS_ANNOUNCED_SHAPE_ADDRESS));
	return seen != 0;
}

static bool found(uint32_t tag)
{
	set_tag(tag);
	return invitation_found();
}

bool invitation_wait(uint32_t to, uint32_t tag, uint32_t context)
{
	seek_from(to, context);
	return invitation_wait_prepared(to, tag, context);
}

/* Other calls may have written the registers meanwhile. */
__attribute__((noinline)) static void await_invitation(uint32_t to, uint32_t tag, uint32_t context)
{
	self->awaited = to;
	AWAIT((seek_from(to, context), found(tag)), remote_limit(), CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
}

void invitation_take(uint32_t tag)
{
	struct call *call = engine.current;

	call->remote_address = hw_read64(CCLO_RENDEZVOUS_ANNOUNCED_ADDRESS_ADDRESS);
	call->remote_host = hw_read(CCLO_RENDEZVOUS_ANNOUNCED_HOST_ADDRESS) != 0;
	/* On lossy networks data have the number of the transfer as tag, so that late packets of another transfer do not
	 * match. */
	call->remote_transfer = lossy() ? hw_read(CCLO_RENDEZVOUS_ANNOUNCED_TRANSFER_ADDRESS) : tag;
	call->remote_bytes = call->remote_packet = 0;
	if (engine.counted == call)
		engine.counted = NULL;
	hw_write(CCLO_RENDEZVOUS_TAKE_ADDRESS, 1);
}

bool invitation_wait_prepared(uint32_t to, uint32_t tag, uint32_t context)
{
	bool window;

	if (!found(tag))
		await_invitation(to, tag, context);
	if (plan_records())
		plan_note_invitation(tag);
	window = hw_read(CCLO_RENDEZVOUS_ANNOUNCED_COUNT_ADDRESS) != 0;
	invitation_take(tag);
	return window;
}

void invitation_done(uint32_t to, uint32_t context)
{
	move_header(CCLO_MESSAGE_TYPE_RENDEZVOUS_DONE, to, self->remote_bytes, self->remote_address, self->remote_host,
	            self->remote_transfer, context);
}

void invitation_finish(uint32_t control)
{
	set_header_count(self->remote_bytes);
	set_remote((uint32_t)self->remote_address, (uint32_t)(self->remote_address >> 32));
	move_give(control | FIELD(MOVE_CONTROL_REMOTE_HOST, self->remote_host));
}

#endif
