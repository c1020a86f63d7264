#include "stage.h"

#include "comm.h"
#include "move.h"
#include "path.h"
#include "plan.h"
#include "scratch.h"
#include "task.h"
#include "window.h"

uint32_t part_within(struct part part, uint32_t count)
{
	if (part.offset >= count)
		return 0;
	return part.count < count - part.offset ? part.count : count - part.offset;
}

#if CCLO_FEATURE_RENDEZVOUS
/* Whether data arrives in the result, not in scratch memory: nothing is left to do with it. */
static bool lands_in_place(const struct move *stage)
{
	return (stage->own.form == 0 || stage->shape == EXCLUSIVE) &&
	       stage->result.kind == CCLO_MOVE_RESULT_MEMORY && !stage->result.packed;
}

static bool opens(const struct move *stage)
{
	return receives(stage) && !stage->follows && (stage->count | stage->later) != 0;
}

/* Whether the next scratch buffer is still needed by an earlier stage that has not run. */
static bool slot_is_unread(const struct path *path, const struct move *stage)
{
	return opens(stage) && !lands_in_place(stage) && (path->slots_unread & 1u << path->next_slot) != 0;
}

/* Whether the window of a stage can be opened without a wait. */
static bool may_open(const struct path *path, const struct move *stage)
{
	uint32_t slot = 1u << path->next_slot;

	if (!opens(stage))
		return true;
	if (lands_in_place(stage))
		return window_room(address_of(&stage->result));
	if (slot_is_unread(path, stage))
		return false;
	if ((path->slots_used & slot) && !move_is_done(path->slot_moves[path->next_slot]))
		return false;
	return window_room(scratch_address(path->next_slot));
}

static void open_landing(struct path *path, uint32_t from, const struct place *place, uint32_t elements)
{
	struct landing *landing = &path->landings[path->opened];

	path->opened = path->opened + 1 == HELD ? 0 : path->opened + 1;
	landing->in_place = place != NULL;
	if (place != NULL) {
		landing->place = *place;
	} else {
		uint32_t slot = path->next_slot;

		path->next_slot = slot + 1 == path->slots ? 0 : (uint8_t)(slot + 1);
		if (path->slots_used & 1u << slot) {
			plan_refuse();
			move_wait(path->slot_moves[slot]);
		}
		path->slots_used |= 1u << slot;
		path->slots_unread |= 1u << slot;
		landing->slot = (uint8_t)slot;
		scratch(&landing->place, slot);
	}
	landing->window = window_open(from, &landing->place, elements, path->tag, collective_context(), path->aside);
}

void stages_greet(struct path *path, uint32_t from, const struct place *place, uint32_t count)
{
	struct landing *landing = &path->landings[0];

	if (path->protocol != RENDEZVOUS || count == 0)
		return;
	path->opened = 1;
	landing->in_place = place != NULL;
	if (place != NULL) {
		landing->place = *place;
	} else {
		path->next_slot = path->slots_used = path->slots_unread = 1;
		landing->slot = 0;
		scratch(&landing->place, 0);
	}
	landing->window = window_open_first(from, &landing->place, count < path->slice ? count : path->slice, path->tag,
	                                    collective_context());
	path->greeted = true;
}

/* Opens the window of a stage, if it needs a new one. */
static void invite(struct path *path, const struct move *stage)
{
	if (!opens(stage))
		return;
	if (!path->greeted)
		open_landing(path, stage->from, lands_in_place(stage) ? &stage->result : NULL, stage->count + stage->later);
	path->greeted = false;
}
#else
void stages_greet(struct path *path, uint32_t from, const struct place *place, uint32_t count)
{
	(void)path;
	(void)from;
	(void)place;
	(void)count;
}
#endif

/* Sets the registers of a stage's move, those that all moves of the path have in common once, and gives its control
 * word. */
