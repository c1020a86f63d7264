#include "order.h"

#include "task.h"

static bool tags_meet(uint32_t a, uint32_t b)
{
	return a == b || a == CCLO_TAG_ANY || b == CCLO_TAG_ANY;
}

static bool same_stream(const struct call *a, const struct call *b)
{
	return (a->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM && b->op0.kind == CCLO_MOVE_OPERAND_KERNEL_STREAM) ||
	       (a->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM && b->res.kind == CCLO_MOVE_RESULT_KERNEL_STREAM);
}

/* Sequence numbers count the eager messages to a rank: what is sent goes in the
 * order of the calls, all of a message before the next. Receives match by tag;
 * collectives have a context of their own, so a receive that waits holds up
 * no collective. */
static bool must_follow(const struct call *later, const struct call *earlier)
{
	if (same_stream(later, earlier))
		return true;
	if (later->kind == KIND_LOCAL || earlier->kind == KIND_LOCAL || later->comm != earlier->comm)
		return false;
	if (later->kind == KIND_COLLECTIVE)
		return earlier->kind == KIND_COLLECTIVE || earlier->kind == KIND_SEND_EAGER;
	if (earlier->kind == KIND_COLLECTIVE)
		return later->kind == KIND_SEND_EAGER;
	if (later->kind != earlier->kind || later->words.root_src_dst != earlier->words.root_src_dst)
		return false;
	return later->kind == KIND_SEND_EAGER || tags_meet(later->tag, earlier->tag);
}

__attribute__((cold)) static bool overtakes(void)
{
	for (const struct call *other = engine.calls; other != engine.calls + CALLS; other++)
		if ((engine.open & other->bit) != 0 && (int32_t)(other->order - self->order) < 0 && must_follow(self, other))
			return true;
	return false;
}

void order_wait_for_others(void)
{
	while (overtakes())
		task_stand_by(); /* the waits of those before are limited */
}
