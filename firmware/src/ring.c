#include "ring.h"

#include "comm.h"
#include "move.h"
#include "task.h"
#include "window.h"

/* Allgather begins with what is reduced elsewhere, reduce_scatter ends there. */
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

/* Elements before a block, or before the end. The last of the blocks that make up the whole
 * may be shorter than whole units. */
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

/* The first stage of those whose blocks become results. */
static uint32_t first_kept(void) { return reduces() ? self->size - 1 : 0; }

/* The block of stage 0. One that is reduced ends where it belongs, or begins to be gathered
 * at the rank behind that. */
static uint32_t first_block(void) { return gathers() ? self->rank : next_rank(); }

/* The last block that comes to be gathered. They come in their order: in two runs, unless it
 * is the last one of all. */
static uint32_t last_block(void) { return around(self->rank + self->size - (reduces() ? 2 : 1)); }

static uint32_t end_of_run(uint32_t block) { return block > last_block() ? self->size : last_block() + 1; }

__attribute__((cold)) static void stage(uint32_t k, struct part part, struct stage *stage)
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
	stage->receives = k != 0;
	stage->from = next_rank();
	stage->sends = k + 1 < stages();
	stage->to = previous_rank();
	if (reduces() && part.whole && k < n)
		stage_joins(stage, k, n, part.count);
	if (joins && k > first_kept() && gathers()) {
		stage->follows = k != first_kept() + 1 && block != 0;
		stage->later = (uint32_t)(before(end_of_run(block)) - end);
	}
	if (k >= first_kept())
		stage->unfinished = joins && k + 2 < stages() && block + 1 != n;
}

/* A ring through plain device memory, which knows its next move from the last one: unless
 * blocks are large, finding moves is what takes the time. What all of them have in common is
 * in registers until other calls have run. */
struct walk {
	uint32_t k, kept, last; /* stages: the present one, the first whose block becomes a result, the last */
	uint32_t block, bytes, at; /* the stage's block, bytes of it and before it */
	uint32_t each, longer; /* bytes of a block, and of one of the longer ones */
	uint32_t own, result; /* all bits set: operands, results of blocks lie behind each other, or there is one */
	uint32_t switches; /* of calls when registers were set */
};

/* Fewer than so many in a block of some, and so many ranks at most: bytes are words. */
#define WALK_ELEMENTS 0x100000
#define WALK_RANKS    64

static bool can_walk(void)
{
	const struct call *call = engine.current;

	return call->block - 1 < WALK_ELEMENTS - 1 && call->size - 2 <= WALK_RANKS - 2 && !call->packs &&
	       call->op0.form == PLAIN_MEMORY && call->res.form == PLAIN_MEMORY &&
	       (call->ratio_log == 0 || call->words.scenario != CCLO_OPERATION_ALLREDUCE);
}

static uint32_t walk_before(uint32_t block)
{
	return block * self->block + (block < self->longer_blocks ? block : self->longer_blocks);
}

static inline void walk_measure(struct walk *w) { w->bytes = w->block < self->longer_blocks ? w->longer : w->each; }

static inline void walk_begin(struct walk *w)
{
	const struct call *call = engine.current;
	uint32_t scenario = call->words.scenario, last = call->size - 1, element = call->plain_bytes;

	w->own = w->result = ~0u;
	w->kept = w->last = last;
	w->block = call->rank;
	if (scenario == CCLO_OPERATION_ALLGATHER) {
		w->kept = w->own = 0;
	} else if (scenario == CCLO_OPERATION_ALLREDUCE) {
		w->last = 2 * last;
	} else {
		w->result = 0;
		w->block = next_rank();
	}
	w->each = w->longer = call->block * element;
	w->at = w->block * w->each;
	if (call->longer_blocks != 0) {
		w->longer += element;
		w->at = walk_before(w->block) * element;
	}
	w->k = 0;
	walk_measure(w);
}

static inline void walk_on(struct walk *w)
{
	w->k++;
	w->at += w->bytes;
	if (++w->block == self->size)
		w->at = w->block = 0;
	walk_measure(w);
}

