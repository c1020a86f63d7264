#include "comm.h"

#include "series.h"
#include "task.h"

#define RANK_OFFSET(comm, rank) \
	((comm) + CCLO_COMMUNICATORS_HEADER_BYTES + (rank) * CCLO_COMMUNICATORS_RECORD_BYTES)
#define MOST_FUNCTIONS 32 /* that tell types apart */
#define CONTEXTS (sizeof(engine.contexts) / sizeof(engine.contexts[0]))

uint32_t rank_word(uint32_t rank, uint32_t word)
{
	return exchange_read(RANK_OFFSET(self->comm, rank) + 4 * word);
}

uint32_t peer_session(const struct call *call)
{
	return exchange_read(RANK_OFFSET(call->comm, call->words.root_src_dst) + 4 * CCLO_COMMUNICATORS_SESSION_WORD);
}

uint32_t rank_after(uint32_t rank, uint32_t places)
{
	uint32_t size = self->size;

	rank += places;
	if (rank < size)
		return rank;
	rank -= size;
	return rank < size ? rank : rank % size;
}

uint32_t rank_before(uint32_t rank, uint32_t places)
{
	if (rank >= places)
		return rank - places;
	return rank_after(rank, self->size - (places <= self->size ? places : places % self->size));
}

/* FNV-1a, word by word. */
static uint32_t hash(uint32_t seed, uint32_t word) { return (seed ^ word) * 16777619u; }

/* The context of a communicator: a hash of its members, alike on all of them. Even, because that of collectives is odd;
 * not 0, which engines of another make send. */
__attribute__((cold)) static uint32_t compute_context(void)
{
	uint32_t context = hash(2166136261u, self->size);

	for (uint32_t rank = 0; rank < self->size; rank++) {
		context = hash(context, rank_word(rank, CCLO_COMMUNICATORS_IP_WORD));
		context = hash(context, rank_word(rank, CCLO_COMMUNICATORS_PORT_WORD));
	}
	context &= ~1u;
	return context != 0 ? context : 2;
}

__attribute__((cold)) static uint32_t context(void)
{
	for (uint32_t i = 0; i < CONTEXTS; i++)
		if (engine.contexts[i].context != 0 && engine.contexts[i].comm == self->comm)
			return engine.contexts[i].context;
	uint32_t i = engine.next_context++ % CONTEXTS;
	engine.contexts[i].comm = self->comm;
	engine.contexts[i].context = compute_context();
	return engine.contexts[i].context;
}

void comm_forget(void)
{
	for (uint32_t i = 0; i < CONTEXTS; i++)
		engine.contexts[i].context = 0;
}

/* Earlier contents of engine.known, for alternating communicators and elements. */
#define OTHERS 4
static struct known others[OTHERS];
static uint32_t next_other;

static void exchange(struct known *other)
{
	typedef uint32_t word __attribute__((may_alias));
	word *a = (word *)&engine.known, *b = (word *)other;

#pragma GCC unroll 32
	for (uint32_t i = 0; i < sizeof(struct known) / sizeof(*a); i++) {
		uint32_t was = a[i];

		a[i] = b[i];
		b[i] = was;
	}
	engine.alike = false;
}

bool known_exchange(uint32_t comm, uint32_t elements)
{
	const struct known *known = &engine.known;

	if (LIKELY(((known->comm ^ comm) | (known->elements ^ elements)) == 0))
		return false;
	for (struct known *other = others; other != others + OTHERS; other++)
		if (other->elements == elements && other->comm == comm && other->elements_version == engine.tables) {
			exchange(other);
			return true;
		}
	return false;
}

/* Saves engine.known, if the fast path could use it, before it changes. */
static void known_keep(void)
{
	if (engine.known.express != 0 && engine.known.elements_version == engine.tables)
		others[next_other++ % OTHERS] = engine.known;
}

