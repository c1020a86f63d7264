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

__attribute__((cold)) uint32_t operand_fields(const struct place *place)
{
	return FIELD(MOVE_CONTROL_OP0, place->kind) | FIELD(MOVE_CONTROL_OP0_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_OP0_HOST, place->host);
}

__attribute__((cold)) uint32_t result_fields(const struct place *place)
{
	return FIELD(MOVE_CONTROL_RESULT, place->kind) | FIELD(MOVE_CONTROL_RESULT_COMPRESSED, place->packed) |
	       FIELD(MOVE_CONTROL_RESULT_HOST, place->host);
}

#if CCLO_FEATURE_RENDEZVOUS
/* The register counts packets of one call after another. */
void move_count_packets(void)
{
	struct call *call = engine.current;

	if (engine.counted != NULL)
		engine.counted->remote_packet = hw_read(CCLO_MOVE_PACKET_INDEX_ADDRESS);
	set_packet_index(call->remote_packet);
	engine.counted = call;
}
#endif

/* Registers are shared with other calls: what may wait or fail comes before they are set. */
__attribute__((cold)) uint32_t move_prepare(const struct move *move, uint32_t tag, uint32_t strm,
                                             uint32_t kernel_tdest)
{
	const struct call *call = engine.current;

	(void)bytes_of(move->count, false);
	move_make_room();
	if (sends(move) && move->count != 0) {
		cut_use(move->to);
		set_cut(engine.known.chunk_bytes, engine.known.segment_bytes);
	}
	set_tdest(call->tdest | FIELD(MOVE_TDEST_KERNEL, kernel_tdest));
	set_comm(call->comm, call->context);
	set_tag(tag);
	set_strm(strm);
	return move_set(move, NULL);
}

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
	uint32_t control;

	move_make_room();
	set_bytes(0);
	set_comm(self->comm, context);
	set_tag(tag);
	if (sends) {
		set_strm(0);
		control = set_destination(rank) | FIELD(MOVE_CONTROL_FENCE, fence);
	} else {
		control = set_source(rank);
	}
	/* First: a rank that has a credit may send before this one has posted its receive. */
	if (UNLIKELY(engine.recording != NULL))
		plan_note(control);
	move_enqueue(control);
}

#if CCLO_FEATURE_RENDEZVOUS
static inline void header(uint32_t type, uint32_t destination, uint32_t count, uint64_t address, bool host,
                          uint32_t tag)
{
	set_tag(tag);
	set_bytes(0);
	set_strm(0);
	set_header_count(count);
	set_remote((uint32_t)address, (uint32_t)(address >> 32));
	move_give(set_destination(destination) | FIELD(MOVE_CONTROL_MESSAGE_TYPE, type) |
	          FIELD(MOVE_CONTROL_REMOTE_HOST, host));
}

/* Others may set registers while this one waits. */
__attribute__((noinline, cold)) static void header_when_there_is_room(uint32_t type, uint32_t destination,
                                                                      uint32_t count, uint64_t address,
                                                                bool host, uint32_t tag, uint32_t context)
{
	move_make_room();
	set_comm(self->comm, context);
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
	set_comm(self->comm, context);
	move_header_prepared(type, destination, count, address, host, tag, context);
}
#endif
