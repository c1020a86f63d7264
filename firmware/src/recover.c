/* Ranks agree on a number. Each tells all others the last one that it has used, and they reply with theirs.
 * The upper half of numbers counts agreements: the new one is one above the largest, which is the same for all. */

#pragma GCC optimize("Os") /* seldom, and memory is short */

#include "collective.h"
#include "comm.h"
#include "move.h"
#include "notice.h"
#include "operations.h"
#include "order.h"
#include "plan.h"
#include "task.h"

#define RANKS (CCLO_EXCHANGE_BYTES / CCLO_COMMUNICATORS_RECORD_BYTES)

/* Milliseconds until ranks that have not joined are asked again: notices can be lost. Twice as many each time, up to
 * the limit: a rank that calls late asks by itself. */
#define AGAIN_MILLISECONDS 50
#define AGAIN_LIMIT_MILLISECONDS 1600

/* Added to a collective number, makes the engine drop messages that a seek passes. */
#define AHEAD 0x40000000

struct set {
	uint32_t words[(RANKS + 31) / 32];
};

/* One for each queue of moves. */
static struct agreement {
	const struct series *series; /* NULL: there is none */
	uint32_t comm, size, number;
	uint32_t left; /* ranks that have not joined */
	bool resync;
	struct failure failure; /* of a rank that has already gone on; code 0: none */
	struct set joined, owed; /* owed: ranks that need a reply */
} agreements[QUEUES];

static bool has(const struct set *set, uint32_t rank) { return (set->words[rank / 32] >> rank % 32 & 1) != 0; }

static void add(struct set *set, uint32_t rank) { set->words[rank / 32] |= 1u << rank % 32; }

static void remove(struct set *set, uint32_t rank) { set->words[rank / 32] &= ~(1u << rank % 32); }

void agreements_reset(void)
{
	for (uint32_t i = 0; i < QUEUES; i++)
		agreements[i].series = NULL;
}

static uint32_t inbound_of(uint32_t comm, uint32_t rank)
{
	return EXCHANGE(comm + CCLO_COMMUNICATORS_HEADER_BYTES + rank * CCLO_COMMUNICATORS_RECORD_BYTES +
	                4 * CCLO_COMMUNICATORS_INBOUND_SEQ_WORD);
}

static struct agreement *agreement_of(const struct series *series)
{
	for (struct agreement *a = agreements; a != agreements + QUEUES; a++)
		if (a->series == series)
			return a;
	return NULL;
}

bool agreement_fails(const struct failure *failure)
{
	struct agreement *a = agreement_of(failure->series);

	if (a != NULL)
		a->failure = *failure;
	return a != NULL;
}

bool agreement_joined(const struct series *series, uint32_t rank, uint32_t tag, uint32_t number, uint32_t sequence)
{
	struct agreement *a = agreement_of(series);

	if (a == NULL)
		return false;
	/* A late notice of an earlier agreement. After start or reset numbers may begin anew. */
	if (!series->unsure && (int32_t)(number - series->base) < 0)
		return true;
	/* A rank already in the next agreement asks again. */
	if (rank >= a->size || (has(&a->joined, rank) && (int32_t)(number - a->number) > 0))
		return true;
	if (tag == NOTICE_JOIN)
		add(&a->owed, rank);
	if (has(&a->joined, rank))
		return true;
	add(&a->joined, rank);
	a->left--;
	if ((int32_t)(number - a->number) > 0)
		a->number = number;
	if (a->resync)
		hw_write(inbound_of(a->comm, rank), sequence);
	return true;
}

/* Messages of one rank: as many as there are rx buffers, and as many without payload. */
static uint32_t most_messages(void) { return 2 * engine.rx_count; }

/* Drops the next message of a rank. */
static void drop_next(uint32_t context)
{
	set_comm(self->comm, context);
	if (hw_read(CCLO_RX_SEEK_ADDRESS) != 0)
		hw_write(CCLO_RX_DISCARD_ADDRESS, 1);
}

/* Drops messages of a rank, of collectives and others, by their sequence numbers; none if the rank may have joined and
 * gone on. */
static void drop_messages(const struct agreement *a, uint32_t rank, uint32_t first, uint32_t count)
{
	uint32_t inbound = inbound_of(a->comm, rank), kept = hw_read(inbound);

	if (!has(&a->joined, rank) && hw_read(CCLO_NOTICE_WAITING_ADDRESS) != 0)
		return;
	set_source(rank);
	set_tag(CCLO_TAG_ANY);
	set_collective_number(a->number + AHEAD);
	for (uint32_t i = 0; i < count; i++) {
		hw_write(inbound, first + i);
		drop_next(a->series->context);
		drop_next(self->context);
	}
	hw_write(inbound, kept);
}

