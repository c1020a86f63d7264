#include "move.h"

#include "comm.h"
#include "plan.h"
#include "task.h"

__attribute__((noinline)) void place_further(struct place *to, const struct place *from, uint64_t elements)
{
	const struct call *call = engine.current;
	uint64_t address = address_of(from);

	if (elements == 0) {
		*to = *from;
		return;
	}
	if (from->packed)
		elements >>= call->ratio_log;
	if (elements >> 32 == 0) /* nearly always: a product of words */
		address += (uint64_t)(uint32_t)elements * (from->packed ? call->packed_bytes : call->plain_bytes);
	else
		address += elements * (from->packed ? call->packed_bytes : call->plain_bytes);
	to->low = (uint32_t)address;
	to->high = (uint32_t)(address >> 32);
	to->form = from->form;
}

struct place place_at(const struct place *from, uint64_t elements)
{
	struct place place;

	place_further(&place, from, elements);
	return place;
}

uint32_t message_elements(uint32_t rank)
{
	uint32_t elements;

	cut_use(rank);
	elements = elements_on_wire(engine.known.message_bytes);
	return elements != 0 ? elements : 1;
}


static uint32_t op0_fields(const struct place *place)
{
	uint32_t form = place->form;

	if (form == PLAIN_MEMORY)
		return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);
	return FIELD(MOVE_CONTROL_OP0, place->kind) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_OP0_HOST, place->host);
}

static uint32_t result_fields(const struct place *place)
{
	uint32_t form = place->form;

	if (form == PLAIN_MEMORY)
		return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY);
	return FIELD(MOVE_CONTROL_RESULT, place->kind) | FIELD(MOVE_CONTROL_RESULT_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_RESULT_HOST, place->host);
}

/* What comes from a rank, as an operand: its message, or its window. */
static uint32_t set_incoming(const struct move *m, uint32_t address, const struct call *call)
{
#if CCLO_FEATURE_RENDEZVOUS
	const struct place *window = m->from_window;

	if (window != NULL) {
		hw_write(address, window->low);
		hw_write(address + 4, window->high);
		hw_write(CCLO_MOVE_WINDOW_ADDRESS, m->window);
		return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_WINDOW) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, call->wire_packed) |
		       FIELD(MOVE_CONTROL_OP0_HOST, window->host);
	}
#endif
	(void)address;
	(void)m;
	return FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, call->wire_packed);
}

/* The fields of operand 1 as those of operand 0 stand in the word. */
static uint32_t as_op1(uint32_t fields)
{
	return (fields & CCLO_MOVE_CONTROL_OP0_MASK) << (CCLO_MOVE_CONTROL_OP1_SHIFT - CCLO_MOVE_CONTROL_OP0_SHIFT) |
	       (fields & (CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK | CCLO_MOVE_CONTROL_OP0_HOST_MASK)) << 1;
}

_Static_assert(CCLO_MOVE_CONTROL_OP1_COMPRESSED_MASK == CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK << 1 &&
                   CCLO_MOVE_CONTROL_OP1_HOST_MASK == CCLO_MOVE_CONTROL_OP0_HOST_MASK << 1, "as_op1");

/* Sets the operands and says what they are. Without a reduction nothing is
 * converted that need not be: the inner form is that of the only operand. */
static uint32_t set_operands(const struct move *m, const struct call *call)
{
	const struct place *op0 = m->op0, *op1 = m->op1;
	uint32_t control;

	if (op0 == NULL) {
		if (!m->receives)
			return 0;
		return set_incoming(m, CCLO_MOVE_OP0_ADDRESS_ADDRESS, call) | FIELD(MOVE_CONTROL_INNER_COMPRESSED, call->wire_packed);
	}
	control = op0_fields(op0);
	hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, op0->low);
	hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, op0->high);
	if (m->receives)
		return control | as_op1(set_incoming(m, CCLO_MOVE_OP1_ADDRESS_ADDRESS, call)) |
		       FIELD(MOVE_CONTROL_INNER_COMPRESSED, call->forms.inner_packed && !m->apart);
	if (op1 == NULL)
		return control | FIELD(MOVE_CONTROL_INNER_COMPRESSED, op0->packed);
	hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, op1->low);
	hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, op1->high);
	return control | as_op1(op0_fields(op1)) | FIELD(MOVE_CONTROL_INNER_COMPRESSED, call->forms.inner_packed && !m->apart);
}

static uint32_t set_result(const struct move *m, const struct call *call)
{
	uint32_t control = 0;

	if (m->result != NULL) {
		control = result_fields(m->result);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, m->result->low);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, m->result->high);
	}
	if (!m->sends)
		return control;
	switch (FIELD_OF(MOVE_CONTROL_RESULT, control)) {
	case CCLO_MOVE_RESULT_MEMORY:
		control += m->apart ? FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_APART - CCLO_MOVE_RESULT_MEMORY)
		                    : FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY_AND_NETWORK - CCLO_MOVE_RESULT_MEMORY);
		break;
	case CCLO_MOVE_RESULT_KERNEL_STREAM:
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_KERNEL_STREAM_AND_NETWORK - CCLO_MOVE_RESULT_KERNEL_STREAM);
		break;
	default:
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
	}
	return control | FIELD(MOVE_CONTROL_NETWORK_COMPRESSED, call->wire_packed);
}

