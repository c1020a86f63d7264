#include "stage.h"

#include "comm.h"
#include "move.h"
#include "task.h"
#include "window.h"

/* Of the calls that have the queues: a collective keeps its queue until it ends. */
static struct path paths[QUEUES];

/* The last scratch buffer accumulates. */
#define ACCUMULATOR (SCRATCH_SLOTS - 1)

#if CCLO_FEATURE_RENDEZVOUS

/* Scratch buffers, as the host has configured them when tables had this version. */
static struct {
	uint32_t version;
	bool configured;
	uint64_t address[SCRATCH_SLOTS];
} scratches;

__attribute__((cold)) static void scratch_read(void)
{
	for (uint32_t i = 0; i < SCRATCH_SLOTS; i++)
		scratches.address[i] = hw_read64(CCLO_EXCHANGE_SCRATCH_ADDRESS + i * CCLO_EXCHANGE_SCRATCH_BYTES);
	scratches.configured = engine.max_rendezvous != 0 && scratches.address[1] != scratches.address[0] &&
	                       scratches.address[2] != scratches.address[0];
	scratches.version = engine.tables;
}

bool scratch_configured(void)
{
	if (UNLIKELY(scratches.version != engine.tables))
		scratch_read();
	return scratches.configured;
}

/* Each queue of moves, and so the call that has it, owns a part of every scratch
 * buffer: calls need not wait for each other's. */
static uint32_t scratch_bytes(void)
{
	return engine.max_rendezvous / QUEUES - engine.max_rendezvous / QUEUES % CCLO_BEAT_BYTES;
}

uint32_t scratch_elements(void)
{
	uint32_t elements = elements_in(scratch_bytes());

	return elements - elements % (1u << self->ratio_log); /* whole packed ones */
}

static uint64_t scratch_address(uint32_t slot)
{
	if (!scratch_configured())
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	return scratches.address[slot] + (uint64_t)queue_of_call() * scratch_bytes();
}

static void scratch(struct place *place, uint32_t slot)
{
	uint64_t address = scratch_address(slot);

	place->low = (uint32_t)address;
	place->high = (uint32_t)(address >> 32);
	place->form = PLAIN_MEMORY;
}

struct place scratch_accumulator(void)
{
	struct place place;

	scratch(&place, ACCUMULATOR);
	return place;
}

void scratch_first(struct place *place) { scratch(place, 0); }

/* Where a window can be read only when it is full (engine.fills_at_once),
 * data is cut finer than what goes through scratch buffers at a time. */
#define AT_ONCE_BYTES 0x20000

/* The thresholds are what the host set last. */
static bool rendezvous(uint32_t count)
{
	return engine.max_rendezvous > engine.max_eager && !self->wire_packed && self->size > 1 &&
	       bytes_of(count, false) > engine.max_eager;
}

#else

bool scratch_configured(void) { return false; }

uint32_t scratch_elements(void) { return 0; }

struct place scratch_accumulator(void) { task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH); }

#endif

static uint32_t message_of(struct path *path)
{
	if (path->message == 0)
		path->message = message_elements(0);
	return path->message;
}

/* Rx buffers for messages that nobody has asked for. */
static uint32_t pool(void) { return engine.rx_count / 2 != 0 ? engine.rx_count / 2 : 1; }

/* Whether they hold all that may be waiting. Quotients take long. */
static bool pool_holds(struct path *path, uint32_t count, uint32_t waiting)
{
	uint32_t message = message_of(path);

	if (count <= message)
		return waiting <= pool();
	if ((uint64_t)pool() * message < (uint64_t)count * waiting)
		return false;
	return (uint64_t)(pool() / waiting) * message >= count;
}

__attribute__((noinline)) static void choose_eager(struct path *path, uint32_t count, uint32_t waiting)
{
	path->protocol = EAGER;
	path->slice = count;
	path->ahead = 0;
	if (count != 0 && !pool_holds(path, count, waiting))
		path_paced(path);
}

