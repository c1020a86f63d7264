#include "ring.h"

#include "comm.h"
#include "move.h"
#include "path.h"
#include "task.h"
#include "window.h"

/* The two halves: allreduce has both, reduce_scatter and allgather one each. */
static bool reduces(void) { return self->words.scenario != CCLO_OPERATION_ALLGATHER; }

static bool gathers(void) { return self->words.scenario != CCLO_OPERATION_REDUCE_SCATTER; }

void ring_cut_each(uint32_t count)
{
	self->block = count;
	self->longer_blocks = 0;
}

void ring_cut_all(uint32_t count)
{
	uint32_t unit = 1u << self->ratio_log;
	uint32_t units = (count >> self->ratio_log) + ((count & (unit - 1)) != 0);
	uint32_t size = self->size, each = units;

	if ((size & (size - 1)) != 0)
		each /= size;
	else
		while (size >>= 1) /* mostly, and a quotient takes long */
			each >>= 1;
	self->block = each << self->ratio_log;
	self->longer_blocks = units - each * self->size;
}

/* Elements before a block, or all of them for the block behind the last. The last block of an allreduce may end within
 * a compressed element. */
__attribute__((cold)) static uint64_t before(uint32_t block)
{
	uint32_t longer = block < self->longer_blocks ? block : self->longer_blocks;
	uint64_t elements = (uint64_t)block * self->block + (longer << self->ratio_log);

	return !reduces() || !gathers() || elements < self->words.count ? elements : self->words.count;
}

uint32_t ring_longest(void) { return self->block + (self->longer_blocks != 0 ? 1u << self->ratio_log : 0); }

static uint32_t next_rank(void) { return around(self->rank + 1); }

static uint32_t previous_rank(void) { return around(self->rank + self->size - 1); }

static uint32_t stages(void) { return reduces() && gathers() ? 2 * self->size - 1 : self->size; }

/* The first stage whose block becomes a result. */
static uint32_t first_kept(void) { return reduces() ? self->size - 1 : 0; }

/* The block of stage 0. A block that is reduced ends at its own rank, or one before if it is gathered afterwards. */
static uint32_t first_block(void) { return gathers() ? self->rank : next_rank(); }

/* The last block gathered. Blocks come in ascending order, in two runs unless this is the last block of all. */
static uint32_t last_block(void) { return around(self->rank + self->size - (reduces() ? 2 : 1)); }

static uint32_t end_of_run(uint32_t block) { return block > last_block() ? self->size : last_block() + 1; }

/* Lets stages 1 to n - 1, which reduce, share one window; each receives at most count elements. */
static void joins_window(struct move *stage, uint32_t k, uint32_t n, uint32_t count)
{
	stage->follows = k > 1;
	stage->later = k != 0 ? (n - 1 - k) * count : 0;
	stage->unfinished = k + 2 < n;
}

__attribute__((cold)) static void stage(uint32_t k, struct part part, struct move *stage)
{
	uint32_t n = self->size;
	uint32_t block = around(first_block() + (k < n ? k : k - n));
	uint64_t first = before(block), end = before(block + 1);
	bool joins = part.whole && part.count == ring_longest() && self->block != 0;

	stage->count = part_within(part, (uint32_t)(end - first));
	if (k == 0 || (reduces() && k < n))
		place_further(&stage->own, &self->op0, (reduces() ? first : 0) + part.offset);
	if (k >= first_kept())
		place_further(&stage->result, &self->res, (gathers() ? first : 0) + part.offset);
	stage->shape = shape_of(k != 0, k + 1 < stages());
	stage->from = next_rank();
	stage->to = previous_rank();
	if (reduces() && part.whole && k < n)
		joins_window(stage, k, n, part.count);
	if (joins && k > first_kept() && gathers()) {
		stage->follows = k != first_kept() + 1 && block != 0;
		stage->later = (uint32_t)(before(end_of_run(block)) - end);
	}
	if (k >= first_kept())
		stage->unfinished = joins && k + 2 < stages() && block + 1 != n;
}

