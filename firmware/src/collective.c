#pragma GCC optimize("Os") /* seldom, and memory is short */

#include "collective.h"

#include "comm.h"
#include "move.h"
#include "plan.h"
#include "task.h"
#include "window.h"

/* Communicators of several ranks at a time; those from before a reset give up their places. */
#define SERIES 76

static struct series all[SERIES];

/* For communicators of one rank, which need no number. */
static struct series alone;

/* What another rank's collective was that broke a communicator, while it is broken. */
static struct failure failures[8];
static uint32_t next_failure;

struct series *series_of(uint32_t context)
{
	struct series *place = NULL;

	for (struct series *s = all; s != all + SERIES; s++) {
		if (s->context == context)
			return s;
		if (s->context == 0) {
			place = s;
			break;
		}
		if (!s->configured && place == NULL)
			place = s;
	}
	if (place != NULL)
		*place = (struct series){ .context = context, .unsure = true };
	return place;
}

__attribute__((cold)) void series_reset(void)
{
	for (struct series *s = all; s != all + SERIES; s++) {
		s->unsure = true;
		s->failed = s->configured = false;
	}
	agreements_reset();
}

static struct failure *failure_of(const struct series *series)
{
	for (struct failure *f = failures; f != failures + sizeof(failures) / sizeof(failures[0]); f++)
		if (f->series == series)
			return f;
	return NULL;
}

__attribute__((cold)) void series_break(struct series *series, const struct failure *failure)
{
	struct failure *f = failure_of(series);

	if (series->failed)
		return;
	series->failed = true;
	tables_changed();
	if (f == NULL)
		f = &failures[next_failure++ % (sizeof(failures) / sizeof(failures[0]))];
	*f = *failure;
}

/* By a message that has come. */
__attribute__((cold)) static void break_by(struct series *series, uint32_t rank, uint32_t number, uint32_t count, uint32_t shape)
{
	series_break(series, &(struct failure){ series, rank, number, count, shape, 0 });
}

#ifdef CCLO_EXCHANGE_FAULT_ADDRESS
static void fault_word(uint32_t offset, uint32_t value) { hw_write(CCLO_EXCHANGE_FAULT_ADDRESS + offset, value); }

#define FAULT(name, value) fault_word(offsetof(struct cclo_fault, name), value)

/* For the host: what the call that runs has waited for. */
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
	call->shape = shape;
	collective_set(call->number, call->words.count, shape);
}

