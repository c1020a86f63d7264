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
		struct move tell = {
			.sends = true,
			.destination = rank_after(call->rank, places),
			.tag = TAG_BARRIER,
			.context = collective_context(),
		};
		struct move hear = {
			.receives = true,
			.source = rank_before(call->rank, places),
			.tag = TAG_BARRIER,
			.context = collective_context(),
		};

		move_issue(&tell);
		move_issue(&hear);
	}
	move_finish();
}