__attribute__((noinline)) static uint32_t prepare(struct path *path, const struct move *stage,
                                                  const struct landing *landing)
{
	move_make_room();
	set_tag(path->tag);
	if (path->switches != engine.switches) {
		path->switches = engine.switches;
		set_tdest(self->tdest);
		set_comm(self->comm, collective_context());
		set_strm(0);
		path->cut = NO_RANK;
	}
	if (path->protocol != RENDEZVOUS && sends(stage) && path->cut != stage->to) {
		path->cut = stage->to;
		cut_use(stage->to);
		set_cut(0, engine.known.message_bytes);
	}
	return move_set(stage, landing);
}

/* The two moves of an exclusive stage, unless what arrives is in its place: the second one reads the result of the
 * first. */
static const struct move *exclusive_first(struct move *stage)
{
	stage->second = stage->own;
	stage->own.form = 0;
	stage->shape = RECEIVE;
	return stage;
}

static const struct move *exclusive_second(struct move *stage)
{
	stage->own = stage->second;
	stage->second = stage->result;
	stage->result.form = 0;
	stage->shape = SEND;
	stage->fence = true;
	return stage;
}

#if CCLO_FEATURE_RENDEZVOUS
/* Sets registers while an invitation may be on its way, again if another call has had the processor
 * meanwhile. */
void stage_run_in_window(struct path *path, const struct move *stage, const struct landing *landing)
{
	uint32_t prepared, switches;

	do {
		prepared = prepare(path, stage, landing);
		switches = engine.switches;
		if (sends(stage) && !path->welcome)
			invitation_wait_prepared(stage->to, path->tag, collective_context());
		path->welcome |= sends(stage);
	} while (engine.switches != switches);
	if (sends(stage))
		move_give_remote(prepared, stage->count * engine.current->plain_bytes); /* a word: prepared */
	else
		move_give(prepared);
}

__attribute__((noinline)) static void run_in_windows(struct path *path, struct move *stage)
{
	struct landing *landing;
	bool in_place;

	if (opens(stage)) {
		path->current = path->begun;
		path->begun = path->begun + 1 == HELD ? 0 : path->begun + 1;
	}
	landing = &path->landings[path->current];
	in_place = receives(stage) && landing->in_place;
	if (UNLIKELY(stage->shape == EXCLUSIVE) && !in_place && stage->count != 0) {
		stage_run_in_window(path, exclusive_first(stage), landing);
		stage_run_in_window(path, exclusive_second(stage), landing);
		stage->shape = EXCLUSIVE;
	} else if (stage->count != 0 && (!in_place || sends(stage))) { /* else it is in its place already */
		stage_run_in_window(path, stage, landing);
	} else if (sends(stage) && !path->welcome && stage->unfinished) {
		invitation_wait(stage->to, path->tag, collective_context());
		path->welcome = true;
	}
	if (receives(stage) && (stage->follows || opens(stage))) {
		bool last = stage->later == 0;

		window_read(landing->window, last, !in_place || sends(stage));
		if (!in_place && last) {
			path->slot_moves[landing->slot] = move_number();
			path->slots_unread &= ~(1u << landing->slot);
		}
		place_further(&landing->place, &landing->place, stage->count);
	}
	if (sends(stage) && path->welcome && !stage->unfinished) {
		invitation_done(stage->to, collective_context());
		path->welcome = false;
	}
}

void stages_begin(struct path *path, uint32_t count, uint32_t to)
{
	struct move *stage = &path->stages[0];

	if (path->protocol != RENDEZVOUS || count == 0)
		return;
	stage_clear(stage);
	stage->own = self->op0;
	stage->count = count < path->slice ? count : path->slice;
	stage->shape = SEND;
	stage->to = to;
	run_in_windows(path, stage);
	path->begun_first = true;
}

__attribute__((always_inline)) static inline void begin(struct path *path, uint32_t count, stage_builder *build)
{
	struct move *stage = &path->stages[0];
	struct part part = { .count = count < path->slice ? count : path->slice, .whole = path->whole };

	if (path->protocol != RENDEZVOUS || count == 0)
		return;
	stage_clear(stage);
	build(0, part, stage);
	invite(path, stage);
	run_in_windows(path, stage);
	path->begun_first = true;
}
#else
void stages_begin(struct path *path, uint32_t count, uint32_t to)
{
	(void)path;
	(void)count;
	(void)to;
}
#endif

