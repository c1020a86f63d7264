/* Pairwise: in step i each rank sends to the one i places on, and receives from
 * the one i places back. Its own block it keeps first, or beside the first one that
 * it sends; messages it takes beside the next one. */

#include "comm.h"
#include "operations.h"
#include "path.h"
#include "task.h"
#include "window.h"

static void stage(uint32_t k, struct part part, struct move *stage)
{
	bool keeps = stages_keep();
	uint32_t step = k + keeps; /* step 0 is that of the own block alone */
	uint32_t places = (step + 1) / 2;
	uint32_t to = rank_after(self->rank, places);
	uint32_t from = rank_before(self->rank, places);

	stage->count = part.count;
	stage->to = to;
	stage->from = from;
	stage->shape = shape_of(step != 0 && step % 2 == 0, step % 2 != 0);
	if (keeps && step == 1) {
		stage_keep(stage, part.offset);
		from = self->rank;
	}
	if (!receives(stage))
		place_further(&stage->own, &self->op0, (uint64_t)to * self->words.count + part.offset);
	if (stage->shape != SEND)
		place_further(&stage->result, &self->res, (uint64_t)from * self->words.count + part.offset);
}

/* Step k takes what was sent to this rank in the one before, while it sends. */
static void stage_beside(uint32_t k, struct part part, struct move *stage)
{
	uint32_t from = rank_before(self->rank, k);

	stage->count = part.count;
	place_further(&stage->result, &self->res, (uint64_t)from * self->words.count + part.offset);
	stage->from = from;
	if (k + 1 == self->size) {
		stage->shape = RECEIVE;
		return;
	}
	if (k == 0)
		stage_keep(stage, part.offset);
	else
		stage->shape = EXCHANGE;
	stage->to = rank_after(self->rank, k + 1);
	place_further(&stage->own, &self->op0, (uint64_t)stage->to * self->words.count + part.offset);
}

/* Two ranks must take what the other has sent in the order in which it was: where messages
 * are asked for, and ranks are odd, one rank would ask another too late. */
static bool goes_beside(const struct path *path)
{
	return path->protocol == EAGER || (path->protocol == PACED && self->size % 2 == 0);
}

#if CCLO_FEATURE_RENDEZVOUS
/* Blocks that are sent at once and come to stay need no list: finding stages is what takes the
 * time, unless blocks are large. Two windows are open ahead of what is sent. */
static void in_windows(void *of)
{
	struct path *path = of;
	struct move *stage = &path->stages[0];
	uint32_t n = self->size, count = self->words.count, opened = 0;

	stage->count = count;
	stage_clear(stage);
	stage_keep(stage, 0);
	place_further(&stage->result, &self->res, (uint64_t)self->rank * count);
	for (uint32_t places = 1; places < n; places++) {
		uint32_t ahead = places == 1 ? 1 : places + 1; /* the first one is waited for */

		while (opened != n - 1 && opened != ahead) {
			uint32_t from = rank_before(self->rank, ++opened);
			struct place place = place_at(&self->res, (uint64_t)from * count);

			if (opened == 1)
				window_open_first(from, &place, count, path->tag, collective_context());
			else
				window_open(from, &place, count, path->tag, collective_context(), path->aside);
		}
		stage->to = rank_after(self->rank, places);
		place_further(&stage->own, &self->op0, (uint64_t)stage->to * count);
		stage_run_in_window(path, stage, NULL);
		invitation_done(stage->to, collective_context());
		path->welcome = false;
		stage->shape = SEND;
		stage->second.form = stage->result.form = 0;
	}
	stages_end();
}
#endif

void alltoall(struct call *call)
{
	struct path *path = path_choose(call->words.count, call->size);
	bool keeps = stages_keep(), beside = keeps && (!call->packs || call->wire_packed);
	bool held = path->protocol == EAGER;

	path_exchange(path);
	if (path->protocol == PACED)
		path->ahead = 1; /* every other stage only sends: one slice at a time comes in */
	if (path->protocol == RENDEZVOUS)
		path_asks(path, 2); /* the window of each step, before the one before it sends */
#if CCLO_FEATURE_RENDEZVOUS
	if (path->protocol == RENDEZVOUS && keeps && !call->packs && call->words.count <= path->slice)
		task_anew(path, in_windows);
#endif
	if (beside && stages_cross(path, held)) {
		stage_clear(path->stages);
		stage_beside(0, (struct part){ .count = call->words.count }, path->stages);
		stages_run_cross(path, path->stages, false);
	}
	if (beside && goes_beside(path))
		stages_run(path, call->size, call->words.count, stage_beside);
	stages_run(path, 2 * call->size - 1 - keeps, call->words.count, stage);
}
