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
/* Data lands in its place if it needs nothing more, else in scratch. */
static bool lands_in_place(const struct stage *stage)
{
	return (stage->own.kind == CCLO_MOVE_OPERAND_NONE || stage->exclusive) &&
	       stage->result.kind == CCLO_MOVE_RESULT_MEMORY && !stage->result.packed;
}

static bool opens(const struct stage *stage)
{
	return stage->receives && !stage->follows && (stage->count | stage->later) != 0;
}

/* Whether an earlier stage, which has not run yet, has the scratch buffer that is the next one. */
static bool slot_is_unread(const struct path *path, const struct stage *stage)
{
	return opens(stage) && !lands_in_place(stage) && (path->slots_unread & 1u << path->next_slot) != 0;
}

/* Whether the window of a stage can be opened without waiting. */
static bool may_open(const struct path *path, const struct stage *stage)
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

/* Opens the window in which data of a stage lands. */
static void invite(struct path *path, const struct stage *stage)
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

static inline void clear(struct stage *stage)
{
	stage->own.form = stage->result.form = 0;
	stage->receives = stage->sends = stage->keeps = stage->apart = stage->kept = stage->beside = stage->exclusive =
		stage->fence = stage->follows = stage->unfinished = false;
	stage->later = 0;
}

/* Finds this rank's own block, for a stage that sends another one. */
static void keep(struct path *path, const struct stage *stage)
{
	place_further(&path->kept, &stage->own, ((uint64_t)self->rank - stage->to) * self->words.count);
}

static struct move *describe(struct path *path, const struct stage *stage)
{
	struct move *move = &path->move;

	path->switches = engine.switches - 1; /* it sets registers otherwise */
	*move = (struct move){
		.op0 = stage->own.kind != CCLO_MOVE_OPERAND_NONE ? &stage->own : NULL,
		.result = &stage->result,
		.count = stage->count,
		.receives = stage->receives,
		.sends = stage->sends,
		.apart = stage->apart,
		.fence = stage->fence,
		.source = stage->from,
		.destination = stage->to,
		.tag = path->tag,
		.context = collective_context(),
	};
	if (stage->keeps) {
		keep(path, stage);
		move->op1 = &path->kept;
		move->apart = true;
	}
	return move;
}

/* As most are: all in device memory, and nothing compressed but what is on the wire. */
static bool is_plain(const struct stage *stage)
{
	_Static_assert(CCLO_MOVE_OPERAND_NONE == 0 && PLAIN_MEMORY == 1, "these alone are not above");
	return stage->own.form <= PLAIN_MEMORY && stage->result.form <= PLAIN_MEMORY &&
	       (!self->packs || self->wire_packed);
}

/* What a plain stage says of the wire, where it is compressed. */
static uint32_t packed_fields(const struct stage *stage)
{
	uint32_t fields = FIELD(MOVE_CONTROL_NETWORK_COMPRESSED, stage->sends);

	hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, bytes_of(stage->count, true));
	if (!stage->receives)
		return fields;
	if (stage->own.form == 0)
		return fields | FIELD(MOVE_CONTROL_OP0_COMPRESSED, 1) | FIELD(MOVE_CONTROL_INNER_COMPRESSED, 1);
	return fields | FIELD(MOVE_CONTROL_OP1_COMPRESSED, 1) | FIELD(MOVE_CONTROL_INNER_COMPRESSED,
	                                                              self->forms.inner_packed && !stage->apart);
}

/* move_prepare for those. What comes in is in the window of the landing, or a message if there
 * is none; in its place it becomes no result any more. */
