/* The fast path, for the usual call: the only one open, on uncompressed elements in device memory (messages may be
 * compressed), with the tables of the call before, elements of a power of two of bytes. Its words go from the call
 * window to the move registers. Loads come before stores, because a load from the bus waits for earlier stores. */

#include "comm.h"
#include "move.h"
#include "operations.h"
#include "plan.h"
#include "task.h"
#include "window.h"

/* The only open call has the first queue, and engine.calls[0]. */
#define QUEUE 0

#define SEEKS 8 /* cheaper than an ordinary call that waits */

#define FROM_MEMORY FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY)
#define TO_MEMORY   FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY)
#define TO_NETWORK  FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK)

/* Issues the move. State that only matters with other calls is left to express_settle, so that the processor sleeps
 * before the move has completed. */
static inline bool go(uint32_t control, enum call_kind kind, uint32_t moves, uint32_t limit)
{
	struct call *call = engine.calls;

	issue_move(control, QUEUE);
	engine.open = 1;
	engine.set_by = NULL;
	engine.quick = (uint8_t)moves;
	call->kind = (uint8_t)kind;
	call->ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	task_limit_first(call, limit);
	return true;
}

#if CCLO_FEATURE_RENDEZVOUS
/* The rest of a receive into a window. */
__attribute__((noreturn, cold)) static void window_rest(void)
{
	move_drain();
	queue_give_back(self); /* others need it while this one waits */
	windows_finish();
	task_done();
}

/* Lets the call continue with that. */
__attribute__((cold)) static void settle_window(struct call *call)
{
	call->windows = 1;
	call->held[0] = (struct held){ .window = P2P_WINDOWS, .from = (uint16_t)call->words.root_src_dst };
	engine.windows |= 1u << P2P_WINDOWS;
	call->state.finishing = false;
	call->sp = task_stack(call, window_rest);
}

