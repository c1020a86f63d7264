#include "stage.h"

#include "comm.h"
#include "move.h"
#include "task.h"
#include "window.h"

/* The last scratch buffer accumulates. */
#define ACCUMULATOR (SCRATCH_SLOTS - 1)

#if CCLO_FEATURE_RENDEZVOUS

static uint64_t scratch_address(uint32_t slot)
{
	return hw_read64(CCLO_EXCHANGE_SCRATCH_ADDRESS + slot * CCLO_EXCHANGE_SCRATCH_BYTES);
}

bool scratch_configured(void)
{
	return engine.max_rendezvous != 0 && scratch_address(1) != scratch_address(0) &&
	       scratch_address(2) != scratch_address(0);
}

/* Each queue of moves, and so the call that has it, owns a part of every scratch
 * buffer: calls need not wait for each other's. */
static uint32_t scratch_bytes(void)
{
	return engine.max_rendezvous / QUEUES - engine.max_rendezvous / QUEUES % CCLO_BEAT_BYTES;
}

uint32_t scratch_elements(void)
{
	uint32_t elements = scratch_bytes() / self->plain_bytes;

	return elements - elements % (1u << self->ratio_log); /* whole packed ones */
}

static struct place scratch(uint32_t slot)
{
	uint64_t address = scratch_address(slot) + (uint64_t)queue_of_call() * scratch_bytes();
	struct place place = { .low = (uint32_t)address, .high = (uint32_t)(address >> 32), .kind = CCLO_MOVE_OPERAND_MEMORY };

	if (!scratch_configured())
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	return place;
}

struct place scratch_accumulator(void) { return scratch(ACCUMULATOR); }

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

static struct path choose(uint32_t count, uint32_t waiting, bool reducing)
{
	uint32_t message = message_elements(0);
	uint32_t pool = engine.rx_count / 2 != 0 ? engine.rx_count / 2 : 1;
	struct path path = { .protocol = EAGER, .slice = count, .ahead = 0, .slots = SCRATCH_SLOTS };

#if CCLO_FEATURE_RENDEZVOUS
	if (rendezvous(count) && scratch_elements() != 0 && (!reducing || scratch_configured())) {
		path.protocol = RENDEZVOUS;
		path.ahead = 1;
		path.slice = scratch_elements(); /* all ranks alike, also those where data lands in its place */
		return path;
	}
#endif
	(void)reducing;
	if (count != 0 && (count - 1) / message >= pool / waiting)
		return path_paced();
	return path;
}

/* The slices of a stage and of those ahead of it share the rx buffers. Around a
 * ring each must ask one stage ahead, or all wait for each other; two ranks,
 * each before and behind the other, must ask two ahead, so that the order of
 * their messages is the same on both sides. */
struct path path_paced(void)
{
	uint32_t most = engine.rx_count / (STAGES_AHEAD + 1);
	struct path path = { .protocol = PACED, .slice = message_elements(0), .ahead = STAGES_AHEAD };

	if (most > 1)
		path.slice *= most;
	if (most == 0 && self->size > 2)
		path.ahead = 1;
	path.slots = SCRATCH_SLOTS;
	return path;
}

void path_one_way(struct path *path)
{
	if (path->protocol == EAGER && lossy() && self->size > 1)
		*path = path_paced();
	/* Slices of other ranks must not take the buffers of the one that is read. */
	if (path->protocol == PACED && path->ahead >= engine.rx_count)
		path->ahead = engine.rx_count - 1;
}

/* A beat's worth of elements of any size is whole beats; of sizes that divide the
 * beat, what fits into it. Both are powers of two. */
static uint32_t beat_elements(uint32_t bytes)
{
	return CCLO_BEAT_BYTES % bytes == 0 ? CCLO_BEAT_BYTES / bytes : CCLO_BEAT_BYTES;
}

uint32_t beats_elements(void)
{
	uint32_t plain = beat_elements(self->plain_bytes);
	uint32_t packed = beat_elements(self->packed_bytes) << self->ratio_log;

	return plain > packed ? plain : packed;
}

void path_in_beats(struct path *path)
{
	uint32_t unit = beats_elements();

	if (path->protocol == EAGER)
		return;
	if (path->slice < unit)
		*path = path_paced();
	path->slice = path->slice < unit ? unit : path->slice - path->slice % unit;
	if (path->protocol != PACED)
		return;
	uint32_t messages = (path->slice - 1) / message_elements(0) + 1;
	while (path->ahead != 0 && (path->ahead + 1) * messages > engine.rx_count)
		path->ahead--;
}

void path_accumulates(struct path *path)
{
	path->slots = ACCUMULATOR;
	if (path->slice > scratch_elements())
		path->slice = scratch_elements();
}