__attribute__((cold, noinline)) static void comm_read(struct call *call, uint32_t comm)
{
	struct known *known = &engine.known;

	known_keep();
	known->comm_version = known->cut_version = 0;
	known->express &= ~(1u << CCLO_OPERATION_SEND | 1u << CCLO_OPERATION_RECV);
	known->express_ranks = known->express_packed_ranks = 0;
	if (!engine.enabled || !exchange_holds(comm, CCLO_COMMUNICATORS_HEADER_BYTES))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	call->comm = comm;
	call->size = exchange_read(comm + 4 * CCLO_COMMUNICATORS_SIZE_WORD);
	call->rank = exchange_read(comm + 4 * CCLO_COMMUNICATORS_LOCAL_RANK_WORD);
	if (call->rank >= call->size || call->size > CCLO_EXCHANGE_BYTES / CCLO_COMMUNICATORS_RECORD_BYTES ||
	    !exchange_holds(comm, CCLO_COMMUNICATORS_HEADER_BYTES + call->size * CCLO_COMMUNICATORS_RECORD_BYTES))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	known->cut_alike = true;
	for (uint32_t rank = 1; rank < call->size; rank++)
		if (rank_word(rank, CCLO_COMMUNICATORS_MAX_SEGMENT_LEN_WORD) != rank_word(0, CCLO_COMMUNICATORS_MAX_SEGMENT_LEN_WORD))
			known->cut_alike = false;
	if (call->size > engine.ranks) {
		engine.ranks = call->size;
		tables_changed(); /* plans have windows for as many ranks as there were */
	}
	known->comm = comm;
	known->size = call->size;
	known->rank = call->rank;
	known->context = context();
	known->series = call->size > 1 ? series_of(known->context | 1) : NULL;
	if (known->series != NULL) {
		known->series->comm = comm;
		known->series->configured = true;
	}
	known->comm_version = engine.tables;
}

void comm_use(void)
{
	struct call *call = self;
	const struct known *known = &engine.known;
	uint32_t comm = CALL_WORD(comm);

	call->words.root_src_dst = CALL_WORD(root_src_dst);
	call->words.tag = CALL_WORD(tag);
	if (known->comm != comm || known->comm_version != engine.tables)
		comm_read(call, comm);
	call->comm = comm;
	call->size = known->size;
	call->rank = known->rank;
	call->context = known->context;
	call->series = known->series;
}

uint32_t comm_peer(void)
{
	if (self->words.root_src_dst >= self->size)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	return self->words.root_src_dst;
}

/* Bytes at which messages to a rank are cut: whole elements of the wire. */
static uint32_t segment_bytes(uint32_t rank, uint32_t wire_bytes)
{
	uint32_t bytes = rank_word(rank, CCLO_COMMUNICATORS_MAX_SEGMENT_LEN_WORD);

	if (bytes == 0 || bytes > engine.rx_bytes)
		bytes = engine.rx_bytes;
	if (engine.max_segment != 0 && bytes > engine.max_segment)
		bytes = engine.max_segment;
	if (lossy() && bytes > CCLO_MAX_UDP_PAYLOAD_BYTES)
		bytes = CCLO_MAX_UDP_PAYLOAD_BYTES;
	if ((wire_bytes & (wire_bytes - 1)) == 0)
		return bytes < wire_bytes ? bytes : bytes & -wire_bytes;
	return bytes < wire_bytes ? bytes : bytes - bytes % wire_bytes;
}

/* Chunks: as many uncompressed elements as an rx buffer holds. */
static uint32_t chunk_bytes(const struct call *call)
{
	uint32_t elements = elements_in(engine.rx_bytes);

	return call->wire_packed ? (elements >> call->ratio_log) * call->packed_bytes : elements * call->plain_bytes;
}

/* Inside collectives messages hold no more elements than without compression, so that slices are as fine. */
static uint32_t message_bytes(const struct call *call, uint32_t segment)
{
	uint32_t bytes = call->wire_packed ? (elements_in(segment) >> call->ratio_log) * call->packed_bytes : segment;

	return bytes != 0 ? bytes : segment;
}

void cut_use(uint32_t rank)
{
	const struct call *call = self;
	struct known *known = &engine.known;

	if (known->cut_version == engine.tables && (known->to == rank || known->cut_alike) &&
	    known->cut_packed == call->wire_packed &&
	    known->comm == call->comm && known->elements == call->elements)
		return;
	known->express_ranks = known->express_packed_ranks = 0;
	known->chunk_bytes = chunk_bytes(call);
	known->segment_bytes = segment_bytes(rank, call->wire_packed ? call->packed_bytes : call->plain_bytes);
	known->message_bytes = message_bytes(call, known->segment_bytes);
	known->to = rank;
	known->cut_packed = call->wire_packed;
	/* After a wait, engine.known may be of another communicator or other elements. */
	known->cut_version = known->comm == call->comm && known->elements == call->elements ? engine.tables : 0;
	if (known->cut_version == 0 || !known->cut_alike || known->comm_version != engine.tables ||
	    known->elements_version != engine.tables)
		return;
	if (!call->wire_packed && !known->forms.inner_packed)
		known->express_ranks = known->size;
	if (call->wire_packed && known->express_packs)
		known->express_packed_ranks = known->size;
}

static uint32_t configuration(uint32_t word) { return exchange_read(engine.known.elements + 4 * word); }

