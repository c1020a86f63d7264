#include "operations.h"

#include "comm.h"
#include "order.h"
#include "task.h"

/* What an operation needs before it runs. */
enum {
	NEEDS_ELEMENTS = 1, /* arithmetic configuration, operands */
	NEEDS_COMM = 2,
	NEEDS_FUNCTION = 4,
	IS_COLLECTIVE = 8,
	MAY_STREAM = 16, /* operands and result may be kernel streams */
};

#define LOCAL      (NEEDS_ELEMENTS | MAY_STREAM)
#define P2P        (NEEDS_ELEMENTS | NEEDS_COMM | MAY_STREAM)
#define COLLECTIVE (NEEDS_ELEMENTS | NEEDS_COMM | IS_COLLECTIVE)

static void nop(struct call *call) { (void)call; }

static const struct operation {
	uint32_t scenario, needs;
	void (*run)(struct call *call);
} operations[] = {
	{ CCLO_OPERATION_CONFIG, 0, config },
	{ CCLO_OPERATION_COPY, LOCAL, copy },
	{ CCLO_OPERATION_COMBINE, LOCAL | NEEDS_FUNCTION, combine },
	{ CCLO_OPERATION_SEND, P2P, send },
	{ CCLO_OPERATION_RECV, P2P, recv },
	{ CCLO_OPERATION_BCAST, COLLECTIVE, bcast },
	{ CCLO_OPERATION_SCATTER, COLLECTIVE, scatter },
	{ CCLO_OPERATION_GATHER, COLLECTIVE, gather },
	{ CCLO_OPERATION_REDUCE, COLLECTIVE | NEEDS_FUNCTION | MAY_STREAM, reduce },
	{ CCLO_OPERATION_ALLGATHER, COLLECTIVE, allgather },
	{ CCLO_OPERATION_ALLREDUCE, COLLECTIVE | NEEDS_FUNCTION | MAY_STREAM, allreduce },
	{ CCLO_OPERATION_REDUCE_SCATTER, COLLECTIVE | NEEDS_FUNCTION, reduce_scatter },
#ifdef CCLO_OPERATION_BARRIER
	{ CCLO_OPERATION_BARRIER, NEEDS_COMM | IS_COLLECTIVE, barrier },
#endif
#ifdef CCLO_OPERATION_ALLTOALL
	{ CCLO_OPERATION_ALLTOALL, COLLECTIVE, alltoall },
#endif
#ifdef CCLO_OPERATION_EXT_STREAM_KRNL
	{ CCLO_OPERATION_EXT_STREAM_KRNL, LOCAL, ext_stream_krnl },
#endif
	{ CCLO_OPERATION_NOP, 0, nop },
};

void operation_run(struct call *call)
{
	for (uint32_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		const struct operation *o = &operations[i];

		if (o->scenario != call->words.scenario)
			continue;
		call->kind = KIND_LOCAL;
		call->op0 = call->op1 = call->res = (struct place){ 0 };
		call->wire_packed = false;
		call->plain_bytes = call->packed_bytes = 1;
		call->ratio_log = call->tdest = 0;
		if (o->needs & NEEDS_COMM)
			comm_use();
		if (o->needs & NEEDS_ELEMENTS)
			arithmetic_use();
		if (o->needs & NEEDS_FUNCTION)
			reduction_use();
		if (!(o->needs & MAY_STREAM) && (call->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM ||
		                                 call->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM))
			task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
		if (o->needs & IS_COLLECTIVE)
			order_wait(KIND_COLLECTIVE, 0);
		o->run(call);
		return;
	}
	task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
}