__attribute__((noinline)) void stage_run(struct path *path, struct move *stage)
{
	if (stage->count == 0)
		return;
	if (UNLIKELY(stage->shape == EXCLUSIVE)) {
		move_give(prepare(path, exclusive_first(stage), NULL));
		move_give(prepare(path, exclusive_second(stage), NULL));
		return;
	}
	move_give(prepare(path, stage, NULL));
}

void stage_run_aside(struct path *path, struct move *stage)
{
	bool second = queue_take_second(true);

	if (second)
		queue_change();
	stage_run(path, stage);
	if (second)
		queue_change();
}

__attribute__((noinline, cold)) bool stages_keep_apart(void)
{
	uint64_t bytes = self->words.count * (uint64_t)self->plain_bytes, at = address_of(&self->op0) - address_of(&self->res);

	return stages_keep() && (at == self->rank * bytes || (at >= self->size * bytes && -at >= bytes));
}

bool stages_cross(const struct path *path, bool held)
{
	return self->size > 1 && path->protocol == EAGER &&
	       (held || (self->size == 2 && !self->packs && self->words.count - 1 < WHOLE_ELEMENTS));
}

/* In a queue of its own, a receive waits before its message comes. Without one, what comes first has been sent. What rx
 * buffers cannot hold has to find its receive there, or never gets by them. */
void stages_run_cross(struct path *path, struct move *sent, bool to_all)
{
	struct call *call = engine.current;
	struct move *received = &path->stages[1];
	uint32_t count = call->words.count;
	bool early = path->slice < count && queue_take_second(true);

	stage_clear(received);
	received->count = count;
	received->shape = RECEIVE;
	for (uint32_t k = 1; k < call->size; k++) {
		sent->to = around(call->rank + k);
		place_further(&sent->own, &call->op0, to_all ? 0 : (uint64_t)sent->to * count);
		received->from = around(call->rank + call->size - k);
		place_further(&received->result, &call->res, (uint64_t)received->from * count);
		for (uint32_t turn = early, turns = 2; turns != 0; turn++, turns--) {
			if (turn & 1) {
				stage_run_aside(path, received);
				continue;
			}
			stage_run(path, sent);
			sent->shape = SEND;
			sent->second.form = sent->result.form = 0;
		}
	}
	stages_end();
}

/* Stages in the order in which they run, part after part. */
static bool next_stage(struct path *path, struct move *stage)
{
	struct sequence *s = &path->sequence;

	if (s->k == s->stages) {
		s->k = 0;
		s->part.offset += s->part.count;
	}
	if (s->part.offset >= s->count)
		return false;
	if (s->k == 0)
		s->part.count = s->count - s->part.offset < path->slice ? s->count - s->part.offset : path->slice;
	stage_clear(stage);
	s->build(s->k++, s->part, stage);
	return true;
}

void stages_end(void)
{
	if (self->windows == 0)
		move_finish();
	plan_keep();
	move_drain();
	windows_finish();
	task_done();
}

/* Sends a credit. On lossy networks rx buffers must be free before. */
static void ask(uint32_t rank) { move_token(true, lossy(), rank, TAG_CREDIT, collective_context()); }

static void await_question(uint32_t rank) { move_token(false, false, rank, TAG_CREDIT, collective_context()); }

static inline void place_behind(struct place *place, uint32_t bytes)
{
	place->low += bytes;
	place->high += place->low < bytes;
}

static uint32_t slice_of(const struct path *path, uint32_t left) { return left < path->slice ? left : path->slice; }

static bool in_slices(const struct move *stage)
{
	return stage->own.form <= PLAIN_MEMORY && stage->result.form <= PLAIN_MEMORY &&
	       (stage->shape <= FORWARD || stage->shape == KEEP);
}