void collective_differs(uint32_t rank, uint32_t number, uint32_t count, uint32_t shape)
{
	break_by(self->series, rank, number, count, shape);
	task_fail(CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
}

/* Gives the number of the move. */
static uint32_t notice_give(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm)
{
	const struct call *call = self;

	queue_of_call();
	move_make_room();
	hw_write(CCLO_MOVE_BYTES_ADDRESS, 0);
	hw_write(CCLO_MOVE_COMM_ADDRESS, call->comm);
	hw_write(CCLO_MOVE_COMM_CONTEXT_ADDRESS, call->series->context);
	hw_write(CCLO_MOVE_TAG_ADDRESS, tag);
	hw_write(CCLO_MOVE_STRM_ADDRESS, strm);
	hw_write(CCLO_MOVE_DESTINATION_ADDRESS, rank);
	collective_set(number, call->words.count, call->shape);
	move_give(FIELD(MOVE_CONTROL_RESULT, CCLO_MOVE_RESULT_NETWORK) | FIELD(MOVE_CONTROL_NOTICE, 1));
	return move_number();
}

/* Waits until it has left, or no longer than that. A rank that is gone hears nothing; others do. */
static bool notice_left(uint32_t move, uint32_t limit)
{
	uint32_t end = milliseconds() + limit;

	while (!move_is_done(move)) {
		if (reached(end))
			return false;
		task_limit(end - milliseconds());
		task_pause();
	}
	self->state.timed = false;
	move_forgive();
	return true;
}

void notice_send(uint32_t rank, uint32_t number, uint32_t tag, uint32_t strm)
{
	notice_left(notice_give(rank, number, tag, strm), move_limit());
}

static void answer(uint32_t code)
{
	if (self->ticket != 0)
		task_answer(self->ticket, code);
	self->ticket = 0;
}

#define TELL_MILLISECONDS 20 /* in which all ranks that are well have been told */

/* Tells all ranks of the communicator before the host, who might tell them to go on. One that takes nothing
 * at the moment finds out when it asks. */
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

/* On a stack of its own, as moves of other calls may wait: what words.tag is the number of, and the function
 * code the tag. */
__attribute__((cold, noreturn)) static void tell_rest(void)
{
	const struct call *call = self;

	if (call->words.root_src_dst == NO_RANK)
		tell(call->words.tag, call->words.function_code);
	else
		notice_send(call->words.root_src_dst, call->words.tag, call->words.function_code, 0);
	task_done();
}

/* Tells a rank of the communicator, or all: what is open goes on meanwhile. */
__attribute__((cold)) static void tell_beside(struct series *series, uint32_t rank, uint32_t number, uint32_t count, uint32_t shape,
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

__attribute__((cold)) void collective_ask(const struct call *call)
{
	tell_beside(call->series, NO_RANK, call->number, call->words.count, call->shape, NOTICE_ASK);
}

__attribute__((cold)) void collective_failed(void)
{
	struct call *call = self;
	uint32_t code = call->error, number = call->number, rank, unused;
	bool numbered = is_numbered(call), tells = numbered && call->state.ended != TOLD;

	plan_drop();
	if (code & CCLO_RETURN_CODE_COLLECTIVE_MISMATCH) {
		if (numbered && move_failure(&rank, &unused, &unused) & CCLO_RETURN_CODE_COLLECTIVE_MISMATCH)
			break_by(call->series, hw_read(CCLO_RX_OTHER_SOURCE_ADDRESS), hw_read(CCLO_RX_OTHER_NUMBER_ADDRESS),
			         hw_read(CCLO_RX_OTHER_COUNT_ADDRESS), hw_read(CCLO_RX_OTHER_SHAPE_ADDRESS));
		fault_mismatch(call);
	} else if (code & CCLO_RETURN_CODE_RECEIVE_TIMEOUT) {
		fault_timeout();
	}
	if (!numbered)
		return;
	series_break(call->series, &(struct failure){ call->series, exchange_read(call->comm + 4 * CCLO_COMMUNICATORS_LOCAL_RANK_WORD),
	                                              call->number, call->words.count, call->shape, code });
	call->number = 0;
	if (call->windows != 0)
		windows_shut(call);
	if (!tells)
		return;
	queue_restart();
	tell(number, code);
}

/* The collective of a series that is open; NULL if there is none. */
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

/* Another rank waits in a collective: it is told what has happened here, if it was not. */
__attribute__((cold)) static void asked(struct series *series, const struct failure *f)
{
	struct call *call = call_of(series);

	if (series->failed) {
		const struct failure *known = failure_of(series);

		if (known != NULL && (int32_t)(f->number - series->base) > 0)
			tell_beside(series, f->rank, known->number, known->count, known->shape,
			            known->code ? known->code : CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
		return;
	}
	if (call == NULL || call->number != f->number || (call->words.count == f->count && call->shape == f->shape))
		return;
	series_break(series, f);
	end_by(call, DIFFERS);
}

__attribute__((cold)) static void notice(uint32_t context, uint32_t tag, uint32_t strm, struct failure *f)
{
	struct series *series = series_of(context);
	bool joins = tag == NOTICE_JOIN || tag == NOTICE_REPLY;
	struct call *call;

	f->series = series;
	f->code = joins || tag == NOTICE_ASK ? 0 : tag;
	if (series == NULL || (joins && agreement_joined(series, f->rank, tag, f->number, strm)) || (f->code && agreement_fails(f)))
		return;
	if (tag == NOTICE_ASK) {
		asked(series, f);
		return;
	}
	if (series->unsure || tag == NOTICE_REPLY || (int32_t)(f->number - series->base) < (joins ? 0 : 1))
		return;
	series_break(series, f);
	call = call_of(series);
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