__attribute__((noinline)) static uint32_t prepare_plain(struct path *path, const struct stage *stage,
                                                        const struct landing *landing,
                                                        bool in_place)
{
	const struct call *call = engine.current;
	uint32_t bytes = bytes_of(stage->count, false), control = FIELD(MOVE_CONTROL_FENCE, stage->fence);
	bool own = stage->own.form != 0;

	move_make_room();
	hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes);
	hw_write(CCLO_MOVE_TAG_ADDRESS, path->tag);
	if (path->switches != engine.switches) {
		path->switches = engine.switches;
		hw_write(CCLO_MOVE_TDEST_ADDRESS, call->tdest);
		hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
		hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, collective_context());
		hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
		path->cut = NO_RANK;
	}
	if (path->protocol != RENDEZVOUS && stage->sends && path->cut != stage->to) {
		path->cut = stage->to;
		cut_use(stage->to);
		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, 0);
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, engine.known.message_bytes);
	}
	if (own) {
		hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, stage->own.low);
		hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, stage->own.high);
		control |= FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);
	}
	if (stage->keeps) {
		keep(path, stage);
		hw_write(CCLO_MOVE_OP1_ADDRESS_ADDRESS, path->kept.low);
		hw_write(CCLO_MOVE_OP1_ADDRESS_HIGH_ADDRESS, path->kept.high);
		control |= FIELD(MOVE_CONTROL_OP1, CCLO_MOVE_OPERAND_MEMORY);
	} else if (stage->receives) {
		uint32_t kind = CCLO_MOVE_OPERAND_MESSAGE;

#if CCLO_FEATURE_RENDEZVOUS
		if (landing != NULL) {
			uint32_t address = own ? CCLO_MOVE_OP1_ADDRESS_ADDRESS : CCLO_MOVE_OP0_ADDRESS_ADDRESS;

			kind = CCLO_MOVE_OPERAND_WINDOW;
			hw_write(address, landing->place.low);
			hw_write(address + 4, landing->place.high);
			hw_write(CCLO_MOVE_WINDOW_ADDRESS, landing->window);
		}
#endif
		hw_write(CCLO_MOVE_SOURCE_ADDRESS, stage->from);
		control |= own ? FIELD(MOVE_CONTROL_OP1, kind) : FIELD(MOVE_CONTROL_OP0, kind);
	}
	if (stage->sends) {
		hw_write(CCLO_MOVE_DESTINATION_ADDRESS, stage->to);
		control |= FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
	}
	if (stage->result.form != 0 && !in_place) {
		hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, stage->result.low);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, stage->result.high);
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY);
		if (stage->apart || stage->keeps)
			control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_APART - CCLO_MOVE_RESULT_MEMORY_AND_NETWORK);
		if (stage->kept) {
			hw_write(CCLO_MOVE_KEPT_ADDRESS_ADDRESS, stage->further.low);
			hw_write(CCLO_MOVE_KEPT_ADDRESS_HIGH_ADDRESS, stage->further.high);
			control |= FIELD(MOVE_CONTROL_KEEPS, 1);
		}
		if (stage->beside) {
			hw_write(CCLO_MOVE_OP2_ADDRESS_ADDRESS, stage->further.low);
			hw_write(CCLO_MOVE_OP2_ADDRESS_HIGH_ADDRESS, stage->further.high);
			control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_BESIDE - CCLO_MOVE_RESULT_MEMORY_AND_NETWORK);
		}
	}
	if (call->packs)
		control |= packed_fields(stage);
	(void)landing;
	return control;
}

_Static_assert(CCLO_MOVE_RESULT_NETWORK + CCLO_MOVE_RESULT_MEMORY == CCLO_MOVE_RESULT_MEMORY_AND_NETWORK, "both");

#if CCLO_FEATURE_RENDEZVOUS
__attribute__((noinline)) static uint32_t prepare_other(struct path *path, const struct stage *stage,
                                                        const struct landing *landing,
                                                        bool in_place)
{
	struct move *move = describe(path, stage);

	move->to_window = stage->sends;
	if (stage->receives) {
		move->from_window = &landing->place;
		move->window = landing->window;
		if (in_place)
			move->result = NULL;
	}
	return move_prepare(move);
}

/* Sets registers while an invitation may be on its way, again if another call has
 * had the processor meanwhile. Inline, for stacks: run_in_windows is deep already. */
static inline void run_in_window(struct path *path, const struct stage *stage, const struct landing *landing,
                                 bool in_place)
{
	bool plain = is_plain(stage);
	uint32_t prepared, switches;

	do {
		prepared = plain ? prepare_plain(path, stage, landing, in_place) : prepare_other(path, stage, landing, in_place);
		switches = engine.switches;
		if (stage->sends && !path->welcome)
			invitation_wait_prepared(stage->to, path->tag, collective_context());
		path->welcome |= stage->sends;
	} while (engine.switches != switches);
	move_commit(stage->sends, stage->count, prepared);
}