struct path path_choose(uint32_t count, uint32_t waiting) { return choose(count, waiting, false); }

struct path path_choose_reducing(uint32_t count, uint32_t waiting) { return choose(count, waiting, true); }

uint32_t part_within(struct part part, uint32_t count)
{
	if (part.offset >= count)
		return 0;
	return part.count < count - part.offset ? part.count : count - part.offset;
}

static void credit(uint32_t to)
{
	struct move move = { .sends = true, .destination = to, .tag = TAG_CREDIT, .context = collective_context() };

	move_issue(&move);
}

static void await_credit(uint32_t from)
{
	struct move move = { .receives = true, .source = from, .tag = TAG_CREDIT, .context = collective_context() };

	move_issue(&move);
}

#if CCLO_FEATURE_RENDEZVOUS
/* Where data lands: in its place if it needs nothing more, else in scratch. */
static void open_landing(struct path *path, struct stage *stage)
{
	bool in_place = stage->own.kind == CCLO_MOVE_OPERAND_NONE && stage->result.kind == CCLO_MOVE_RESULT_MEMORY &&
	                !stage->result.packed;

	stage->lands_in_scratch = !in_place;
	if (in_place) {
		stage->landing = stage->result;
	} else {
		stage->slot = path->next_slot++ % path->slots;
		stage->landing = scratch(stage->slot);
		move_wait(path->slot_moves[stage->slot]);
	}
	stage->window = window_open(stage->from, &stage->landing, stage->count, path->tag, collective_context());
}
#endif

/* Asks for the data of a stage. */
static void invite(struct path *path, struct stage *stage)
{
	if (!stage->receives || stage->count == 0)
		return;
	if (path->protocol == PACED)
		credit(stage->from);
#if CCLO_FEATURE_RENDEZVOUS
	if (path->protocol == RENDEZVOUS)
		open_landing(path, stage);
#endif
}

__attribute__((noinline)) static void run(struct path *path, const struct stage *stage)
{
	struct move move = {
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

	if (stage->count == 0)
		return;
	if (path->protocol == PACED && stage->sends)
		await_credit(stage->to);
#if CCLO_FEATURE_RENDEZVOUS
	if (path->protocol == RENDEZVOUS) {
		if (stage->sends)
			invitation_wait(stage->to, path->tag, collective_context());
		move.to_window = stage->sends;
		if (stage->receives) {
			move.from_window = &stage->landing;
			move.window = stage->window;
			if (!stage->lands_in_scratch)
				move.result = NULL; /* there it is already */
			if (!stage->lands_in_scratch && !stage->sends)
				return;
		}
	}
#endif
	move_issue(&move);
#if CCLO_FEATURE_RENDEZVOUS
	if (path->protocol == RENDEZVOUS) {
		if (stage->receives)
			window_read(stage->window);
		if (stage->receives && stage->lands_in_scratch)
			path->slot_moves[stage->slot] = move_number();
		if (stage->sends)
			invitation_done(stage->to, bytes_of(stage->count, false), collective_context());
	}
#endif
}

/* Stages in the order in which they run, part after part. */
struct sequence {
	struct path *path;
	uint32_t stages, count;
	stage_builder *build;
	struct part part; /* of the stage that is built next */
	uint32_t k;
};

static bool next_stage(struct sequence *s, struct stage *stage)
{
	if (s->k == s->stages) {
		s->k = 0;
		s->part.offset += s->part.count;
	}
	if (s->part.offset >= s->count)
		return false;
	s->part.count = s->count - s->part.offset < s->path->slice ? s->count - s->part.offset : s->path->slice;
	*stage = (struct stage){ 0 };
	s->build(s->k++, s->part, stage);
	return true;
}

void stages_run(struct path *path, uint32_t stages, uint32_t count, stage_builder *build)
{
	struct sequence sequence = { .path = path, .stages = stages, .count = count, .build = build };
	struct stage ring[STAGES_AHEAD + 1]; /* the present stage and those ahead of it */
	uint32_t built = 0, done = 0;
	bool more = stages != 0;

	/* Ends: every round builds a stage of finitely many or finishes one. */
	while (more || done != built) {
		while (more && built - done <= path->ahead) {
			struct stage *stage = &ring[built % (STAGES_AHEAD + 1)];

			more = next_stage(&sequence, stage);
			if (more) {
				invite(path, stage);
				built++;
			}
		}
		if (done != built)
			run(path, &ring[done++ % (STAGES_AHEAD + 1)]);
	}
	move_drain();
	windows_finish();
}

void alone_stage(uint32_t k, struct part part, struct stage *stage)
{
	(void)k;
	stage->count = part.count;
	stage->own = place_at(&self->op0, part.offset);
	stage->result = place_at(&self->res, part.offset);
}
