#include "comm.h"

#include "task.h"

#define RANK_OFFSET(comm, rank) \
	((comm) + CCLO_COMMUNICATORS_HEADER_BYTES + (rank) * CCLO_COMMUNICATORS_RECORD_BYTES)
#define CONTEXTS (sizeof(engine.contexts) / sizeof(engine.contexts[0]))

uint32_t rank_word(uint32_t rank, uint32_t word)
{
	return exchange_read(RANK_OFFSET(self->comm, rank) + 4 * word);
}

uint32_t rank_after(uint32_t rank, uint32_t places) { return (rank + places) % self->size; }

uint32_t rank_before(uint32_t rank, uint32_t places) { return (rank + self->size - places) % self->size; }

/* FNV-1a, word by word. */
static uint32_t hash(uint32_t seed, uint32_t word) { return (seed ^ word) * 16777619u; }

/* A hash of who takes part, which all members compute alike. It is even, the
 * context of collectives odd, and never 0: that is what others send. */
static uint32_t compute_context(void)
{
	uint32_t context = hash(2166136261u, self->size);

	for (uint32_t rank = 0; rank < self->size; rank++) {
		context = hash(context, rank_word(rank, CCLO_COMMUNICATORS_IP_WORD));
		context = hash(context, rank_word(rank, CCLO_COMMUNICATORS_PORT_WORD));
	}
	context &= ~1u;
	return context != 0 ? context : 2;
}

static uint32_t context(void)
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

void comm_use(void)
{
	uint32_t comm = self->words.comm;

	if (!engine.enabled || !exchange_holds(comm, CCLO_COMMUNICATORS_HEADER_BYTES))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	self->comm = comm;
	self->size = exchange_read(comm + 4 * CCLO_COMMUNICATORS_SIZE_WORD);
	self->rank = exchange_read(comm + 4 * CCLO_COMMUNICATORS_LOCAL_RANK_WORD);
	if (self->rank >= self->size || self->size > CCLO_EXCHANGE_BYTES / CCLO_COMMUNICATORS_RECORD_BYTES ||
	    !exchange_holds(comm, CCLO_COMMUNICATORS_HEADER_BYTES + self->size * CCLO_COMMUNICATORS_RECORD_BYTES))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	self->context = context();
}

uint32_t comm_peer(void)
{
	if (self->words.root_src_dst >= self->size)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	return self->words.root_src_dst;
}

static uint32_t configuration(uint32_t word) { return exchange_read(self->words.arithcfg + 4 * word); }

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

static void operands_use(void)
{
	const struct cclo_call *w = &self->words;
	uint32_t packed = w->compression_flags;
	uint32_t stream = FIELD_OF(STREAM_WORD_STREAM, w->stream_flags);
#if CCLO_FEATURE_HOST_OPERANDS
	uint32_t host = FIELD_OF(STREAM_WORD_HOST, w->stream_flags);
	uint32_t op0_host = host & CCLO_HOST_FLAGS_OP0;
	uint32_t op1_host = host & CCLO_HOST_FLAGS_OP1;
	uint32_t res_host = host & CCLO_HOST_FLAGS_RES;
#else
	uint32_t op0_host = 0, op1_host = 0, res_host = 0;
#endif

	self->op0 = place(w->addr_0_low, w->addr_0_high, stream & CCLO_STREAM_FLAGS_OP0,
	                  packed & CCLO_COMPRESSION_FLAGS_OP0, op0_host);
	self->op1 = place(w->addr_1_low, w->addr_1_high, 0, packed & CCLO_COMPRESSION_FLAGS_OP1, op1_host);
	self->res = place(w->addr_2_low, w->addr_2_high, stream & CCLO_STREAM_FLAGS_RES,
	                  packed & CCLO_COMPRESSION_FLAGS_RES, res_host);
	self->wire_packed = (packed & CCLO_COMPRESSION_FLAGS_ETH) != 0;
	if (packed != 0 && !capable(CCLO_HARDWARE_ID_COMPRESSION_MASK))
		task_fail(CCLO_RETURN_CODE_COMPRESSION);
}

void arithmetic_use(void)
{
	if (!exchange_holds(self->words.arithcfg, CCLO_ARITHMETIC_CONFIGURATIONS_HEADER_BYTES))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	self->plain_bytes = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_UNCOMPRESSED_BYTES_WORD);
	self->packed_bytes = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_COMPRESSED_BYTES_WORD);
	self->ratio_log = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_ELEM_RATIO_LOG_WORD);
	if (self->plain_bytes == 0 || self->packed_bytes == 0 || self->ratio_log > 31 ||
	    self->plain_bytes > CCLO_BEAT_BYTES || self->packed_bytes > CCLO_BEAT_BYTES)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	self->tdest = FIELD(MOVE_TDEST_COMPRESSOR, configuration(CCLO_ARITHMETIC_CONFIGURATIONS_COMPRESSOR_TDEST_WORD)) |
	              FIELD(MOVE_TDEST_DECOMPRESSOR, configuration(CCLO_ARITHMETIC_CONFIGURATIONS_DECOMPRESSOR_TDEST_WORD));
	self->inner_packed = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_ARITH_IS_COMPRESSED_WORD) != 0;
	operands_use();
	if (engine.enabled && engine.rx_bytes < self->plain_bytes)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
}

void reduction_use(void)
{
	uint32_t functions = configuration(CCLO_ARITHMETIC_CONFIGURATIONS_NFUNCTIONS_WORD);
	uint32_t function = self->words.function_code;
	uint32_t tdests = self->words.arithcfg + CCLO_ARITHMETIC_CONFIGURATIONS_HEADER_BYTES;

	if (!capable(CCLO_HARDWARE_ID_ARITHMETIC_MASK) || function >= functions ||
	    function >= CCLO_EXCHANGE_BYTES / CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES ||
	    !exchange_holds(tdests, (function + 1) * CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES))
		task_fail(CCLO_RETURN_CODE_ARITH);
	self->tdest |= FIELD(MOVE_TDEST_REDUCTION,
	                     exchange_read(tdests + function * CCLO_ARITHMETIC_CONFIGURATIONS_RECORD_BYTES));
}
