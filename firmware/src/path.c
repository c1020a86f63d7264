#include "path.h"

#include "comm.h"
#include "move.h"
#include "plan.h"
#include "scratch.h"
#include "task.h"

/* One for each queue, which a collective keeps until it ends. */
static struct path paths[QUEUES];

#if CCLO_FEATURE_RENDEZVOUS
/* Slices where a window can be read only when it is full (engine.fills_at_once). */
#define AT_ONCE_BYTES 0x20000

/* Whether collectives of count elements use rendezvous, by the thresholds of the host. */
static bool rendezvous(uint32_t count)
{
	return engine.max_rendezvous > engine.max_eager && !self->wire_packed && self->size > 1 &&
	       bytes_of(count, false) > engine.max_eager;
}
#endif

static uint32_t message_of(struct path *path)
{
	if (path->message == 0)
		path->message = message_elements(0);
	return path->message;
}

/* Rx buffers for messages without credit. */
static uint32_t pool(void) { return engine.rx_count / 2 != 0 ? engine.rx_count / 2 : 1; }

/* Whether those hold everything that may be waiting. Avoids divisions, which are slow. */
static bool pool_holds(struct path *path, uint32_t count, uint32_t waiting)
{
	uint32_t message = message_of(path);

	if (count <= message)
		return waiting <= pool();
	if ((uint64_t)pool() * message < (uint64_t)count * waiting)
		return false;
	return (uint64_t)(pool() / waiting) * message >= count;
}

#define SHORT_BYTES       0x2000
#define SHORT_EAGER_BYTES 0x8000

static uint32_t lower(uint32_t few, uint32_t limit) { return limit != 0 && limit < few ? limit : few; }

/* Elements up to which no choice depends on their number, on any path or operation; 0 if there are none. */
__attribute__((cold)) static uint32_t few(struct path *path)
{
	uint32_t bytes = lower(SHORT_BYTES, engine.max_eager);

#ifdef CCLO_EXCHANGE_GATHER_MAX_BYTES_ADDRESS
	bytes = lower(bytes, hw_read(CCLO_EXCHANGE_GATHER_MAX_BYTES_ADDRESS));
	bytes = lower(bytes, hw_read(CCLO_EXCHANGE_REDUCE_FLAT_MAX_BYTES_ADDRESS));
#endif
	return whole_beats(lower(lower(elements_in(bytes), message_of(path)), scratch_elements()));
}

__attribute__((noinline)) static void choose_eager(struct path *path, uint32_t count, uint32_t waiting)
{
	path->protocol = EAGER;
	path->slice = count;
	path->ahead = 0;
	if (plan_records())
		plan_note_few(few(path));
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
	path->message = path->unasked = 0;
	path->switches = engine.switches - 1;
	path->first = path->begun_first = path->whole = path->greeted = false;
#if CCLO_FEATURE_RENDEZVOUS
	path->opened = path->begun = path->current = path->welcome = 0;
	path->slots_used = path->slots_unread = path->next_slot = 0;
	path->slots = SCRATCH_SLOTS;
	path->early = false;
	self->invites = false;
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

/* Asks the rank that sends to this one, and waits until the one that this one sends to asks, before all
 * else: two ranks are each before and behind the other. Data of a call that the next rank has
 * not begun would be taken for that of a later one, should this one fail. */
static void ask_once(uint32_t before, uint32_t behind)
{
	move_token(true, false, before, TAG_CREDIT, collective_context());
	move_token(false, false, behind, TAG_CREDIT, collective_context());
}

/* Whether one credit is enough: the network loses nothing, and there are more rx buffers than the one reserved for an
 * awaited message. */
static bool once_is_enough(void) { return self->size > 1 && !lossy() && engine.rx_count > 1; }

/* All rx buffers but a quarter. */
static uint32_t three_quarters(void) { return engine.rx_count - (engine.rx_count + 3) / 4; }

static void eagerly(struct path *path, uint32_t messages)
{
	path->protocol = EAGER;
	path->slice = message_of(path) * messages;
	path->ahead = 0;
}

/* Bytes transferred in the latency of a message: smaller slices make ranks wait. */
#define WAY_BYTES 0x8000

/* Equal slices: a shorter last one would be waited for. */
void path_in_parts(struct path *path, uint32_t count)
{
	uint32_t part = elements_in(WAY_BYTES);

	if (count > part && path->slice >= part + beats_elements())
		path->slice = whole_beats((count - 1) / ((count - 1) / part + 1) + beats_elements());
}

/* Around a ring one credit at the beginning is enough. Each rank sends a slice and receives one before it sends the
 * next: never more than one for each rank is in the ring. That is less than all rx buffers hold, so some rank has room
 * for the slice of its predecessor. */
static void around_eagerly(struct path *path, uint32_t count)
{
	if (!once_is_enough())
		return;
	eagerly(path, three_quarters());
	path_in_parts(path, count);
	ask_once(around(self->rank + 1), around(self->rank + self->size - 1));
}

/* Pairwise, each rank receives a slice for each that it sends. While one rank waits, others continue until they need
 * data of it: three of FEW ranks, or four of MANY, have then sent it slices that it does not take yet. The packets of
 * three may wait for rx buffers; of four slices of a quarter of the buffers each, one has its buffers. */
#define FEW_RANKS  6
#define MANY_RANKS 10
_Static_assert(CCLO_PACKET_SLOTS >= (3 + 1) * CCLO_SESSION_PACKET_SLOTS,
               "and those of the one that is waited for come through");

void path_exchange(struct path *path)
{
	uint32_t most = self->size <= FEW_RANKS ? three_quarters() : (engine.rx_count + 2) / 4;

	if (path->protocol != PACED || !once_is_enough() || self->size > MANY_RANKS ||
	    most < elements_in(WAY_BYTES) / message_of(path))
		return;
	eagerly(path, most);
	ask_once(around(self->rank + self->size - 1), around(self->rank + 1));
}

#if CCLO_FEATURE_RENDEZVOUS
/* Bytes of a part above which a window of its own costs little. */
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
		around_eagerly(path, count);
}