/* A ring in uncompressed device memory, whose next stage follows from the last one. With small blocks, computing stages
 * from their number would take most of the time. */
struct walk {
	uint32_t k, kept, last; /* stages: current, first whose block becomes a result, last */
	uint32_t block, count; /* the stage's block, and its elements */
	uint32_t at; /* bytes of the blocks before it */
	bool owns, results; /* the operand, the result is of all blocks, or of one */
};

/* Limits within which byte offsets fit a word. */
#define WALK_ELEMENTS 0x100000
#define WALK_RANKS    64

static bool can_walk(void)
{
	const struct call *call = engine.current;

	return call->block - 1 < WALK_ELEMENTS - 1 && call->size - 2 <= WALK_RANKS - 2 &&
	       (!call->packs || call->wire_packed) &&
	       call->op0.form == PLAIN_MEMORY && call->res.form == PLAIN_MEMORY &&
	       (call->ratio_log == 0 || call->words.scenario != CCLO_OPERATION_ALLREDUCE);
}

static uint32_t walk_before(uint32_t block)
{
	return block * self->block + (block < self->longer_blocks ? block : self->longer_blocks);
}

static inline void walk_measure(struct walk *w) { w->count = self->block + (w->block < self->longer_blocks); }

static inline void walk_on(struct walk *w)
{
	w->k++;
	w->at += w->count * self->plain_bytes;
	if (++w->block == self->size)
		w->at = w->block = 0;
	walk_measure(w);
}

/* Starts at stage 0, or at stage 1 if stage 0 has run. */
static inline void walk_begin(struct walk *w, struct move *stage, bool begun)
{
	w->owns = reduces();
	w->results = gathers();
	w->kept = first_kept();
	w->last = stages() - 1;
	w->k = 0;
	w->block = first_block();
	w->at = walk_before(w->block) * self->plain_bytes;
	walk_measure(w);
	stage_clear(stage);
	stage->from = next_rank();
	stage->to = previous_rank();
	if (begun)
		walk_on(w);
}

static void set_place(struct place *to, const struct place *from, uint32_t bytes)
{
	uint64_t address = address_of(from) + bytes;

	to->low = (uint32_t)address;
	to->high = (uint32_t)(address >> 32);
	to->form = PLAIN_MEMORY;
}

/* Fills in the current stage, for count elements of the block from an element on. */
static void walk_stage(const struct walk *w, struct move *stage, uint32_t from, uint32_t count)
{
	uint32_t offset = from * self->plain_bytes;

	stage->count = count;
	stage->own.form = stage->second.form = stage->result.form = 0;
	if (w->k <= w->kept)
		set_place(&stage->own, &self->op0, w->owns ? w->at + offset : offset);
	if (w->k >= w->kept)
		set_place(&stage->result, &self->res, w->results ? w->at + offset : offset);
	stage->shape = shape_of(w->k != 0, w->k != w->last);
}

/* Elements of the part of a block that begins at an element. */
static uint32_t part_of(const struct path *path, uint32_t block, uint32_t from)
{
	uint32_t count = self->block + (block < self->longer_blocks);

	if (count <= from)
		return 0;
	return count - from < path->slice ? count - from : path->slice;
}

/* Joins the last stage, which sends nothing, with stage 0 of the next part, which begins at an element; false if they
 * differ in length or need the same conversion. */
static bool begin_beside(const struct path *path, struct move *stage, uint32_t from)
{
	uint32_t block = first_block();
	bool exchanges = gathers();

	if (!reduces() || part_of(path, block, from) != stage->count ||
	    (!exchanges && self->wire_packed && !self->forms.inner_packed))
		return false;
	set_place(exchanges ? &stage->own : &stage->second, &self->op0, (walk_before(block) + from) * self->plain_bytes);
	stage->shape = exchanges ? EXCHANGE : BESIDE;
	return true;
}

/* Sends elements of the own block from an element on, and keeps them at their place in the result. */
static void send_own(struct move *stage, uint32_t from, struct place *kept)
{
	set_place(&stage->own, &self->op0, from * self->plain_bytes);
	set_place(kept, &self->res, (walk_before(self->rank) + from) * self->plain_bytes);
}

