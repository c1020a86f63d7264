/* Dissemination: in step i each rank tells the one 2^i places on, and hears of
 * the one 2^i places back. Messages have no payload, so they need no rx buffer. */

#include "comm.h"
#include "move.h"
#include "operations.h"
#include "stage.h"
#include "task.h"

void barrier(struct call *call)
{
	for (uint32_t places = 1; places < call->size; places *= 2) {
		move_token(true, false, rank_after(call->rank, places), TAG_BARRIER, collective_context());
		move_token(false, false, rank_before(call->rank, places), TAG_BARRIER, collective_context());
	}
	move_finish();
}