bool path_may_be_eager(uint32_t count)
{
	uint64_t bytes = (uint64_t)count * self->plain_bytes;

	return bytes <= engine.max_eager && bytes <= (uint64_t)pool() * engine.rx_bytes;
}

static struct path *choose(uint32_t count, uint32_t waiting, bool reducing)
{
	struct path *path = paths;

	for (uint32_t queue = queue_of_call(); UNLIKELY(queue != 0); queue--)
		path++; /* seldom: a product takes longer */
	path->tag = TAG_DATA;
	path->message = 0;
	path->first = path->begun_first = path->whole = path->greeted = false;
#if CCLO_FEATURE_RENDEZVOUS
	path->opened = path->begun = path->current = path->welcome = 0;
	path->slots_used = path->slots_unread = path->next_slot = 0;
	path->slots = SCRATCH_SLOTS;
	path->early = false;
	if (rendezvous(count) && (!reducing || scratch_configured())) {
		path->slice = scratch_elements(); /* all ranks alike, also those where data lands in its place */
		if (path->slice != 0) {
			path->protocol = RENDEZVOUS;
			path->ahead = 1;
			path->early = true;
			path->aside = !reducing; /* where arithmetic has failed, none must be left for the next call */
			if (engine.fills_at_once && path->slice > AT_ONCE_BYTES / CCLO_BEAT_BYTES * beats_elements())
				path->slice = AT_ONCE_BYTES / CCLO_BEAT_BYTES * beats_elements();
			return path;
		}
	}
#endif
	(void)reducing;
	choose_eager(path, count, waiting);
	return path;
}

static void credit(uint32_t to) { move_token(true, to, TAG_CREDIT, collective_context()); }

static void await_credit(uint32_t from) { move_token(false, from, TAG_CREDIT, collective_context()); }

/* Around a ring it is enough to ask once. Each rank puts a slice into it and, before the next
 * one, takes one out: there are never more than one for each rank. As that is less than the rx
 * buffers of all, some rank has room for what the one before it sends. Data of a call that the
 * next rank has not begun would be taken for that of a later one, should this one fail. The
 * question comes before all else: two ranks are each before and behind the other. */
static void around_eagerly(struct path *path)
{
	if (self->size < 2 || lossy() || engine.rx_count < 2)
		return;
	path->protocol = EAGER;
	path->slice = message_of(path) * (engine.rx_count - (engine.rx_count + 3) / 4);
	path->ahead = 0;
	credit(around(self->rank + 1));
	await_credit(around(self->rank + self->size - 1));
}

#if CCLO_FEATURE_RENDEZVOUS
/* Bytes of a part for which a window of its own costs little. */
#define PART_BYTES 0x10000

static void around_in_windows(struct path *path, uint32_t count, uint32_t stages)
{
	uint32_t part;

	if (engine.fills_at_once || stages == 0)
		return;
	if ((uint64_t)count * stages <= path->slice) { /* mostly; a quotient takes long */
		path->whole = true;
		path->slice = count;
		return;
	}
	part = whole_beats(path->slice / stages);
	if (part < count && part < elements_in(PART_BYTES))
		return;
	path->whole = true;
	path->slice = part;
}
#else
static void around_in_windows(struct path *path, uint32_t count, uint32_t stages)
{
	(void)path;
	(void)count;
	(void)stages;
}
#endif

void path_around(struct path *path, uint32_t count, uint32_t stages)
{
	if (path->protocol == RENDEZVOUS)
		around_in_windows(path, count, stages);
	else if (path->protocol == PACED)
		around_eagerly(path);
}

/* The slices of a stage and of those ahead of it share the rx buffers. Around a
 * ring each must ask one stage ahead, or all wait for each other; two ranks,
 * each before and behind the other, must ask two ahead, so that the order of
 * their messages is the same on both sides. Where messages can be lost, a slice's
 * buffers are left to the one before, whose last ones are given back late. */