/* Drops what ranks sent before they joined, sends included: obsolete messages may fill the rx buffers, so that notices
 * could not arrive. Those without payload are searched for up to the number that the rank joined with, or from the
 * next expected one. */
static void make_way(const struct agreement *a)
{
	for (uint32_t i = 0; i < engine.rx_count; i++) {
		uint32_t rank = rx_word(i, CCLO_RX_BUFFERS_RX_SRC_WORD);

		if (rx_word(i, CCLO_RX_BUFFERS_STATUS_WORD) == CCLO_RX_STATUS_RESERVED && rank < a->size && !has(&a->joined, rank))
			drop_messages(a, rank, rx_word(i, CCLO_RX_BUFFERS_SEQ_WORD), 1);
	}
	for (uint32_t rank = 0; rank < a->size; rank++) {
		uint32_t first = hw_read(inbound_of(a->comm, rank));

		if (has(&a->joined, rank))
			first -= most_messages();
		drop_messages(a, rank, first, most_messages());
	}
}

#if CCLO_FEATURE_RENDEZVOUS
static void drop_announcements(const struct agreement *a)
{
	set_comm(a->comm, self->series->context);
	set_collective_number(a->number + AHEAD);
	for (uint32_t rank = 0; rank < self->size; rank++) {
		set_destination(rank);
		(void)hw_read(CCLO_RENDEZVOUS_SEEK_ADDRESS); /* drops those that it passes */
	}
}
#else
static void drop_announcements(const struct agreement *a) { (void)a; }
#endif

static void send_notice(const struct agreement *a, uint32_t rank, uint32_t tag)
{
	notice_send(rank, a->series->number, tag, rank_word(rank, CCLO_COMMUNICATORS_OUTBOUND_SEQ_WORD));
}

static void reply(struct agreement *a)
{
	for (uint32_t rank = 0; rank < self->size; rank++)
		if (has(&a->owed, rank)) {
			remove(&a->owed, rank);
			send_notice(a, rank, NOTICE_REPLY);
		}
}

static void await_ranks(struct agreement *a)
{
	uint32_t end = milliseconds() + remote_limit(), wait = AGAIN_MILLISECONDS;

	while (a->left != 0) {
		uint32_t left = end - milliseconds(), again;

		if ((int32_t)left <= 0) {
			for (self->awaited = 0; has(&a->joined, self->awaited);)
				self->awaited++;
			a->series = NULL;
			task_fail(CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
		}
		again = end - left + (wait < left ? wait : left);
		wait += wait < AGAIN_LIMIT_MILLISECONDS ? wait : 0;
		for (uint32_t rank = 0; rank < self->size; rank++)
			if (!has(&a->joined, rank))
				send_notice(a, rank, NOTICE_JOIN);
		for (;;) {
			if (a->resync && !lossy())
				make_way(a);
			reply(a);
			if (a->left == 0 || reached(again))
				break;
			task_limit((uint32_t)(again - milliseconds()));
			task_pause();
		}
		self->state.timed = false;
	}
}

__attribute__((cold)) void ranks_agree(bool resync)
{
	struct call *call = self;
	struct series *series = call->series;
	struct agreement *a = &agreements[queue_of_call()];

	plan_drop();
	*a = (struct agreement){
		.series = series,
		.comm = call->comm,
		.size = call->size,
		.number = series->number,
		.left = call->size - 1,
		.resync = resync,
	};
	add(&a->joined, call->rank);
	queues_settle(); /* moves of failed calls still count in the sequence numbers of this rank */
	await_ranks(a);
	reply(a);
	if (resync) {
		make_way(a);
		drop_announcements(a);
	}
	series->number = series->base = (a->number | 0xFFFF) + 1;
	series->failed = series->unsure = false;
	series->resynced = resync;
	if (a->failure.code != 0 && (int32_t)(a->failure.number - series->base) > 0)
		series_break(series, &a->failure);
	a->series = NULL;
	engine.room[call->state.queue] = CCLO_MOVE_QUEUE_DEPTH; /* all notices have left */
	call->announced = move_number();
	tables_changed();
	plan_renew();
}

void recover(void)
{
	struct call *call = self;

	comm_use();
	order_wait(KIND_COLLECTIVE, 0);
	call->words.count = call->shape = 0;
	if (call->size == 1)
		return;
	if (call->series == NULL)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	ranks_agree(true);
}