/* Runs the only stage slice by slice, from the first on, without building it anew. */
__attribute__((noreturn)) static inline void run_slices(struct path *path, struct move *stage)
{
	uint32_t left = path->sequence.count, bytes = stage->count * self->plain_bytes;
	uint32_t asks = path->ahead + 1 - path->unasked; /* before the next slice */
	bool paced = path->protocol == PACED, asked = path->unasked == 0;
	uint32_t unasked = paced && receives(stage) ? left : 0;

	if (!asked && unasked != 0)
		unasked -= stage->count;
	for (;;) {
		while (unasked != 0 && asks-- != 0) {
			ask(stage->from);
			unasked -= slice_of(path, unasked);
		}
		if (paced && sends(stage) && asked)
			await_question(stage->to);
		move_give(prepare(path, stage, NULL));
		left -= stage->count;
		if (left == 0)
			stages_end();
		place_behind(&stage->own, bytes);
		place_behind(&stage->second, bytes);
		place_behind(&stage->result, bytes);
		stage->count = slice_of(path, left);
		asked = true;
		asks = 1;
	}
}

/* Runs stages with messages, from an empty stack. Ends, because every round builds or runs one of finitely many. */
static void run_in_turn(void *of)
{
	struct path *path = of;
	bool paced = path->protocol == PACED, more = path->sequence.stages != 0;
	uint32_t built = 0, done = 0;

	for (;;) {
		struct move *stage;

		while (more && built - done <= path->ahead) {
			stage = &path->stages[built % STAGES];
			more = next_stage(path, stage);
			if (!more)
				break;
			if (path->sequence.stages == 1 && in_slices(stage))
				run_slices(path, stage);
			if (paced && receives(stage) && built >= path->unasked && stage->count != 0)
				ask(stage->from);
			built++;
		}
		if (done == built)
			stages_end();
		stage = &path->stages[done % STAGES];
		if (paced && sends(stage) && done >= path->unasked && stage->count != 0)
			await_question(stage->to);
		stage_run(path, stage);
		done++;
	}
}

#if CCLO_FEATURE_RENDEZVOUS
static void run_windows(void *of)
{
	struct path *path = of;
	struct sequence *s = &path->sequence;
	uint32_t built = 0, invited = 0, done = 0;
	bool more = s->stages != 0;

	if (path->first && !path->begun_first)
		begin(path, s->count, s->build);
	if (path->begun_first) {
		s->k = built = invited = done = 1;
		s->part.count = s->count < path->slice ? s->count : path->slice;
	}
	/* Ends, because every round builds or runs one of finitely many. Two are built for each that runs, so that windows
	 * open early. */
	while (more || done != built) {
		for (uint32_t looked = 0; invited - done < STAGES; looked++) {
			struct move *stage = &path->stages[invited % STAGES];
			bool must = invited - done <= path->ahead;

			if (!must && (looked >= 2 || !path->early))
				break;
			if (invited == built) {
				more = more && next_stage(path, stage);
				if (!more)
					break;
				built++;
			}
			if ((invited != done && !windows_share_left()) || (must ? slot_is_unread(path, stage) : !may_open(path, stage)))
				break;
			invite(path, stage);
			invited++;
		}
		if (done != built)
			run_in_windows(path, &path->stages[done++ % STAGES]);
	}
	stages_end();
}

#endif

void stages_run(struct path *path, uint32_t stages, uint32_t count, stage_builder *build)
{
	path->sequence = (struct sequence){ .stages = stages, .count = count, .build = build, .part.whole = path->whole };
#if CCLO_FEATURE_RENDEZVOUS
	if (path->protocol == RENDEZVOUS)
		task_anew(path, run_windows);
#endif
	task_anew(path, run_in_turn);
}

bool stages_keep(void)
{
	return self->size > 1 && self->op0.kind == CCLO_MOVE_OPERAND_MEMORY && !self->op0.packed &&
	       self->res.kind == CCLO_MOVE_RESULT_MEMORY && !self->res.packed;
}

void stage_keep(struct move *stage, uint32_t offset)
{
	place_further(&stage->second, &self->op0, (uint64_t)self->rank * self->words.count + offset);
	stage->shape = KEEP;
}

__attribute__((cold)) void alone_stage(uint32_t k, struct part part, struct move *stage)
{
	(void)k;
	stage->count = part.count;
	place_further(&stage->own, &self->op0, part.offset);
	place_further(&stage->result, &self->res, part.offset);
}