__attribute__((cold)) void path_paced(struct path *path)
{
	uint32_t ahead = self->size > 2 && !lossy() ? 1 : STAGES_AHEAD;
	uint32_t most = ahead == 1 ? engine.rx_count / 2 : engine.rx_count / (STAGES_AHEAD + 1);

	path->protocol = PACED;
	path->slice = message_of(path);
	if (most > 1)
		path->slice *= most;
	if (most == 0 && self->size > 2)
		ahead = 1;
	path->ahead = ahead;
}

void path_asks(struct path *path, uint32_t ahead)
{
	path->ahead = ahead < STAGES ? ahead : STAGES - 1;
#if CCLO_FEATURE_RENDEZVOUS
	path->early = false;
#endif
}

void path_one_way(struct path *path)
{
	if (path->protocol == EAGER && lossy() && self->size > 1)
		path_paced(path);
	/* Slices of other ranks must not take the buffers of the one that is read. */
	if (path->protocol == PACED && path->ahead >= engine.rx_count)
		path->ahead = engine.rx_count - 1;
}

#define SHORT_BYTES 0x2000

bool path_is_short(const struct path *path, uint32_t count)
{
	return path->protocol == EAGER || bytes_of(count, false) <= SHORT_BYTES;
}

void path_in_beats(struct path *path)
{
	uint32_t unit = beats_elements();

	if (path->protocol == EAGER)
		return;
	if (path->slice < unit)
		path_paced(path);
	path->slice = path->slice < unit ? unit : whole_beats(path->slice);
	if (path->protocol != PACED)
		return;
	uint32_t messages = (path->slice - 1) / message_of(path) + 1;
	while (path->ahead != 0 && (path->ahead + 1) * messages > engine.rx_count)
		path->ahead--;
}

void path_accumulates(struct path *path)
{
#if CCLO_FEATURE_RENDEZVOUS
	path->slots = ACCUMULATOR;
#endif
	if (path->slice > scratch_elements())
		path->slice = scratch_elements();
}

struct path *path_choose(uint32_t count, uint32_t waiting) { return choose(count, waiting, false); }

struct path *path_choose_reducing(uint32_t count, uint32_t waiting) { return choose(count, waiting, true); }

__attribute__((noinline)) void place_further(struct place *to, const struct place *from, uint64_t elements)
{
	const struct call *call = engine.current;
	uint64_t address = address_of(from);

	if (elements == 0) {
		*to = *from;
		return;
	}
	if (from->packed)
		elements >>= call->ratio_log;
	if (elements >> 32 == 0) /* nearly always: a product of words */
		address += (uint64_t)(uint32_t)elements * (from->packed ? call->packed_bytes : call->plain_bytes);
	else
		address += elements * (from->packed ? call->packed_bytes : call->plain_bytes);
	to->low = (uint32_t)address;
	to->high = (uint32_t)(address >> 32);
	to->form = from->form;
}

struct place place_at(const struct place *from, uint64_t elements)
{
	struct place place;

	place_further(&place, from, elements);
	return place;
}

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
	return stage->own.kind == CCLO_MOVE_OPERAND_NONE && stage->result.kind == CCLO_MOVE_RESULT_MEMORY &&
	       !stage->result.packed;
}

static bool opens(const struct stage *stage)
{
	return stage->receives && !stage->follows && (stage->count | stage->later) != 0;
}

/* Whether the window of a stage can be opened without waiting. */
static bool may_open(const struct path *path, const struct stage *stage)
{
	uint32_t slot = 1u << path->next_slot;

	if (!opens(stage))
		return true;
	if (lands_in_place(stage))
		return window_room(address_of(&stage->result));
	if (path->slots_unread & slot)
		return false;
	if ((path->slots_used & slot) && !move_is_done(path->slot_moves[path->next_slot]))
		return false;
	return window_room(scratch_address(path->next_slot));
}

