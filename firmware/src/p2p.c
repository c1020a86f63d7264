/* Between two ranks. */

#pragma GCC optimize("Os") /* the fast path has the usual ones, and memory is short */

#include "comm.h"
#include "move.h"
#include "operations.h"
#include "order.h"
#include "stage.h"
#include "task.h"
#include "window.h"

__attribute__((noreturn)) static void send_eagerly(uint32_t to, uint32_t strm)
{
	struct move move = { .own = self->op0, .count = self->words.count, .shape = SEND, .to = to };

	move_give(move_prepare(&move, self->words.tag, strm, 0));
	move_finish();
}

__attribute__((cold, noreturn, noinline)) static void put_here(uint32_t tag)
{
	struct move move = {
		.own = self->op0,
		.result.kind = CCLO_MOVE_RESULT_KERNEL_STREAM,
		.count = self->words.count,
	};

	order_wait(KIND_LOCAL, tag);
	move_give(move_prepare(&move, 0, 0, tag + CCLO_PUT_TDEST_OFFSET));
	move_finish();
}

/* To the remote kernel stream, or to the own one. */
__attribute__((cold, noreturn)) static void put(uint32_t to)
{
	uint32_t tag = self->words.tag;

	if (tag > CCLO_MAX_PUT_TAG)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	if (to == self->rank)
		put_here(tag);
	self->res.kind = CCLO_MOVE_RESULT_NONE; /* it is not this rank's stream */
	order_wait(KIND_SEND_EAGER, tag);
	send_eagerly(to, tag + CCLO_PUT_STREAM_OFFSET);
}

#if CCLO_FEATURE_RENDEZVOUS
static bool foreign(uint32_t rank)
{
	set_comm(self->comm, self->context);
	set_source(rank);
	return hw_read(CCLO_RENDEZVOUS_FOREIGN_ADDRESS) != 0;
}

/* Whether the message is above the eager limit and not compressed. The form of an operand does not count, because the
 * other rank does not know it. */
static bool is_large(void)
{
	return bytes_of(self->words.count, false) > engine.max_eager && engine.known.window_bytes != 0 && !self->wire_packed;
}

/* The context of marks; even, as all outside collectives. */
static uint32_t mark_context(void)
{
	uint32_t context = self->context ^ 2;

	return context != 0 ? context : 4;
}

/* Whether a large message goes to a window. Unless the host has configured what peers are, the first large messages are
 * eager, because engines of another make would take a CTS for the header of data. An eager message received from a
 * peer shows what it is. The sender then sends a mark, in the form of a CTS, with the sequence number from which on
 * large messages use windows; both sides follow it.
 *
 * Until then the call is an eager one. On networks that reorder messages it stays so until the peer has sent a CTS, and
 * so has seen the mark. */
static bool goes_to_windows(uint32_t to)
{
	uint8_t *peer = peer_of(self->comm, to);
	uint32_t first;

	if (*peer & PEER_TAKES)
		return true;
	if (to == self->rank) {
		*peer |= PEER_TAKES;
		return true;
	}
	if (rank_word(to, CCLO_COMMUNICATORS_INBOUND_SEQ_WORD) == 0 || foreign(to))
		return false;
	order_wait(KIND_SEND_EAGER, self->words.tag);
	if (*peer & PEER_TAKES)
		return true;
	first = rank_word(to, CCLO_COMMUNICATORS_OUTBOUND_SEQ_WORD); /* all before have left */
	move_header(CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT, to, first, 0, false, 0, mark_context());
	move_drain();
	queue_give_back(self); /* others need it while this one waits */
	if (!lossy())
		*peer |= PEER_TAKES;
	return true;
}

/* Whether the peer's mark has come and all messages before it were received. */
static bool is_marked(uint8_t *peer, uint32_t from)
{
	if (*peer & PEER_SENDS)
		return true;
	set_comm(self->comm, mark_context());
	set_destination(from);
	set_tag(0);
	if (hw_read(CCLO_RENDEZVOUS_SEEK_ADDRESS) == 0 ||
	    (int32_t)(rank_word(from, CCLO_COMMUNICATORS_INBOUND_SEQ_WORD) -
	              hw_read(CCLO_RENDEZVOUS_ANNOUNCED_COUNT_ADDRESS)) < 0)
		return false;
	hw_write(CCLO_RENDEZVOUS_TAKE_ADDRESS, 1);
	*peer |= PEER_SENDS;
	return true;
}