/* The last of them is all that an announcement changes. */
static void set_previous(void) { hw_write(CCLO_MOVE_DESTINATION_ADDRESS, previous_rank()); }

__attribute__((noinline)) static void set_registers(struct walk *w)
{
	const struct call *call = engine.current;

	move_make_room();
	hw_write(CCLO_MOVE_TDEST_ADDRESS, call->tdest);
	hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, collective_context());
	hw_write(CCLO_MOVE_SOURCE_ADDRESS, next_rank());
	hw_write(CCLO_MOVE_STRM_ADDRESS, 0);
	set_previous();
	w->switches = engine.switches;
}

/* Registers of a stage come after this. */
static inline void keep_registers(struct walk *w)
{
	if (UNLIKELY(w->switches != engine.switches || engine.room[engine.current->state.queue] == 0))
		set_registers(w);
}

/* The rank's own operand, if this stage has one, and what comes in: a message, or the window
 * from an address on. */
static inline uint32_t set_operands(const struct walk *w, uint32_t offset, uint32_t incoming, uint64_t from)
{
	uint32_t control = FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);

	if (w->k > w->kept) {
		hw_write64(CCLO_MOVE_OP0_ADDRESS_ADDRESS, from);
		return FIELD(MOVE_CONTROL_OP0, incoming);
	}
	hw_write64(CCLO_MOVE_OP0_ADDRESS_ADDRESS, address_of(&self->op0) + (w->at & w->own) + offset);
	if (w->k == 0)
		return control;
	hw_write64(CCLO_MOVE_OP1_ADDRESS_ADDRESS, from);
	return control | FIELD(MOVE_CONTROL_OP1, incoming);
}

static inline uint64_t result_at(const struct walk *w, uint32_t offset)
{
	return address_of(&self->res) + (w->at & w->result) + offset;
}

static inline uint32_t set_result(const struct walk *w, uint32_t offset, bool kept)
{
	if (!kept)
		return FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
	hw_write64(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, result_at(w, offset));
	return w->k != w->last ? FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY_AND_NETWORK)
	                       : FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY);
}

/* Part after part: as many bytes as may be on their way. */
static void in_messages(void *of)
{
	const struct path *path = of;
	uint32_t slice = path->slice * self->plain_bytes, offset = 0;
	struct walk w;

	cut_use(previous_rank());
	w.switches = engine.switches - 1;
	do {
		walk_begin(&w);
		for (; w.k <= w.last; walk_on(&w)) {
			uint32_t left = w.bytes - offset;

			if (w.bytes <= offset)
				continue;
			keep_registers(&w);
			hw_write(CCLO_MOVE_TAG_ADDRESS, path->tag);
			hw_write(CCLO_MOVE_CHUNK_BYTES_ADDRESS, engine.known.chunk_bytes);
			hw_write(CCLO_MOVE_SEGMENT_BYTES_ADDRESS, engine.known.segment_bytes);
			hw_write(CCLO_MOVE_BYTES_ADDRESS, left < slice ? left : slice);
			move_give(set_operands(&w, offset, CCLO_MOVE_OPERAND_MESSAGE, 0) | set_result(&w, offset, w.k >= w.kept));
		}
		offset += slice;
	} while (offset < w.longer);
	stages_end();
}

#if CCLO_FEATURE_RENDEZVOUS
/* Opens a window where blocks come that are gathered, from this one to the end of its run. */
__attribute__((noinline)) static uint8_t open_run(const struct path *path, uint32_t block)
{
	struct call *call = engine.current;
	uint32_t first = walk_before(block), elements = walk_before(end_of_run(block)) - first;
	uint64_t address = address_of(&call->res) + first * call->plain_bytes;
	struct place place = { .low = (uint32_t)address, .high = (uint32_t)(address >> 32), .form = PLAIN_MEMORY };

	if (call->windows == 0)
		return window_open_first(next_rank(), &place, elements, path->tag, collective_context());
	return window_open(next_rank(), &place, elements, path->tag, collective_context(), path->aside);
}