static bool goes_early(const struct path *path) { return path->protocol == RENDEZVOUS && path->early; }

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
		if (path->slots_used & 1u << slot)
			move_wait(path->slot_moves[slot]);
		path->slots_used |= 1u << slot;
		path->slots_unread |= 1u << slot;
		landing->slot = (uint8_t)slot;
		scratch(&landing->place, slot);
	}
	landing->window = window_open(from, &landing->place, elements, path->tag, collective_context(), path->aside);
}

void path_greet(struct path *path, uint32_t from, const struct place *place, uint32_t count)
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
#else
static bool goes_early(const struct path *path)
{
	(void)path;
	return false;
}

void path_greet(struct path *path, uint32_t from, const struct place *place, uint32_t count)
{
	(void)path;
	(void)from;
	(void)place;
	(void)count;
}

static bool may_open(const struct path *path, const struct stage *stage)
{
	(void)path;
	(void)stage;
	return false;
}
#endif

/* Asks for the data of a stage. */
static void invite(struct path *path, const struct stage *stage)
{
	if (path->protocol == PACED && stage->receives && stage->count != 0)
		credit(stage->from);
#if CCLO_FEATURE_RENDEZVOUS
	if (path->protocol == RENDEZVOUS && opens(stage)) {
		if (!path->greeted)
			open_landing(path, stage->from, lands_in_place(stage) ? &stage->result : NULL, stage->count + stage->later);
		path->greeted = false;
	}
#endif
}

static inline void clear(struct stage *stage)
{
	stage->own.form = stage->result.form = 0;
	stage->receives = stage->sends = stage->keeps = stage->fence = stage->follows = stage->unfinished = false;
	stage->later = 0;
}

static void describe(struct path *path, const struct stage *stage, struct move *move)
{
	*move = (struct move){
		.op0 = stage->own.kind != CCLO_MOVE_OPERAND_NONE ? &stage->own : NULL,
		.result = &stage->result,
		.count = stage->count,
		.receives = stage->receives,
		.sends = stage->sends,
		.fence = stage->fence,
		.source = stage->from,
		.destination = stage->to,
		.tag = path->tag,
		.context = collective_context(),
	};
	if (stage->keeps) {
		place_further(&path->kept, &stage->own, ((uint64_t)self->rank - stage->to) * self->words.count);
		move->op1 = &path->kept;
		move->apart = true;
	}
}

/* As most are: nothing compressed, all in device memory. */
static bool is_plain(const struct stage *stage)
{
	_Static_assert(CCLO_MOVE_OPERAND_NONE == 0 && PLAIN_MEMORY == 1, "these alone are not above");
	return !self->packs && !stage->keeps && stage->own.form <= PLAIN_MEMORY && stage->result.form <= PLAIN_MEMORY;
}

/* move_prepare for those. What comes in is in the window of the landing, or a message if there
 * is none; in its place it becomes no result any more. */
__attribute__((noinline)) static uint32_t prepare_plain(const struct path *path, const struct stage *stage, const struct landing *landing,
                                                        bool in_place)
{
	const struct call *call = engine.current;
	uint32_t bytes = bytes_of(stage->count, false), control = FIELD(MOVE_CONTROL_FENCE, stage->fence);
	bool own = stage->own.form != 0;

	move_make_room();
	hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes);
	hw_write(CCLO_MOVE_TDEST_ADDRESS, call->tdest);
	hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, collective_context());
	hw_write(CCLO_MOVE_TAG_ADDRESS, path->tag);
	if (path->protocol != RENDEZVOUS && stage->sends) {
		cut_use(stage->to);
		hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, engine.known.chunk_bytes);
		hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, engine.known.segment_bytes);
	}
	if (own) {
		hw_write(CCLO_MOVE_OP0_ADDRESS_ADDRESS, stage->own.low);
		hw_write(CCLO_MOVE_OP0_ADDRESS_HIGH_ADDRESS, stage->own.high);
		control |= FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);
	}
	if (stage->receives) {
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
		hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
		control |= FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
	}
	if (stage->result.form != 0 && !in_place) {
		hw_write(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, stage->result.low);
		hw_write(CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS, stage->result.high);
		control += FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY);
	}
	(void)landing;
	return control;
}