/* Elements of the piece at an offset: whole beats, for kernel streams. */
static uint32_t piece(uint32_t offset)
{
	uint32_t most = whole_beats(elements_in(engine.max_rendezvous));
	uint32_t left = self->words.count - offset;

	return left < most ? left : most;
}

/* Sends piece by piece into windows; false if the receiver asks for the message eagerly. */
__attribute__((cold, noinline)) static bool send_to_windows(uint32_t to)
{
	for (uint32_t offset = 0; offset < self->words.count; offset += piece(offset)) {
		struct move move = {
			.own = place_at(&self->op0, offset),
			.count = piece(offset),
			.shape = SEND,
			.to = to,
		};

		if (!invitation_wait(to, self->tag, self->context))
			return false;
		move_give_remote(move_prepare(&move, self->tag, 0, 0), bytes_of(move.count, false));
		invitation_done(to, self->context);
	}
	move_drain();
	return true;
}

static void receive_in_windows(uint32_t from)
{
	self->invites = false;
	if (engine.open != self->bit) /* mostly it is alone */
		windows_turn();
	for (uint32_t offset = 0; offset < self->words.count; offset += piece(offset)) {
		struct place landing = place_at(&self->res, offset);

		window_open(from, &landing, piece(offset), self->tag, self->context, false);
		move_drain();
		queue_give_back(self); /* others need it while this one waits */
		windows_finish();
	}
}
#endif

void send(struct call *call)
{
	uint32_t to = comm_peer();

	if (call->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM)
		put(to);
	call->res.kind = CCLO_MOVE_RESULT_NONE;
#if CCLO_FEATURE_RENDEZVOUS
	if (is_large() && goes_to_windows(to)) {
		uint8_t *peer = peer_of(call->comm, to);
		bool sent;

		if (*peer & PEER_TAKES)
			order_wait(KIND_SEND_RENDEZVOUS, call->words.tag);
		sent = send_to_windows(to);
		*peer |= PEER_TAKES;
		if (sent)
			return;
	}
#endif
	order_wait(KIND_SEND_EAGER, call->words.tag);
	send_eagerly(to, 0);
}

static bool message_waits(uint32_t from)
{
	set_comm(self->comm, self->context);
	set_source(from);
	set_tag(self->tag);
	return hw_read(CCLO_RX_SEEK_ADDRESS) != 0;
}

#if CCLO_FEATURE_RENDEZVOUS
/* The receiving side of goes_to_windows. */
static bool comes_in_windows(uint32_t from)
{
	uint8_t *peer = peer_of(self->comm, from);

	if (from == self->rank)
		*peer |= PEER_SENDS;
	if (*peer & PEER_SENDS)
		return true;
	if (foreign(from))
		return false;
	order_wait(KIND_RECV_EAGER, self->words.tag);
	self->awaited = from;
	AWAIT(is_marked(peer, from) || message_waits(from), remote_limit(), CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
	return (*peer & PEER_SENDS) != 0;
}
#endif

__attribute__((noreturn)) static void receive_eagerly(uint32_t from)
{
	struct move move = { .result = self->res, .count = self->words.count, .shape = RECEIVE, .from = from };

	/* One receive may hold a queue before its message has come. More could leave sends without a queue. */
	if (engine.early == 0)
		engine.early = self->bit;
	else {
		self->awaited = from;
		AWAIT(message_waits(from), remote_limit(), CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
	}
	move_give(move_prepare(&move, self->tag, 0, self->tag == CCLO_TAG_ANY ? 0 : self->tag));
	move_finish();
}

void recv(struct call *call)
{
	uint32_t from = comm_peer();

	/* User kernels pass the destination as the second address. */
	if (call->res.kind == CCLO_MOVE_RESULT_MEMORY && address_of(&call->res) == 0 && address_of(&call->op1) != 0) {
		call->res.low = call->op1.low;
		call->res.high = call->op1.high;
	}
	call->op0.kind = CCLO_MOVE_OPERAND_NONE;
#if CCLO_FEATURE_RENDEZVOUS
	if (is_large() && comes_in_windows(from)) {
		order_wait(KIND_RECV_RENDEZVOUS, call->words.tag);
		if (call->res.kind == CCLO_MOVE_RESULT_MEMORY && !call->res.packed) {
			receive_in_windows(from);
			return;
		}
		window_decline(from, call->tag, call->context);
		move_drain();
		queue_give_back(call);
		order_wait(KIND_RECV_EAGER, call->tag);
		receive_eagerly(from);
	}
#endif
	order_wait(KIND_RECV_EAGER, call->words.tag);
	receive_eagerly(from);
}