/* Waits until the window is complete; any other event makes the call an ordinary one. */
uint32_t express_window(void)
{
	struct call *call = engine.calls;
	uint32_t wake = task_sleep(CCLO_SYSTEM_NEXT_ADDRESS);

	if (UNLIKELY(wake & (CCLO_WAKE_TAKEN_MASK | CCLO_WAKE_RESET_REQUESTED_MASK | CCLO_WAKE_EVENT_NETWORK))) {
		express_settle();
		return wake;
	}
	if (LIKELY(hw_read(CCLO_RENDEZVOUS_DONE_ADDRESS) != 0)) {
		task_answer_next(0);
		engine.open = 0;
		engine.issued[QUEUE]++;
		engine.quick = 0;
		return wake;
	}
	if ((wake & CCLO_WAKE_EVENTS_MASK) == 0 ||
	           hw_read(CCLO_MOVE_STATUS_STATE_ADDRESS) & 1u << (CCLO_MOVE_STATE_FAILED_SHIFT + QUEUE)) {
		express_settle();
		/* The limit counts from the last packet that came. */
		if (reached(call->deadline) && hw_read(CCLO_RENDEZVOUS_ARRIVED_ADDRESS) == 0)
			task_fail_of(call, CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
	}
	return wake;
}
#endif

__attribute__((cold)) void express_settle(void)
{
	struct call *call = engine.calls;

	queue_settle_fast(call);
	call->order = engine.next_order++;
	call->error = 0;
	call->windows = 0;
	call->op0.form = call->res.form = CCLO_MOVE_OPERAND_NONE;
#if CCLO_FEATURE_RENDEZVOUS
	if (engine.quick & QUICK_WINDOW)
		settle_window(call);
#endif
	engine.quick = 0;
	call->awaited = call->words.root_src_dst;
	if (call->kind == KIND_COLLECTIVE)
		plan_settle(call);
	else
		call->number = call->words.count = 0;
}

static inline void note_message(uint32_t comm, uint32_t peer, uint32_t tag)
{
	struct call *call = engine.calls;

	call->comm = comm;
	call->words.root_src_dst = peer;
	call->tag = tag;
}

static inline void set_message(uint32_t comm, uint32_t peer, uint32_t tag)
{
	set_comm(comm, engine.known.context);
	set_tag(tag);
	note_message(comm, peer, tag);
}

/* Sets what all eager messages of the fast path have in common; ordinary calls may change it. */
__attribute__((noinline, cold)) static void set_alike(uint32_t comm)
{
	set_comm(comm, engine.known.context);
	set_cut(engine.known.chunk_bytes, engine.known.segment_bytes);
	set_strm(0);
	engine.alike = true;
}

/* Sends an eager message; bytes and operand are set. */
static inline bool send_eagerly(uint32_t comm, uint32_t peer, uint32_t tag, uint32_t form)
{
	set_destination(peer);
	set_tag(tag);
	if (UNLIKELY(!engine.alike))
		set_alike(comm);
	note_message(comm, peer, tag);
	return go(FROM_MEMORY | TO_NETWORK | form, KIND_SEND_EAGER, 1, move_limit());
}

#if CCLO_FEATURE_RENDEZVOUS
/* Sends into the window of a CTS, if it has come, and a done message behind. Registers are set while the processor
 * decides, which costs nothing. */
__attribute__((noinline)) static bool to_window(uint32_t bytes, uint32_t low0, uint32_t high0, uint32_t comm,
                                                uint32_t peer, uint32_t tag)
{
	bool lossy = engine.lossy;
	uint32_t count, host, address, address_high;

	set_message(comm, peer, tag);
	set_destination(peer);
	set_bytes(bytes);
	set_op0(low0, high0);
	set_strm(0);
	set_packet_index(0);
	engine.counted = NULL;
	if (peer >= engine.known.size || bytes > engine.known.window_bytes)
		return false;
	/* A peer that sends CTS knows windows. One may be in flight. */
	for (uint32_t tries = 0; UNLIKELY(hw_read(CCLO_RENDEZVOUS_SEEK_ADDRESS) == 0);)
		if (++tries == SEEKS)
			return false;
	count = hw_read(CCLO_RENDEZVOUS_ANNOUNCED_COUNT_ADDRESS);
	address = hw_read(CCLO_RENDEZVOUS_ANNOUNCED_ADDRESS_ADDRESS);
	address_high = hw_read(CCLO_RENDEZVOUS_ANNOUNCED_ADDRESS_ADDRESS + 4);
	host = FIELD(MOVE_CONTROL_REMOTE_HOST, hw_read(CCLO_RENDEZVOUS_ANNOUNCED_HOST_ADDRESS));
	if (UNLIKELY(count == 0))
		return false;
	if (UNLIKELY(lossy))
		set_tag(hw_read(CCLO_RENDEZVOUS_ANNOUNCED_TRANSFER_ADDRESS));
	set_remote(address, address_high);
	issue_move(FROM_MEMORY | TO_NETWORK | host |
	               FIELD(MOVE_CONTROL_MESSAGE_TYPE, CCLO_MESSAGE_TYPE_RENDEZVOUS_DATA), QUEUE);
	hw_write(CCLO_RENDEZVOUS_TAKE_ADDRESS, 1);
	set_bytes(0);
	set_header_count(bytes);
	return go(TO_NETWORK | FIELD(MOVE_CONTROL_MESSAGE_TYPE, CCLO_MESSAGE_TYPE_RENDEZVOUS_DONE) | host,
	          KIND_SEND_RENDEZVOUS, 2, move_limit());
}

/* Opens a window for the whole message and sends its CTS. */
__attribute__((noinline)) static bool in_window(uint32_t count, uint32_t low2, uint32_t high2, uint32_t comm,
                                                uint32_t peer, uint32_t tag)
{
	uint32_t bytes = count << engine.known.forms.plain_log;

	if (bytes > engine.known.window_bytes || (*peer_of(comm, peer) & PEER_SENDS) == 0)
		return false;
	set_message(comm, peer, tag);
	set_source(peer);
	hw_write(CCLO_RENDEZVOUS_WINDOW_ADDRESS, P2P_WINDOWS);
	hw_write(CCLO_RENDEZVOUS_ADDRESS_ADDRESS, low2);
	hw_write(CCLO_RENDEZVOUS_ADDRESS_ADDRESS + 4, high2);
	hw_write(CCLO_RENDEZVOUS_BYTES_ADDRESS, bytes);
	hw_write(CCLO_RENDEZVOUS_OPEN_ADDRESS, 0);
	set_destination(peer);
	set_bytes(0);
	set_strm(0);
	set_header_count(count);
	set_remote(low2, high2);
	return go(TO_NETWORK | FIELD(MOVE_CONTROL_MESSAGE_TYPE, CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT),
	          KIND_RECV_RENDEZVOUS, 1 | QUICK_WINDOW, remote_limit());
}
#endif

/* Sets both lengths, and the TDESTs of the conversions. */
static inline void set_forms(uint32_t count)
{
	const struct known *known = &engine.known;

	set_bytes(count << known->forms.plain_log);
	set_compressed_bytes((count >> known->ratio_log) << known->forms.packed_log);
	set_tdest(known->conversions);
}

/* An eager message that is compressed. */
static inline bool send_packed(uint32_t count, uint32_t low0, uint32_t high0, uint32_t comm, uint32_t peer,
                               uint32_t tag)
{
	set_forms(count);
	set_op0(low0, high0);
	return send_eagerly(comm, peer, tag, CCLO_MOVE_CONTROL_NETWORK_COMPRESSED_MASK);
}

static inline bool receive_packed(uint32_t count, uint32_t low2, uint32_t high2, uint32_t comm, uint32_t peer,
                                  uint32_t tag)
{
	set_forms(count);
	set_result(low2, high2);
	set_message(comm, peer, tag);
	set_source(peer);
	engine.early = 1;
	return go(FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE) | CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK |
	              CCLO_MOVE_CONTROL_INNER_COMPRESSED_MASK | TO_MEMORY,
	          KIND_RECV_EAGER, 1, move_limit());
}