static struct place place(uint32_t low, uint32_t high, uint32_t stream, uint32_t packed, uint32_t host)
{
	struct place p = { .low = low, .high = high, .kind = CCLO_MOVE_OPERAND_MEMORY };

	if (stream) {
		if (!capable(CCLO_HARDWARE_ID_KERNEL_STREAMS_MASK))
			task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
		p.kind = CCLO_MOVE_OPERAND_KERNEL_STREAM;
		p.low = p.high = 0;
	}
	p.packed = packed != 0;
	p.host = host != 0 && !stream;
	return p;
}

/* Places are used as operands and as results. */
_Static_assert((uint32_t)CCLO_MOVE_OPERAND_NONE == (uint32_t)CCLO_MOVE_RESULT_NONE, "no place");
_Static_assert((uint32_t)CCLO_MOVE_OPERAND_MEMORY == (uint32_t)CCLO_MOVE_RESULT_MEMORY, "memory");
_Static_assert((uint32_t)CCLO_MOVE_OPERAND_KERNEL_STREAM == (uint32_t)CCLO_MOVE_RESULT_KERNEL_STREAM, "kernel stream");

/* Plain, in device memory: as most are. */
static inline void set_plain(struct place *place, uint32_t low, uint32_t high)
{
	place->low = low;
	place->high = high;
	place->form = PLAIN_MEMORY;
}

/* Operands that are streams, compressed or in host memory; the addresses are set already. */
__attribute__((noinline)) static void operands_other(struct call *call, uint32_t packed, uint32_t flags)
{
	uint32_t stream = FIELD_OF(STREAM_WORD_STREAM, flags);
#if CCLO_FEATURE_HOST_OPERANDS
	uint32_t host = FIELD_OF(STREAM_WORD_HOST, flags);
	uint32_t op0_host = host & CCLO_HOST_FLAGS_OP0;
	uint32_t op1_host = host & CCLO_HOST_FLAGS_OP1;
	uint32_t res_host = host & CCLO_HOST_FLAGS_RES;
#else
	uint32_t op0_host = 0, op1_host = 0, res_host = 0;
#endif

	call->op0 = place(call->op0.low, call->op0.high, stream & CCLO_STREAM_FLAGS_OP0, packed & CCLO_COMPRESSION_FLAGS_OP0,
	                  op0_host);
	call->op1 = place(call->op1.low, call->op1.high, 0, packed & CCLO_COMPRESSION_FLAGS_OP1, op1_host);
	call->res = place(call->res.low, call->res.high, stream & CCLO_STREAM_FLAGS_RES, packed & CCLO_COMPRESSION_FLAGS_RES,
	                  res_host);
}

static inline void operands_use(struct call *call, bool op1)
{
	uint32_t packed = CALL_WORD(compression_flags);
	uint32_t flags = CALL_WORD(stream_flags);

	call->wire_packed = (packed & CCLO_COMPRESSION_FLAGS_ETH) != 0;
	call->packs = packed != 0 || call->forms.inner_packed;
	set_plain(&call->op0, CALL_WORD(addr_0_low), CALL_WORD(addr_0_high));
	set_plain(&call->res, CALL_WORD(addr_2_low), CALL_WORD(addr_2_high));
	if (op1)
		set_plain(&call->op1, CALL_WORD(addr_1_low), CALL_WORD(addr_1_high));
	if (((packed & ~CCLO_COMPRESSION_FLAGS_ETH) | flags) != 0)
		operands_other(call, packed, flags);
	if (packed != 0 && !capable(CCLO_HARDWARE_ID_COMPRESSION_MASK))
		task_fail(CCLO_RETURN_CODE_COMPRESSION);
}

/* log2 of a size in bytes, at most a beat; NO_LOG if it is no power of two. */
static uint8_t log_of(uint32_t bytes)
{
	uint32_t log = 0;

	while (1u << log < bytes)
		log++;
	return 1u << log == bytes ? (uint8_t)log : NO_LOG;
}

/* Elements that fill whole beats: as many as fit into one if their size divides it, or as many as it has bytes. */
static uint32_t beat_log(uint32_t bytes)
{
	uint32_t log = log_of(bytes), beat = log_of(CCLO_BEAT_BYTES);

	return log != NO_LOG ? beat - log : beat;
}