/* Pieces of a part in gather_beside: fewer where issuing a move takes longer. Compressed messages leave the port enough
 * time to keep everything sent. */
static uint32_t pieces(void)
{
	if (self->wire_packed)
		return 1;
	return engine.recording == self ? 4 : 2;
}

/* The last stage of a part of an allgather joined with stage 0 of the next part, if that has as many elements. Both
 * write results; so that the result port is no bottleneck, every other piece sent is kept through the port of
 * arriving messages. */
static bool gather_beside(struct path *path, struct move *stage, const struct walk *w, uint32_t from, uint32_t count)
{
	uint32_t next = from + path->slice, n = pieces(), piece;

	if (part_of(path, w->block, next) != count)
		return false;
	piece = count / (n * path->message) * path->message;
	if (piece == 0)
		return false;
	for (uint32_t i = 0, done = 0; i < n; i++, done += piece) {
		bool kept = (i & 1) == 0;

		if (i == n - 1)
			piece = count - done;
		walk_stage(w, stage, from + done, piece);
		if (kept) {
			send_own(stage, next + done, &stage->second);
			stage->shape = EXCHANGE_KEEP;
		}
		stage_run(path, stage);
		if (kept)
			continue;
		send_own(stage, next + done, &stage->result);
		stage->shape = SEND;
		stage_run(path, stage);
	}
	return true;
}

/* Eager messages: part after part, each as many elements as may be in flight. */
static void in_messages(void *of)
{
	struct path *path = of;
	struct move *stage = &path->stages[0];
	uint32_t from = 0, longest = ring_longest();
	bool begun = false;
	struct walk w;

	do {
		walk_begin(&w, stage, begun);
		begun = false;
		for (; w.k <= w.last; walk_on(&w)) {
			uint32_t count = part_of(path, w.block, from);

			if (count == 0)
				continue;
			if (w.k == w.last && !reduces() && gather_beside(path, stage, &w, from, count)) {
				begun = true;
				continue;
			}
			walk_stage(&w, stage, from, count);
			if (w.k == w.last)
				begun = begin_beside(path, stage, from + path->slice);
			stage_run(path, stage);
		}
		from += path->slice;
	} while (from < longest);
	stages_end();
}

#if CCLO_FEATURE_RENDEZVOUS
/* Opens a window in the result for gathered blocks, from this one to the end of its run. */
__attribute__((noinline)) static uint8_t open_run(const struct path *path, uint32_t block)
{
	struct call *call = engine.current;
	uint32_t first = walk_before(block), elements = walk_before(end_of_run(block)) - first;
	struct place place;

	set_place(&place, &call->res, first * call->plain_bytes);
	if (call->windows == 0)
		return window_open_first(next_rank(), &place, elements, path->tag, collective_context());
	return window_open(next_rank(), &place, elements, path->tag, collective_context(), path->aside);
}

/* Opens a window in scratch memory for all blocks that are reduced. */
__attribute__((noinline)) static void open_scratch(const struct path *path, struct landing *landing)
{
	landing->in_place = false;
	scratch(&landing->place, 0);
	landing->window = window_open_first(next_rank(), &landing->place, (self->size - 1) * walk_before(1), path->tag,
	                                    collective_context());
}

/* Sent before the move that sends the rest: covers the time until the first packets can be read. Whole packets, so that
 * they end with a slice. */
#define HEAD_BYTES (8 * (CCLO_MAX_PACKET_BYTES - CCLO_HEADER_BYTES))

/* Two ranks: all of a block but the head is reduced in one move, which sends as much of the other block. */
static void in_scratch_of_two(void *of)
{
	struct path *path = of;
	struct move *stage = &path->stages[0];
	struct landing *landing = &path->landings[0];
	uint32_t head = elements_in(HEAD_BYTES), rest = self->block - head;
	struct walk w;

	open_scratch(path, landing);
	walk_begin(&w, stage, false);
	walk_stage(&w, stage, 0, head);
	stage_run_in_window(path, stage, landing);
	walk_on(&w);
	walk_stage(&w, stage, 0, rest);
	path->slice = rest;
	begin_beside(path, stage, head);
	stage_run_in_window(path, stage, landing);
	invitation_done(stage->to, collective_context());
	set_place(&landing->place, &landing->place, rest * self->plain_bytes);
	walk_stage(&w, stage, rest, head);
	stage_run_in_window(path, stage, landing);
	stages_end();
}

