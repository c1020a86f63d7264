#pragma GCC optimize("Os") /* seldom, and memory is short */

#include "notice.h"

#include "move.h"
#include "series.h"
#include "task.h"

uint32_t notice_give(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm)
{
	const struct call *call = self;

	queue_of_call();
	move_make_room();
	engine.alike = false; /* calls to come find other registers than they left */
	engine.set_by = NULL;
	set_bytes(0);
	set_comm(call->comm, call->series->context);
	set_tag(tag);
	set_strm(strm);
	set_collective(number, call->words.count, call->shape);
	move_give(set_destination(rank) | FIELD(MOVE_CONTROL_NOTICE, 1));
	return move_number();
}

bool notice_left(uint32_t move, uint32_t limit)
{
	uint32_t end = milliseconds() + limit;

	while (!move_is_done(move)) {
		if (reached(end))
			return false;
		task_limit(end - milliseconds());
		task_pause();
	}
	self->state.timed = false;
	move_forgive();
	return true;
}

void notice_send(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm)
{
	notice_left(notice_give(rank, number, tag, strm), move_limit());
}

