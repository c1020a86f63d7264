#include "operations.h"

#include "collective.h"
#include "comm.h"
#include "order.h"
#include "plan.h"
#include "task.h"

/* What an operation needs before it runs. */
enum {
	NEEDS_ELEMENTS = 1, /* arithmetic configuration, operand 0, result */
	NEEDS_OP1 = 2,
	NEEDS_COMM = 4,
	NEEDS_FUNCTION = 8,
	IS_COLLECTIVE = 16,
	MAY_STREAM = 32, /* operands and result may be kernel streams */
	HAS_ROOT = 64,
};

#define LOCAL      (NEEDS_ELEMENTS | MAY_STREAM)
#define P2P        (NEEDS_ELEMENTS | NEEDS_COMM | MAY_STREAM)
#define COLLECTIVE (NEEDS_ELEMENTS | NEEDS_COMM | IS_COLLECTIVE)

/* By their codes; nop has none here. */
static const struct operation {
	void (*run)(struct call *call);
	uint32_t needs;
} operations[] = {
	[CCLO_OPERATION_CONFIG] = { config, 0 },
	[CCLO_OPERATION_COPY] = { copy, LOCAL },
	[CCLO_OPERATION_COMBINE] = { combine, LOCAL | NEEDS_OP1 | NEEDS_FUNCTION },
	[CCLO_OPERATION_SEND] = { send, P2P },
	[CCLO_OPERATION_RECV] = { recv, P2P | NEEDS_OP1 },
	[CCLO_OPERATION_BCAST] = { bcast, COLLECTIVE | HAS_ROOT },
	[CCLO_OPERATION_SCATTER] = { scatter, COLLECTIVE | HAS_ROOT },
	[CCLO_OPERATION_GATHER] = { gather, COLLECTIVE | HAS_ROOT },
	[CCLO_OPERATION_REDUCE] = { reduce, COLLECTIVE | NEEDS_FUNCTION | MAY_STREAM | HAS_ROOT },
	[CCLO_OPERATION_ALLGATHER] = { allgather, COLLECTIVE },
	[CCLO_OPERATION_ALLREDUCE] = { allreduce, COLLECTIVE | NEEDS_FUNCTION | MAY_STREAM },
	[CCLO_OPERATION_REDUCE_SCATTER] = { reduce_scatter, COLLECTIVE | NEEDS_FUNCTION },
#ifdef CCLO_OPERATION_BARRIER
	[CCLO_OPERATION_BARRIER] = { barrier, NEEDS_COMM | IS_COLLECTIVE },
#endif
#ifdef CCLO_OPERATION_ALLTOALL
	[CCLO_OPERATION_ALLTOALL] = { alltoall, COLLECTIVE },
#endif
#ifdef CCLO_OPERATION_EXT_STREAM_KRNL
	[CCLO_OPERATION_EXT_STREAM_KRNL] = { ext_stream_krnl, LOCAL },
#endif
};

/* What moves are of that have no elements. */
static void no_elements(struct call *call)
{
	call->op0 = call->op1 = call->res = (struct place){ 0 };
	call->wire_packed = call->packs = false;
	call->elements = call->words.count = 0;
	call->plain_bytes = call->packed_bytes = 1;
	call->forms.plain_log = 0;
	call->ratio_log = call->tdest = 0;
}

/* What all ranks of a collective must agree on, but for its count. */
static uint32_t shape_of(const struct call *call, uint32_t needs)
{
	uint32_t shape = FIELD(COLLECTIVE_SHAPE_OPERATION, call->words.scenario);

	if (needs & NEEDS_FUNCTION)
		shape |= FIELD(COLLECTIVE_SHAPE_FUNCTION_CODE, call->words.function_code);
	if (needs & HAS_ROOT)
		shape |= FIELD(COLLECTIVE_SHAPE_ROOT, comm_peer());
	if (needs & NEEDS_ELEMENTS)
		shape |= FIELD(COLLECTIVE_SHAPE_ELEMENTS, engine.known.elements_hash) | FIELD(COLLECTIVE_SHAPE_COMPRESSED, call->wire_packed);
	return shape;
}

void operation_run(struct call *call)
{
	uint32_t scenario = call->words.scenario;
	const struct operation *o = &operations[scenario];
	uint32_t needs;

	call->kind = KIND_LOCAL;
	if (UNLIKELY(engine.planned != NULL))
		plan_begin(call);
	if (scenario >= sizeof(operations) / sizeof(operations[0]) || o->run == NULL)
		task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
	needs = o->needs;
	if (needs & NEEDS_ELEMENTS)
		known_exchange(needs & NEEDS_COMM ? CALL_WORD(comm) : engine.known.comm, CALL_WORD(arithcfg));
	if (needs & NEEDS_COMM)
		comm_use();
	if (needs & NEEDS_ELEMENTS)
		arithmetic_use((needs & NEEDS_OP1) != 0);
	else
		no_elements(call);
	if (needs & NEEDS_FUNCTION)
		reduction_use();
	if (!(needs & MAY_STREAM) && (call->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM ||
	                              call->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM))
		task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
	if (needs & IS_COLLECTIVE) {
		uint32_t shape = shape_of(call, needs); /* what is known may be of another call later */

		order_wait(KIND_COLLECTIVE, 0);
		collective_begin(shape);
	} else if ((needs & NEEDS_ELEMENTS) && call->forms.plain_log != NO_LOG && (!call->forms.inner_packed || (needs & NEEDS_COMM)))
		engine.known.express |= (1u << scenario) & EXPRESS_OPERATIONS;
	o->run(call);
}