/* Reduce_scatter: part by part through one window, in the order in which they are sent. */
static void in_scratch(void *of)
{
	struct path *path = of;
	struct move *stage = &path->stages[0];
	struct landing *landing = &path->landings[0];
	uint32_t from = 0;
	bool begun = false;
	struct walk w;

	path_in_parts(path, self->block);
	open_scratch(path, landing);
	do {
		walk_begin(&w, stage, begun);
		begun = false;
		for (; w.k <= w.last; walk_on(&w)) {
			uint32_t count = part_of(path, w.block, from);

			walk_stage(&w, stage, from, count);
			if (w.k == w.last) {
				begun = begin_beside(path, stage, from + path->slice);
				if (from + path->slice >= self->block)
					invitation_done(stage->to, collective_context());
			}
			stage_run_in_window(path, stage, landing);
			if (w.k != 0)
				set_place(&landing->place, &landing->place, count * self->plain_bytes);
		}
		from += path->slice;
	} while (from < self->block);
	stages_end();
}

/* Allgather and allreduce: whole blocks. The CTS of the first window is sent first; those of others after reductions,
 * so that none is left over for the next call if one fails. Gathered blocks arrive in the result. */
static void in_windows(void *of)
{
	struct path *path = of;
	struct move *stage = &path->stages[0];
	struct landing *landing = &path->landings[0];
	uint32_t run = around(self->rank + !reduces());
	uint8_t gathered = 0, further = 0;
	struct walk w;

	if (reduces())
		open_scratch(path, landing);
	else
		gathered = open_run(path, run);
	walk_begin(&w, stage, false);
	for (;;) {
		walk_stage(&w, stage, 0, w.count);
		if (w.k > w.kept) {
			landing->place = stage->result;
			landing->in_place = true;
			if (w.k == w.kept + 1)
				landing->window = gathered;
			else if (w.block == 0)
				landing->window = further;
		}
		stage_run_in_window(path, stage, landing);
		if (w.k != 0 && w.k < w.kept)
			set_place(&landing->place, &landing->place, w.count * self->plain_bytes);
		if (w.k == w.kept / 2) {
			if (w.owns)
				gathered = open_run(path, run);
			further = run > last_block() ? open_run(path, 0) : gathered;
		}
		walk_on(&w);
		if (sends(stage) && (w.k == w.last || (w.owns && w.k == w.kept) || (w.k > w.kept && w.block == 0))) {
			invitation_done(stage->to, collective_context());
			path->welcome = false;
		}
		if (w.k >= w.last)
			stages_end();
	}
}
#endif

/* An allgather without a ring. */
static void crosswise(void *of)
{
	struct path *path = of;
	struct walk w;

	walk_begin(&w, path->stages, false);
	walk_stage(&w, path->stages, 0, w.count);
	stages_run_cross(path, path->stages, true);
}

void ring_run(struct path *path)
{
	uint32_t longest = ring_longest(), others = self->size - 1;
	bool walks = can_walk(), held = path->protocol == EAGER;

#if CCLO_FEATURE_RENDEZVOUS
	if (walks && path->protocol == RENDEZVOUS && !engine.fills_at_once && longest * others <= path->slice)
		task_anew(path, gathers() ? in_windows
		              : self->size == 2 && self->block > 2 * elements_in(HEAD_BYTES) ? in_scratch_of_two
		                                                                             : in_scratch);
#endif
	path_around(path, longest, others);
	if (walks && !reduces() && stages_keep_apart() && stages_cross(path, held))
		task_anew(path, crosswise);
	if (walks && path->protocol == EAGER)
		task_anew(path, in_messages);
	stages_run(path, stages(), longest, stage);
}