/* Hash of the contents of a configuration, by which ranks compare types: its address may differ. */
__attribute__((cold)) static uint32_t elements_hash(uint32_t elements)
{
	uint32_t functions = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_NFUNCTIONS_WORD), h = 2166136261u;
	uint32_t words = CCLO_ARITHMETIC_CONFIGURATIONS_HEADER_BYTES / 4;

	if (functions < MOST_FUNCTIONS && exchange_holds(elements,
	                                                 4 * words + functions * CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES))
		words += functions * CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES / 4;
	for (uint32_t i = 0; i < words; i++)
		h = hash(h, configuration(i));
	return h ^ h >> CCLO_COLLECTIVE_SHAPE_ELEMENTS_WIDTH;
}

__attribute__((cold, noinline)) static void elements_read(uint32_t elements)
{
	struct known *known = &engine.known;

	known_keep();
	known->elements_version = known->reduction_version = known->cut_version = 0;
	known->express = 0;
	known->express_ranks = known->express_packed_ranks = 0;
	if (!exchange_holds(elements, CCLO_ARITHMETIC_CONFIGURATIONS_HEADER_BYTES))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	known->elements = elements;
	known->plain_bytes = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_UNCOMPRESSED_BYTES_WORD);
	known->packed_bytes = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_COMPRESSED_BYTES_WORD);
	known->ratio_log = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_ELEM_RATIO_LOG_WORD);
	if (known->plain_bytes == 0 || known->packed_bytes == 0 || known->ratio_log > 31 ||
	    known->plain_bytes > CCLO_BEAT_BYTES || known->packed_bytes > CCLO_BEAT_BYTES)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	uint32_t packed = beat_log(known->packed_bytes) + known->ratio_log;
	known->forms.plain_log = log_of(known->plain_bytes);
	known->forms.packed_log = log_of(known->packed_bytes);
	known->forms.beats_log = (uint8_t)beat_log(known->plain_bytes);
	if (packed > known->forms.beats_log)
		known->forms.beats_log = packed < 31 ? (uint8_t)packed : 31;
	known->conversions =
		FIELD(MOVE_TDEST_COMPRESSOR, configuration(CCLO_ARITHMETIC_CONFIGURATIONS_COMPRESSOR_TDEST_WORD)) |
		FIELD(MOVE_TDEST_DECOMPRESSOR, configuration(CCLO_ARITHMETIC_CONFIGURATIONS_DECOMPRESSOR_TDEST_WORD));
	known->window_bytes = 0;
	if (engine.max_rendezvous > engine.max_eager) {
		uint32_t most = engine.max_rendezvous / known->plain_bytes;

		known->window_bytes = (most & -(1u << known->forms.beats_log)) * known->plain_bytes;
	}
	known->forms.inner_packed = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_ARITH_IS_COMPRESSED_WORD) != 0;
	known->express_packs = capable(CCLO_HARDWARE_ID_COMPRESSION_MASK) && known->forms.packed_log != NO_LOG;
	known->fits = !engine.enabled || engine.rx_bytes >= known->plain_bytes;
	known->elements_hash = elements_hash(elements);
	known->elements_version = engine.tables;
}

void arithmetic_use(bool op1)
{
	struct call *call = self;
	const struct known *known = &engine.known;
	uint32_t elements = CALL_WORD(arithcfg);

	call->words.count = CALL_WORD(count);
	if (known->elements != elements || known->elements_version != engine.tables)
		elements_read(elements);
	call->elements = elements;
	call->plain_bytes = known->plain_bytes;
	call->packed_bytes = known->packed_bytes;
	call->ratio_log = known->ratio_log;
	call->forms = known->forms;
	call->tdest = known->conversions;
	operands_use(call, op1);
	if (!known->fits)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
}

__attribute__((cold)) static void reduction_read(uint32_t function)
{
	struct known *known = &engine.known;
	uint32_t functions = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_NFUNCTIONS_WORD);
	uint32_t tdests = known->elements + CCLO_ARITHMETIC_CONFIGURATIONS_HEADER_BYTES;

	known->reduction_version = 0;
	known->express &= ~(1u << CCLO_OPERATION_COMBINE);
	if (!capable(CCLO_HARDWARE_ID_ARITHMETIC_MASK) || function >= functions ||
	    function >= CCLO_EXCHANGE_BYTES / CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES ||
	    !exchange_holds(tdests, (function + 1) * CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES))
		task_fail(CCLO_RETURN_CODE_ARITH);
	known->function = function;
	known->reduction = FIELD(MOVE_TDEST_REDUCTION,
	                         exchange_read(tdests + function * CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES));
	known->reduction_version = engine.tables;
}

void reduction_use(void)
{
	uint32_t function = CALL_WORD(function_code);

	self->words.function_code = function;
	if (engine.known.function != function || engine.known.reduction_version != engine.tables)
		reduction_read(function);
	self->tdest |= engine.known.reduction;
}