void stage_run_in_window(struct path *path, const struct stage *stage, const struct landing *landing, bool in_place)
{
	run_in_window(path, stage, landing, in_place);
}

/* An exclusive stage whose data has landed in scratch memory: two moves read it. */
__attribute__((noinline, cold)) static void run_exclusive_in_window(struct path *path, const struct stage *stage,
                                                                    const struct landing *landing)
{
	struct stage *part = &path->exclusive;

	*part = *stage;
	part->own.form = 0;
	part->sends = false;
	run_in_window(path, part, landing, false);
	*part = *stage;
	part->result.form = 0;
	run_in_window(path, part, landing, false);
}

__attribute__((noinline)) static void run_in_windows(struct path *path, const struct stage *stage)
{
	struct landing *landing;
	bool in_place;

	if (opens(stage)) {
		path->current = path->begun;
		path->begun = path->begun + 1 == HELD ? 0 : path->begun + 1;
	}
	landing = &path->landings[path->current];
	in_place = stage->receives && landing->in_place;
	if (UNLIKELY(stage->exclusive) && !in_place && stage->count != 0) {
		run_exclusive_in_window(path, stage, landing);
	} else if (stage->count != 0 && (!in_place || stage->sends)) { /* in its place it is already */
		run_in_window(path, stage, landing, in_place);
	} else if (stage->sends && !path->welcome && stage->unfinished) {
		invitation_wait(stage->to, path->tag, collective_context());
		path->welcome = true;
	}
	if (stage->receives && (stage->follows || opens(stage))) {
		bool last = stage->later == 0;

		window_read(landing->window, last, !in_place || stage->sends);
		if (!in_place && last) {
			path->slot_moves[landing->slot] = move_number();
			path->slots_unread &= ~(1u << landing->slot);
		}
		place_further(&landing->place, &landing->place, stage->count);
	}
	if (stage->sends && path->welcome && !stage->unfinished) {
		invitation_done(stage->to, collective_context());
		path->welcome = false;
	}
}

void stages_begin(struct path *path, uint32_t count, uint32_t to)
{
	struct stage *stage = &path->stages[0];

	if (path->protocol != RENDEZVOUS || count == 0)
		return;
	clear(stage);
	stage->own = self->op0;
	stage->count = count < path->slice ? count : path->slice;
	stage->sends = true;
	stage->to = to;
	run_in_windows(path, stage);
	path->begun_first = true;
}

__attribute__((always_inline)) static inline void begin(struct path *path, uint32_t count, stage_builder *build)
{
	struct stage *stage = &path->stages[0];
	struct part part = { .count = count < path->slice ? count : path->slice, .whole = path->whole };

	if (path->protocol != RENDEZVOUS || count == 0)
		return;
	clear(stage);
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

/* A message can be read once: the second move reads the result. */
__attribute__((noinline, cold)) static void run_exclusive(struct path *path, const struct stage *stage)
{
	struct move *move = describe(path, stage);

	move->op0 = NULL;
	move->sends = false;
	move_issue(move);
	move = describe(path, stage);
	move->receives = false;
	move->op1 = move->result;
	move->result = NULL;
	move->fence = true;
	move_issue(move);
}

void stage_run(struct path *path, const struct stage *stage)
{
	if (stage->count == 0)
		return;
	if (UNLIKELY(stage->exclusive)) {
		run_exclusive(path, stage);
		return;
	}
	if (is_plain(stage))
		move_give(prepare_plain(path, stage, NULL, false));
	else
		move_issue(describe(path, stage));
}

/* Stages in the order in which they run, part after part. */
static bool next_stage(struct path *path, struct stage *stage)
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
	clear(stage);
	s->build(s->k++, s->part, stage);
	return true;
}

void stages_end(void)
{
	if (self->windows == 0 && self->state.other_queue == NO_QUEUE) {
		engine.round |= self->bit; /* the moves may have completed: no event comes then */
		move_finish();
	}
	plan_keep();
	move_drain();
	windows_finish();
	task_done();
}