/* Opens one where all blocks land that are reduced. */
__attribute__((noinline)) static uint8_t open_scratch(const struct path *path, uint64_t *landing)
{
	struct place scratch;

	scratch_first(&scratch);
	*landing = address_of(&scratch);
	return window_open_first(next_rank(), &scratch, (self->size - 1) * walk_before(1), path->tag, collective_context());
}

/* Stage 0, which needs no walk: others wait for what it sends. */
static inline void send_first(const struct path *path, struct walk *w, uint32_t context)
{
	const struct call *call = engine.current;
	uint32_t block = first_block(), bytes = (call->block + (block < call->longer_blocks)) * call->plain_bytes;
	uint64_t own = address_of(&call->op0);
	uint32_t control = FIELD(MOVE_CONTROL_OP0, CCLO_MOVE_OPERAND_MEMORY);
	bool welcome = false;

	if (reduces()) {
		own += walk_before(block) * call->plain_bytes;
		control |= FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK);
	} else {
		control |= FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_MEMORY_AND_NETWORK);
	}
	do {
		keep_registers(w);
		hw_write(CCLO_MOVE_BYTES_ADDRESS, bytes);
		hw_write64(CCLO_MOVE_OP0_ADDRESS_ADDRESS, own);
		if (!reduces())
			hw_write64(CCLO_MOVE_RESULT_ADDRESS_ADDRESS, address_of(&call->res) + block * bytes);
		if (!welcome)
			invitation_wait_prepared(previous_rank(), path->tag, context);
		welcome = true;
	} while (w->switches != engine.switches);
	move_give_remote(control, bytes);
}

/* All of a rank's blocks at once. The first window is announced before all else, others
 * later: behind reductions, lest they are left for the next call when one fails. What is
 * gathered stays where it comes. */
static void in_windows(void *of)
{
	const struct path *path = of;
	uint32_t run = around(self->rank + !reduces()), context = collective_context();
	uint8_t window = 0, gathered = 0, further = 0;
	uint64_t landing = 0;
	bool welcome = true;
	struct walk w;

	w.switches = engine.switches;
	if (reduces())
		window = open_scratch(path, &landing);
	else
		gathered = open_run(path, run);
	hw_write(CCLO_MOVE_TDEST_ADDRESS, self->tdest);
	set_previous();
	send_first(path, &w, context);
	walk_begin(&w);
	for (;;) {
		uint32_t control;
		bool sent = w.k != w.last;

		if (w.result && w.k == w.kept / 2) {
			if (w.own)
				gathered = open_run(path, run);
			further = gathered;
			if (run > last_block())
				further = open_run(path, 0);
			set_previous();
		}
		walk_on(&w);
		if (sent && (w.k == w.last || (w.own && w.k == w.kept) || (w.k > w.kept && w.block == 0))) {
			invitation_done(previous_rank(), context);
			welcome = false;
		}
		if (w.k >= w.last + !w.result)
			stages_end();
		if (w.k > w.kept) {
			landing = result_at(&w, 0);
			if (w.k == w.kept + 1)
				window = gathered;
			else if (w.block == 0)
				window = further;
		}
		do {
			keep_registers(&w);
			hw_write(CCLO_MOVE_BYTES_ADDRESS, w.bytes);
			hw_write(CCLO_MOVE_WINDOW_ADDRESS, window);
			control = set_operands(&w, 0, CCLO_MOVE_OPERAND_WINDOW, landing) | set_result(&w, 0, w.k == w.kept);
			if (!welcome && w.k != w.last)
				invitation_wait_prepared(previous_rank(), path->tag, context);
			welcome = true;
		} while (w.switches != engine.switches);
		landing += w.bytes;
		if (w.k == w.last)
			move_give(control);
		else
			move_give_remote(control, w.bytes);
	}
}
#endif

void ring_run(struct path *path)
{
	uint32_t longest = ring_longest(), others = self->size - 1;
	bool walks = can_walk();

#if CCLO_FEATURE_RENDEZVOUS
	if (walks && path->protocol == RENDEZVOUS && !engine.fills_at_once && longest * others <= path->slice)
		task_anew(path, in_windows);
#endif
	path_around(path, longest, others);
	if (walks && path->protocol == EAGER)
		task_anew(path, in_messages);
	stages_run(path, stages(), longest, stage);
}
