#include "operations.h"

#include "collective.h"
#include "comm.h"
#include "order.h"
#include "plan.h"
#include "task.h"

/* By their codes. */
static const struct operation {
	void (*run)(struct call *call);
	uint32_t needs;
} operations[] = {
#define OPERATION(name, code, shape) [code] = { name, shape },
	CCLO_OPERATIONS(OPERATION)
#undef OPERATION
};

/* Operations without elements. */
static void no_elements(struct call *call)
{
	call->op0 = call->op1 = call->res = (struct place){ 0 };
	call->wire_packed = call->packs = false;
	call->elements = call->words.count = 0;
	call->plain_bytes = call->packed_bytes = 1;
	call->forms.plain_log = 0;
	call->ratio_log = call->tdest = 0;
}

/* Hash of what all ranks of a collective must agree on, besides its count. */
static uint32_t shape_of(const struct call *call, uint32_t needs)
{
	uint32_t shape = FIELD(COLLECTIVE_SHAPE_OPERATION, call->words.scenario);

	if (needs & CCLO_SHAPE_FUNCTION)
		shape |= FIELD(COLLECTIVE_SHAPE_FUNCTION_CODE, call->words.function_code);
	if (needs & CCLO_SHAPE_ROOT)
		shape |= FIELD(COLLECTIVE_SHAPE_ROOT, comm_peer());
	if (needs & CCLO_SHAPE_ELEMENTS)
		shape |= FIELD(COLLECTIVE_SHAPE_ELEMENTS, engine.known.elements_hash) | FIELD(COLLECTIVE_SHAPE_COMPRESSED,
		                                                                              call->wire_packed);
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
	needs = call->needs = o->needs;
	if (needs & CCLO_SHAPE_ELEMENTS)
		known_exchange(needs & CCLO_SHAPE_COMM ? CALL_WORD(comm) : engine.known.comm, CALL_WORD(arithcfg));
	if (needs & CCLO_SHAPE_COMM)
		comm_use();
	if (needs & CCLO_SHAPE_ELEMENTS)
		arithmetic_use((needs & CCLO_SHAPE_OP1) != 0);
	else
		no_elements(call);
	if (needs & CCLO_SHAPE_FUNCTION)
		reduction_use();
	if (!(needs & CCLO_SHAPE_STREAM) && (call->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM ||
	                              call->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM))
		task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
	if (needs & CCLO_SHAPE_COLLECTIVE) {
		uint32_t shape = shape_of(call, needs); /* what is known may be of another call later */

		order_wait(KIND_COLLECTIVE, 0);
		collective_begin(shape);
	} else if ((needs & CCLO_SHAPE_ELEMENTS) && call->forms.plain_log != NO_LOG &&
	           (!call->forms.inner_packed || (needs & CCLO_SHAPE_COMM)))
		engine.known.express |= (1u << scenario) & EXPRESS_OPERATIONS;
	o->run(call);
}