bool express(uint32_t operation)
{
	const struct known *known = &engine.known;
	uint32_t wrong, packed, count, bytes, low0, high0, low2, high2, comm, peer, tag;

	if ((known->express >> operation & 1) == 0)
		return false;
	wrong = CALL_WORD(arithcfg) ^ known->elements;
	packed = CALL_WORD(compression_flags);
	wrong |= CALL_WORD(stream_flags);
	count = CALL_WORD(count);
	wrong |= count >> 26; /* the number of bytes fits a word */
	wrong |= engine.left;
	bytes = count << known->forms.plain_log; /* products take longer */
	if (LIKELY(operation == CCLO_OPERATION_SEND)) {
		comm = CALL_WORD(comm);
		peer = CALL_WORD(root_src_dst);
		tag = CALL_WORD(tag);
		low0 = CALL_WORD(addr_0_low);
		high0 = CALL_WORD(addr_0_high);
		if (UNLIKELY(packed))
			return (wrong | (comm ^ known->comm) | (packed ^ CCLO_COMPRESSION_FLAGS_ETH)) == 0 &&
			       peer < known->express_packed_ranks && send_packed(count, low0, high0, comm, peer, tag);
#if CCLO_FEATURE_RENDEZVOUS
		if (bytes > engine.max_eager)
			return (wrong | (comm ^ known->comm)) == 0 && to_window(bytes, low0, high0, comm, peer, tag);
#endif
		if (UNLIKELY(wrong | (comm ^ known->comm)) || peer >= known->express_ranks || bytes > engine.max_eager)
			return false;
		set_bytes(bytes);
		set_op0(low0, high0);
		return send_eagerly(comm, peer, tag, 0);
	}
	low2 = CALL_WORD(addr_2_low);
	high2 = CALL_WORD(addr_2_high);
	if (operation == CCLO_OPERATION_RECV) {
		comm = CALL_WORD(comm);
		peer = CALL_WORD(root_src_dst);
		tag = CALL_WORD(tag);
		/* Without an address of the result, it may be in that of operand 1. */
		if (UNLIKELY(wrong | (comm ^ known->comm)) || peer >= known->size || (low2 | high2) == 0)
			return false;
		if (UNLIKELY(packed))
			return packed == CCLO_COMPRESSION_FLAGS_ETH && known->express_packs &&
			       receive_packed(count, low2, high2, comm, peer, tag);
#if CCLO_FEATURE_RENDEZVOUS
		if (bytes > engine.max_eager)
			return in_window(count, low2, high2, comm, peer, tag);
#endif
		if (bytes > engine.max_eager)
			return false;
		set_bytes(bytes);
		set_result(low2, high2);
		set_message(comm, peer, tag);
		set_source(peer);
		engine.early = 1;
		return go(FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE) | TO_MEMORY, KIND_RECV_EAGER, 1, move_limit());
	}
	low0 = CALL_WORD(addr_0_low);
	high0 = CALL_WORD(addr_0_high);
	if (operation == CCLO_OPERATION_COMBINE) {
		uint32_t low1 = CALL_WORD(addr_1_low), high1 = CALL_WORD(addr_1_high);

		if (UNLIKELY(wrong | packed | (CALL_WORD(function_code) ^ known->function)))
			return false;
		set_bytes(bytes);
		set_tdest(known->conversions | known->reduction);
		set_op0(low0, high0);
		set_op1(low1, high1);
		set_result(low2, high2);
		return go(FROM_MEMORY | FIELD(MOVE_CONTROL_OP1, CCLO_MOVE_OPERAND_MEMORY) | TO_MEMORY, KIND_LOCAL, 1, move_limit());
	}
	if (UNLIKELY(wrong | packed))
		return false;
	set_bytes(bytes);
	set_op0(low0, high0);
	set_result(low2, high2);
	return go(FROM_MEMORY | TO_MEMORY, KIND_LOCAL, 1, move_limit());
}

bool express_other(uint32_t operation)
{
	bool with_comm = operation == CCLO_OPERATION_SEND || operation == CCLO_OPERATION_RECV;

	return known_exchange(with_comm ? CALL_WORD(comm) : engine.known.comm, CALL_WORD(arithcfg));
}
