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
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, call->series->context);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	hw_write(CCLO_MOVE_STRM_ADDRESS, strm);
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, rank);
	collective_set(number, call->words.count, call->shape);
	move_give(FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_NOTICE, 1));
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