_Static_assert(CCLO_MOVE_RESULT_NETWORK + CCLO_MOVE_RESULT_MEMORY == CCLO_MOVE_RESULT_MEMORY_AND_NETWORK, "both");

#if CCLO_FEATURE_RENDEZVOUS
__attribute__((noinline)) static uint32_t prepare_other(struct path *path, const struct stage *stage, const struct landing *landing,
                                                        bool in_place)
{
	struct move move;

	describe(path, stage, &move);
	move.to_window = stage->sends;
	if (stage->receives) {
		move.from_window = &landing->place;
		move.window = landing->window;
		if (in_place)
			move.result = NULL;
	}
	return move_prepare(&move);
}

/* Sets registers while an invitation may be on its way, again if another call has
 * had the processor meanwhile. */
static inline void run_in_window(struct path *path, const struct stage *stage, const struct landing *landing, bool in_place)
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
	if (stage->count != 0 && (!in_place || stage->sends)) { /* in its place it is already */
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

void path_begin(struct path *path, uint32_t count, uint32_t to)
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
void path_begin(struct path *path, uint32_t count, uint32_t to)
{
	(void)path;
	(void)count;
	(void)to;
}

static void begin(struct path *path, uint32_t count, stage_builder *build)
{
	(void)path;
	(void)count;
	(void)build;
}
#endif

void stage_run(struct path *path, const struct stage *stage)
{
	struct move move;

	if (stage->count == 0)
		return;
	if (path->protocol == PACED && stage->sends)
		await_credit(stage->to);
	if (is_plain(stage)) {
		move_give(prepare_plain(path, stage, NULL, false));
		return;
	}
	describe(path, stage, &move);
	move_issue(&move);
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

static void run_stage(struct path *path, const struct stage *stage)
{
#if CCLO_FEATURE_RENDEZVOUS
	if (path->protocol == RENDEZVOUS) {
		run_in_windows(path, stage);
		return;
	}
#endif
	stage_run(path, stage);
}

void stages_end(void)
{
	move_drain();
	windows_finish();
	task_done();
}

/* At the beginning of the call's stack: nothing above is gone back to. */
static void run_all(void *of)
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

			if (!must && (looked >= 2 || !goes_early(path)))
				break;
			if (invited == built) {
				more = more && next_stage(path, stage);
				if (!more)
					break;
				built++;
			}
			if (!must && !may_open(path, stage))
				break;
			invite(path, stage);
			invited++;
		}
		if (done != built)
			run_stage(path, &path->stages[done++ % STAGES]);
	}
	stages_end();
}

void stages_run(struct path *path, uint32_t stages, uint32_t count, stage_builder *build)
{
	path->sequence = (struct sequence){ .stages = stages, .count = count, .build = build, .part.whole = path->whole };
	task_anew(path, run_all);
}

bool stages_keep(void)
{
	return self->size > 1 && self->op0.kind == CCLO_MOVE_OPERAND_MEMORY && !self->op0.packed &&
	       self->res.kind == CCLO_MOVE_RESULT_MEMORY && !self->res.packed;
}

void stage_joins(struct stage *stage, uint32_t k, uint32_t n, uint32_t count)
{
	stage->follows = k > 1;
	stage->later = k != 0 ? (n - 1 - k) * count : 0;
	stage->unfinished = k + 2 < n;
}

__attribute__((cold)) void alone_stage(uint32_t k, struct part part, struct stage *stage)
{
	(void)k;
	stage->count = part.count;
	place_further(&stage->own, &self->op0, part.offset);
	place_further(&stage->result, &self->res, part.offset);
}