/* Where messages can be lost, buffers must be free before they are asked for. */
static void ask(uint32_t rank) { move_token(true, lossy(), rank, TAG_CREDIT, collective_context()); }

static void await_question(uint32_t rank) { move_token(false, false, rank, TAG_CREDIT, collective_context()); }

static inline void place_behind(struct place *place, uint32_t bytes)
{
	place->low += bytes;
	place->high += place->low < bytes;
}

static uint32_t slice_of(const struct path *path, uint32_t left) { return left < path->slice ? left : path->slice; }

/* prepare_plain for another slice of the same stage: what has changed since the last one, or been
 * set for a question. */
static inline uint32_t prepare_slice(struct path *path, const struct stage *stage, uint32_t control)
{
	move_make_room();
	if (UNLIKELY(path->switches != engine.switches))
		return prepare_plain(path, stage, NULL, false);
	hw_write(CCLO_MOVE_BYTES_ADDRESS, stage->count * self->plain_bytes);
	if (self->packs)
		hw_write(CCLO_MOVE_COMPRESSED_BYTES_ADDRESS, bytes_of(stage->count, true));
	hw_write(CCLO_MOVE_TAG_ADDRESS, path->tag);
	hw_write(CCLO_MOVE_SOURCE_ADDRESS, stage->from);
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, stage->to);
	hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, stage->own.low);
	hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, stage->own.high);
	hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, stage->result.low);
	hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, stage->result.high);
	return control;
}

/* The only stage, of its first slice: others lie behind it. It keeps no block. */
__attribute__((noreturn)) static inline void run_slices(struct path *path, struct stage *stage)
{
	uint32_t left = path->sequence.count, bytes = stage->count * self->plain_bytes;
	uint32_t asks = path->ahead + 1 - path->unasked; /* before the next slice */
	bool paced = path->protocol == PACED, asked = path->unasked == 0;
	uint32_t unasked = paced && stage->receives ? left : 0, control = 0;

	path->switches = engine.switches - 1;
	if (!asked && unasked != 0)
		unasked -= stage->count;
	for (;;) {
		while (unasked != 0 && asks-- != 0) {
			ask(stage->from);
			unasked -= slice_of(path, unasked);
		}
		if (paced && stage->sends && asked)
			await_question(stage->to);
		control = prepare_slice(path, stage, control);
		move_give(control);
		left -= stage->count;
		if (left == 0)
			stages_end();
		place_behind(&stage->own, bytes);
		place_behind(&stage->result, bytes);
		stage->count = slice_of(path, left);
		asked = true;
		asks = 1;
	}
}

/* Messages, at the beginning of the call's stack: nothing above is gone back to. Ends: every
 * round builds a stage of finitely many or finishes one. */
static void run_in_turn(void *of)
{
	struct path *path = of;
	bool paced = path->protocol == PACED, more = path->sequence.stages != 0;
	uint32_t built = 0, done = 0;

	for (;;) {
		struct stage *stage;

		while (more && built - done <= path->ahead) {
			stage = &path->stages[built % STAGES];
			more = next_stage(path, stage);
			if (!more)
				break;
			if (path->sequence.stages == 1 && is_plain(stage) && !stage->keeps && !stage->exclusive)
				run_slices(path, stage);
			if (paced && stage->receives && built >= path->unasked && stage->count != 0)
				ask(stage->from);
			built++;
		}
		if (done == built)
			stages_end();
		stage = &path->stages[done % STAGES];
		if (paced && stage->sends && done >= path->unasked && stage->count != 0)
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
	/* Ends: every round builds a stage of finitely many or finishes one. Two are
	 * looked at for each that runs, so that what can be asked for early is. */
	while (more || done != built) {
		for (uint32_t looked = 0; invited - done < STAGES; looked++) {
			struct stage *stage = &path->stages[invited % STAGES];
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

__attribute__((cold)) void alone_stage(uint32_t k, struct part part, struct stage *stage)
{
	(void)k;
	stage->count = part.count;
	place_further(&stage->own, &self->op0, part.offset);
	place_further(&stage->result, &self->res, part.offset);
}