/* Rx buffers for each of a stage and the STAGES_AHEAD ahead of it; a quotient takes long. */
static uint32_t share(uint32_t buffers)
{
	_Static_assert(STAGES_AHEAD + 1 == 3, "the inverse of 3");
	return (uint32_t)((uint64_t)buffers * 0xAAAAAAABu >> 33);
}

/* The slices of a stage and of those ahead of it share the rx buffers. Around a ring each rank must send its credit one
 * stage ahead, or all wait for each other; two ranks, each before and behind the other, two stages ahead, so that the
 * order of their messages is the same on both sides. On lossy networks a credit is sent when the rx buffers are free
 * again, which takes time: more slices are outstanding. */
__attribute__((cold)) void path_paced(struct path *path)
{
	uint32_t ahead = self->size > 2 && !lossy() ? 1 : STAGES_AHEAD;
	uint32_t most = ahead == 1 ? engine.rx_count / 2 : share(engine.rx_count);

	path->protocol = PACED;
	path->slice = message_of(path);
	if (most > 1)
		path->slice *= most;
	if (most == 0 && self->size > 2)
		ahead = 1;
	path->ahead = ahead;
}

__attribute__((cold)) void path_in_blocks(struct path *path)
{
	uint32_t count = self->words.count;

	/* Shorter ones take less time than it takes to ask for them. */
	if (path->protocol != PACED || !once_is_enough() || self->packs || count - 1 >= WHOLE_ELEMENTS ||
	    count < elements_in(WAY_BYTES) * (self->size - 1))
		return;
	path->slice = count;
	path->ahead = 0;
}

void path_asks(struct path *path, uint32_t ahead)
{
	path->ahead = ahead < STAGES ? ahead : STAGES - 1;
#if CCLO_FEATURE_RENDEZVOUS
	path->early = false;
#endif
}

void path_unasked(struct path *path, uint32_t stages)
{
	if (path->protocol == PACED && !lossy())
		path->unasked = stages;
}

void path_chain(struct path *path)
{
	path_unasked(path, 1);
	if (path->unasked != 0 && engine.rx_count > STAGES_AHEAD) {
		path->ahead = STAGES_AHEAD;
		path->slice = message_of(path) * share(engine.rx_count);
	}
}

void path_one_way(struct path *path)
{
	if (path->protocol == EAGER && lossy() && self->size > 1)
		path_paced(path);
	/* Slices of other ranks must not occupy the rx buffers of the one being read. */
	if (path->protocol == PACED && path->ahead >= engine.rx_count)
		path->ahead = engine.rx_count - 1;
}

bool path_is_short(const struct path *path, uint32_t count)
{
	return bytes_of(count, false) <= (path->protocol == EAGER ? SHORT_EAGER_BYTES : SHORT_BYTES);
}

void path_in_beats(struct path *path)
{
	uint32_t unit = beats_elements();

	if (path->protocol == EAGER && path->slice == self->words.count)
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
