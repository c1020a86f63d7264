#pragma GCC optimize("Os") /* seldom, and memory is short */

#include "collective.h"

#include "comm.h"
#include "move.h"
#include "notice.h"
#include "plan.h"
#include "task.h"
#include "window.h"

/* For communicators of one rank, which need no number. */
static struct series alone;

#ifdef CCLO_EXCHANGE_FAULT_ADDRESS
static void fault_word(uint32_t offset, uint32_t value) { hw_write(CCLO_EXCHANGE_FAULT_ADDRESS + offset, value); }

#define FAULT(name, value) fault_word(offsetof(struct cclo_fault, name), value)

/* Records for the host what the running call was waiting for. */
__attribute__((cold)) static void fault_timeout(void)
{
	struct call *call = self;
	uint32_t rank = call->awaited, tag = call->tag, bytes = call->words.count * call->plain_bytes;

	move_failure(&rank, &tag, &bytes);
	FAULT(comm, call->comm);
	FAULT(rank, rank);
	FAULT(code, CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
	FAULT(number, is_numbered(call) ? call->number : 0);
	FAULT(sequence_or_number, rank_word(rank, CCLO_COMMUNICATORS_INBOUND_SEQ_WORD));
	FAULT(tag_or_count, tag);
	FAULT(bytes_or_shape, bytes);
	FAULT(milliseconds_or_code, remote_limit());
}

__attribute__((cold)) static void fault_mismatch(const struct call *call)
{
	const struct failure *f = failure_of(call->series);

	if (f == NULL)
		return;
	FAULT(comm, call->comm);
	FAULT(rank, f->rank);
	FAULT(code, CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
	FAULT(number, call->number);
	FAULT(sequence_or_number, f->number);
	FAULT(tag_or_count, f->count);
	FAULT(bytes_or_shape, f->shape);
	FAULT(milliseconds_or_code, f->code);
}
#else
static void fault_timeout(void) {}

static void fault_mismatch(const struct call *call) { (void)call; }
#endif

void collective_begin(uint32_t shape)
{
	struct call *call = self;
	struct series *series = call->series;

	if (call->size == 1) {
		call->series = &alone;
		call->shape = 0;
		return;
	}
	if (UNLIKELY(series == NULL))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	if (UNLIKELY(series->unsure))
		ranks_agree(false);
	if (UNLIKELY(series->failed))
		task_fail(CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
	call->number = series_next(series);
	series_keep(series, call->words.count, shape);
	call->shape = shape;
	set_collective(call->number, call->words.count, shape);
}

static void answer(uint32_t code)
{
	if (self->ticket != 0)
		task_answer(self->ticket, code);
	self->ticket = 0;
}

#define TELL_MILLISECONDS 20 /* enough to notify all ranks that work */

/* Notifies all ranks of the communicator before the host is answered, which might let them go on. A rank that takes no
 * messages at the moment learns it when it asks. */
__attribute__((cold)) static void tell(uint32_t number, uint32_t tag)
{
	const struct call *call = self;
	uint32_t size = exchange_read(call->comm + 4 * CCLO_COMMUNICATORS_SIZE_WORD);
	uint32_t rank = exchange_read(call->comm + 4 * CCLO_COMMUNICATORS_LOCAL_RANK_WORD);

	for (uint32_t other = 0; other < size; other++) {
		if (other == rank || notice_left(notice_give(other, number, tag, 0), TELL_MILLISECONDS))
			continue;
		answer(call->error);
		queue_restart();
	}
}

/* Sends a notice from a call of its own, because moves of other calls may wait; words.tag has its number, the function
 * code its tag. */
__attribute__((cold, noreturn)) static void tell_rest(void)
{
	const struct call *call = self;

	if (call->words.root_src_dst == NO_RANK)
		tell(call->words.tag, call->words.function_code);
	else
		notice_send(call->words.root_src_dst, call->words.tag, call->words.function_code, 0);
	task_done();
}

/* Sends a notice to a rank of the communicator, or to all, while open calls go on. */
__attribute__((cold)) static void tell_beside(struct series *series, uint32_t rank, uint32_t number, uint32_t count,
                                              uint32_t shape,
                                              uint32_t tag)
{
	uint32_t free = ~engine.open;
	struct call *call;

	if (free == 0)
		return;
	call = &engine.calls[next_in(&free)];
	call->kind = KIND_LOCAL;
	call->ticket = call->number = call->error = call->windows = 0;
	call->order = engine.next_order++;
	call->state = (struct call_state){ .queue = NO_QUEUE, .other_queue = NO_QUEUE };
	call->comm = series->comm;
	call->series = series;
	call->words.root_src_dst = rank;
	call->words.function_code = tag;
	call->words.tag = number;
	call->words.count = count;
	call->shape = shape;
	call->op0.form = call->res.form = CCLO_MOVE_OPERAND_NONE;
	call->sp = task_stack(call, tell_rest);
	engine.open |= call->bit;
	engine.round |= call->bit;
}

__attribute__((cold)) void collective_ask(struct call *call)
{
	call->ask_at = (milliseconds() + engine.remote_limit / 8) | 1;
	tell_beside(call->series, NO_RANK, call->number, call->words.count, call->shape, NOTICE_ASK);
}

__attribute__((cold)) static void failed(struct call *call)
{
	uint32_t code = call->error, number = call->number, rank, unused;
	bool numbered = is_numbered(call), tells = numbered && call->state.ended != TOLD;

	plan_drop();
	if (code & CCLO_RETURN_CODE_COLLECTIVE_MISMATCH) {
		if (numbered && move_failure(&rank, &unused, &unused) & CCLO_RETURN_CODE_COLLECTIVE_MISMATCH)
			series_break_by(call->series, hw_read(CCLO_RX_OTHER_SOURCE_ADDRESS), hw_read(CCLO_RX_OTHER_NUMBER_ADDRESS),
			         hw_read(CCLO_RX_OTHER_COUNT_ADDRESS), hw_read(CCLO_RX_OTHER_SHAPE_ADDRESS));
		fault_mismatch(call);
	} else if (code & CCLO_RETURN_CODE_RECEIVE_TIMEOUT) {
		fault_timeout();
	}
	if (!numbered)
		return;
	series_break(call->series, &(struct failure){ call->series,
	                                             exchange_read(call->comm + 4 * CCLO_COMMUNICATORS_LOCAL_RANK_WORD),
	                                              call->number, call->words.count, call->shape, code });
	call->number = 0;
	if (call->windows != 0)
		windows_shut(call);
	if (!tells)
		return;
	queue_restart();
	tell(number, code);
}

void collective_fail(void *call)
{
	failed(call);
	task_done();
}

/* The open collective of a series; NULL if there is none. */
static struct call *call_of(const struct series *series)
{
	for (struct call *call = engine.calls; call != engine.calls + CALLS; call++)
		if ((engine.open & call->bit) != 0 && is_numbered(call) && call->series == series)
			return call;
	return NULL;
}

static void end_by(struct call *call, enum end end)
{
	call->state.ended = (uint8_t)end;
	engine.round = engine.open;
}

/* Answers a rank that waits in a collective and does not know what has happened here. */
__attribute__((cold)) static void asked(struct series *series, const struct failure *f)
{
	const struct begun *b = &engine.begun[f->number % BEGUN];
	const struct failure *known = series->failed ? failure_of(series) : NULL;
	struct call *call = call_of(series);

	if ((int32_t)(f->number - series->base) <= 0)
		return; /* an old question: the ranks have agreed since */
	/* That collective may have ended here: its rank waits for messages of a call that no other makes. */
	if (b->series == series && b->number == f->number && (b->count != f->count || b->shape != f->shape)) {
		tell_beside(series, f->rank, b->number, b->count, b->shape, CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
		if (call != NULL && !series->failed)
			end_by(call, DIFFERS);
		series_break(series, f);
	} else if (known != NULL) {
		/* What has not begun here does not begin any more: no later failure may be told of it. */
		uint32_t number = (int32_t)(f->number - series->number) > 0 ? f->number : known->number;

		tell_beside(series, f->rank, number, known->count, known->shape,
		            known->code ? known->code : CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
	}
}

__attribute__((cold)) static void notice(uint32_t context, uint32_t tag, uint32_t strm, struct failure *f)
{
	struct series *series = series_of(context);
	bool joins = tag == NOTICE_JOIN || tag == NOTICE_REPLY, late;
	struct call *call;

	f->series = series;
	f->code = joins || tag == NOTICE_ASK ? 0 : tag;
	if (series == NULL || (joins && agreement_joined(series, f->rank, tag, f->number, strm)) ||
	    (f->code && agreement_fails(f)))
		return;
	if (tag == NOTICE_ASK) {
		asked(series, f);
		return;
	}
	call = call_of(series);
	late = (int32_t)(f->number - series->base) < (joins ? 0 : 1);
	/* Our reply was lost. An agreement that resynchronizes needs our earlier sequence numbers, which are not known. */
	if (late && tag == NOTICE_JOIN && call != NULL && lossy() && !series->unsure && !series->resynced)
		tell_beside(series, f->rank, series->base - 1, 0, 0, NOTICE_REPLY);
	if (series->unsure || tag == NOTICE_REPLY || late)
		return;
	series_break(series, f);
	if (call != NULL && (joins || (int32_t)(f->number - call->number) <= 0))
		end_by(call, TOLD);
}

__attribute__((cold)) void notices_take(void)
{
	for (uint32_t i = 0; i < CCLO_NOTICES && hw_read(CCLO_NOTICE_WAITING_ADDRESS) != 0; i++) {
		uint32_t context = hw_read(CCLO_NOTICE_COMM_CONTEXT_ADDRESS), tag = hw_read(CCLO_NOTICE_TAG_ADDRESS);
		uint32_t strm = hw_read(CCLO_NOTICE_STRM_ADDRESS);
		struct failure f = {
			.rank = hw_read(CCLO_NOTICE_SOURCE_ADDRESS),
			.number = hw_read(CCLO_NOTICE_NUMBER_ADDRESS),
			.count = hw_read(CCLO_NOTICE_COUNT_ADDRESS),
			.shape = hw_read(CCLO_NOTICE_SHAPE_ADDRESS),
		};

		hw_write(CCLO_NOTICE_TAKE_ADDRESS, 1);
		notice(context, tag, strm, &f);
	}
}