#if CCLO_FEATURE_RENDEZVOUS
/* The register counts packets of one call after another. */
void move_count_packets(void)
{
	struct call *call = engine.current;

	if (engine.counted != NULL)
		engine.counted->remote_packet = hw_read(CCLO_MOVE_PACKET_INDEX_ADDRESS);
	hw_write(CCLO_MOVE_PACKET_INDEX_ADDRESS, call->remote_packet);
	engine.counted = call;
}
#endif

/* Registers are shared with other calls: what may wait or fail comes before they
 * are set. */
uint32_t move_prepare(const struct move *m)
{
	const struct call *call = engine.current;
	uint32_t bytes = bytes_of(m->count, false);
	uint32_t packed = call->packs ? bytes_of(m->count, true) : 0;
	uint32_t control = FIELD(MOVE_CONTROL_FENCE, m->fence);
	bool cut = m->sends && !m->to_window && m->count != 0;

	move_make_room();
	if (cut)
		cut_use(m->destination);
	hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes);
	if (call->packs)
		hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, packed);
	hw_write(CCLO_MOVE_TDEST_ADDRESS, call->tdest | FIELD(MOVE_TDEST_KERNEL, m->tdest));
	control |= set_operands(m, call) | set_result(m, call);
	if (m->receives || m->sends) {
		hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
		hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, m->context);
		hw_write(CCLO_MOVE_TAG_ADDRESS, m->tag);
	}
	if (m->receives)
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, m->source);
	if (m->sends) {
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, m->destination);
		hw_write(CCLO_MOVE_STRM_ADDRESS, m->strm);
	}
	if (cut) {
		bool collective = call->kind == KIND_COLLECTIVE;

		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, collective ? 0 : engine.known.chunk_bytes);
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, collective ? engine.known.message_bytes : engine.known.segment_bytes);
	}
	return control;
}

void move_commit(bool to_window, uint32_t count, uint32_t control)
{
#if CCLO_FEATURE_RENDEZVOUS
	if (to_window) {
		move_give_remote(control, count * engine.current->plain_bytes); /* a word: prepared */
		return;
	}
#endif
	(void)to_window;
	(void)count;
	move_give(control);
}

void move_issue(const struct move *m) { move_commit(m->to_window, m->count, move_prepare(m)); }

__attribute__((cold)) uint32_t bytes_of_many(uint32_t count, bool packed)
{
	uint64_t bytes = packed ? (uint64_t)(count >> self->ratio_log) * self->packed_bytes
	                        : (uint64_t)count * self->plain_bytes;

	if (bytes >> 32)
		task_fail(CCLO_RETURN_CODE_DMA_SIZE);
	return (uint32_t)bytes;
}

void move_token(bool sends, bool fence, uint32_t rank, uint32_t tag, uint32_t context)
{
	struct call *call = self;

	move_make_room();
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	if (sends) {
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, rank);
		hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
		move_give(FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_FENCE, fence));
	} else {
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, rank);
		move_give(FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MESSAGE));
	}
}

#if CCLO_FEATURE_RENDEZVOUS
static inline void header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host,
                          uint32_t tag)
{
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, destination);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
	hw_write(CCLO_MOVE_HEADER_COUNT_ADDRESS, count);
	hw_write64(CCLO_MOVE_REMOTE_ADDRESS_ADDRESS, address);
	move_give(FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_MESSAGE_TYPE, type) |
	                    FIELD(MOVE_CONTROL_REMOTE_HOST, host));
}

static inline void header_from(uint32_t context)
{
	hw_write(CCLO_MOVE_COMM_ADDRESS, self->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, context);
}

/* Others may set registers while this one waits. */
__attribute__((noinline, cold)) static void header_when_there_is_room(uint32_t type, uint32_t destination,
                                                                      uint32_t count, uint64_t address,
                                                                bool host, uint32_t tag, uint32_t context)
{
	move_make_room();
	header_from(context);
	header(type, destination, count, address, host, tag);
}

__attribute__((noinline)) void move_header_prepared(uint32_t type, uint32_t destination, uint32_t count,
                                                    uint64_t address, bool host,
                                                    uint32_t tag, uint32_t context)
{
	if (UNLIKELY(self->state.queue == NO_QUEUE || engine.room[self->state.queue] == 0))
		header_when_there_is_room(type, destination, count, address, host, tag, context);
	else
		header(type, destination, count, address, host, tag);
}

void move_header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host, uint32_t tag,
                 uint32_t context)
{
	header_from(context);
	move_header_prepared(type, destination, count, address, host, tag, context);
}
#endif
