/* On one rank. */

#include "move.h"
#include "operations.h"
#include "order.h"
#include "task.h"

static void run(const struct move *move) { move_give(move_prepare(move, 0, 0, 0)); }

void copy(struct call *call)
{
	struct move move = { .own = call->op0, .result = call->res, .count = call->words.count };

	order_wait(KIND_LOCAL, 0);
	run(&move);
	move_finish();
}

void combine(struct call *call)
{
	struct move move = { .own = call->op0, .second = call->op1, .result = call->res, .count = call->words.count };

	order_wait(KIND_LOCAL, 0);
	run(&move);
	move_finish();
}

#ifdef CCLO_OPERATION_EXT_STREAM_KRNL
/* Through the user kernel: out by one move, in by another, side by side. */
__attribute__((cold)) void ext_stream_krnl(struct call *call)
{
	static const struct place stream = { .kind = CCLO_MOVE_RESULT_KERNEL_STREAM };
	struct move out = { .own = call->op0, .result = stream, .count = call->words.count };
	struct move in = { .own = stream, .result = call->res, .count = call->words.count };

	if (!capable(CCLO_HARDWARE_ID_KERNEL_STREAMS_MASK))
		task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
	call->op0 = call->res = stream; /* of which no other call may have one meanwhile */
	order_wait(KIND_LOCAL, 0);
	run(&out);
	queue_change(); /* the streams hold less than the moves move */
	run(&in);
	move_drain();
	queue_change();
	move_drain();
}
#endif
