/* Recording of plans: the move registers at each move of a call. */

#include "move.h"
#include "plan.h"
#include "plans.h"
#include "registers.h"
#include "series.h"

#define LONGEST 512                   /* settings */
#define MOST    (MOST_REGISTERS + 15) /* settings added at a time, at most */
#define RECENT  PLACES                /* calls since its last one, after which a plan counts as out of use */
#define ROW     16                    /* calls: a plan that lived no longer served a short run */
#define PAUSE   128                   /* calls until recording is tried again after there was no room */

/* The registers that moves with a control word depend on: so many that vary, and others behind. */
struct reads {
	uint32_t control, of; /* of: number of the recording that has them all; 0: none */
	uint8_t count, varying, words[MOST_REGISTERS];
};

#define READS 6 /* kept, also from one recording to the next */

/* The plan being recorded; its settings so far lie behind those in use. */
static struct {
	struct plan *plan;
	uint32_t version; /* of the tables when it began */
	struct setting *next, *last; /* setting; how far it may be when a move is added */
	uint32_t moves, few; /* moves so far; plan_note_few */
	uint32_t values[REGISTER_WORDS]; /* of registers, as recorded, */
	struct flags {
		bool of[REGISTER_WORDS];
	} set; /* if they are */
	struct reads reads[READS];
	uint32_t place; /* of these, that is taken next */
	uint32_t number; /* of recordings */
	/* What the next move says with its own registers: the announcement of this window, beside
	 * other moves if it can; data into one that was waited for, with this tag. */
	struct {
		struct held window;
		uint32_t bytes;
		bool is, host, aside;
	} opening;
	struct {
		uint32_t tag;
		bool is;
	} invited;
} record;

static void note_words(struct words *words, uint32_t operation)
{
	words->operation = operation;
#define WORD(name) words->name = CALL_WORD(name);
	KEY_WORDS(WORD)
	FREE_WORDS(WORD)
#undef WORD
}

static inline struct setting *first_setting(void) { return &plans.settings[plans.used]; }

/* Puts the next setting so many behind the first. */
static void begin_at(uint32_t length)
{
	uint32_t left = SETTINGS - plans.used;

	record.next = first_setting() + length;
	record.last = first_setting() + (left < LONGEST ? left : LONGEST) - MOST;
}

__attribute__((noinline)) void plan_begin(struct call *call)
{
	struct plan *plan = engine.planned;

	engine.planned = NULL;
	if (engine.kept)
		plan_complete();
	if (plans.full == engine.tables && call->ticket - plans.full_ticket < PAUSE)
		return;
	plans.full = 0;
	note_words(&plan->words, call->words.scenario);
	plan->version = 0;
	plan->windows = false;
	plan->next = plan;
	record.plan = plan;
	record.few = record.moves = 0;
	record.opening.is = record.invited.is = false;
	record.set = (struct flags){ 0 };
	record.number++;
	begin_at(0);
	record.version = engine.tables;
	engine.recording = call;
}

/* Stops recording, and does not record such calls again until the tables change. */
static void refuse(void)
{
	record.plan->refused = record.version;
	plan_drop();
}

static struct plan *plan_at(uint32_t place) { return &plans.sets[place / WAYS].places[place % WAYS]; }

/* Whether a plan is likely to be used again: it has not been used yet, or others come between its calls. One that
 * served a short run of identical calls is not. */
static bool is_in_use(const struct plan *plan, uint32_t ticket)
{
	uint32_t life = plan->ticket - plan->recorded;

	return plan->version == engine.tables && ticket - plan->ticket < RECENT && (life == 0 || life > ROW);
}

static uint32_t settings_in_use(uint32_t ticket)
{
	uint32_t settings = 0;

	for (uint32_t place = 0; place < PLACES; place++) {
		const struct plan *plan = plan_at(place);

		if (is_in_use(plan, ticket))
			settings += (uint32_t)(plan->end - plan->first);
	}
	return settings;
}

/* Makes room for the settings of another move: drops all plans but the one being recorded, unless most are in use.
 * Calls that together need more settings than there is room for would otherwise be recorded every time. */
__attribute__((cold, noinline)) static bool make_room(uint32_t ticket)
{
	const struct setting *recorded = first_setting();
	uint32_t length = (uint32_t)(record.next - recorded);

	if (length + MOST > LONGEST) {
		refuse();
		return false;
	}
	if (settings_in_use(ticket) > SETTINGS / 2) {
		plans.full = engine.tables;
		plans.full_ticket = ticket;
		plan_drop(); /* a later identical call may be recorded */
		return false;
	}
	for (uint32_t place = 0; place < PLACES; place++)
		plan_at(place)->version = 0;
	for (uint32_t i = 0; i < length; i++)
		plans.settings[i] = recorded[i];
	plans.used = 0;
	begin_at(length);
	return true;
}

static inline void add(uint32_t address, uint32_t value) { *record.next++ = (struct setting){ address, value }; }

static bool is_stream(uint32_t kind) { return kind == CCLO_MOVE_OPERAND_KERNEL_STREAM; }

/* Adds registers that may not have been recorded before. */
__attribute__((noinline)) static void add_new(const uint8_t *word, uint32_t count)
{
	for (const uint8_t *end = word + count; word != end; word++) {
		uint32_t address = CCLO_MOVE_BYTES_ADDRESS + 4 * *word, value = hw_read(address);

		if (record.set.of[*word] && record.values[*word] == value)
			continue;
		record.set.of[*word] = true;
		record.values[*word] = value;
		add(address, value);
	}
}

/* Keeps what moves with a control word depend on, in the oldest place. */
static struct reads *keep_reads(uint32_t control)
{
	struct reads *reads = &record.reads[record.place];

	record.place = record.place + 1 == READS ? 0 : record.place + 1;
	reads->control = control;
	reads->of = 0;
	reads->varying = registers_of(control, reads->words, &reads->count);
	return reads;
}

/* Adds the registers of the first move with a control word. */
__attribute__((noinline)) static void add_first(struct reads *reads)
{
	const struct call *call = engine.recording;

	if (is_stream(call->op0.kind) || is_stream(call->res.kind)) {
		refuse();
		return;
	}
	reads->of = record.number;
	add_new(reads->words, reads->count);
}

/* Adds the registers that a move with this control word depends on, where they differ from what is recorded. */
static inline void add_registers(uint32_t control)
{
	struct reads *reads = record.reads;
	struct setting *s = record.next;

	while (reads != record.reads + READS && reads->control != control)
		reads++;
	if (reads == record.reads + READS)
		reads = keep_reads(control);
	if (reads->of != record.number) {
		add_first(reads);
		return;
	}
	for (const uint8_t *word = reads->words, *end = word + reads->varying; word != end; word++) {
		uint32_t address = CCLO_MOVE_BYTES_ADDRESS + 4 * *word, value = hw_read(address);

		if (record.values[*word] == value)
			continue;
		record.values[*word] = value;
		*s++ = (struct setting){ address, value };
	}
	record.next = s;
}

#if CCLO_FEATURE_RENDEZVOUS
/* Adds a CTS, and its window, which the registers of the CTS select. As the first move it need not wait, and its window
 * is recorded as held behind it. */
__attribute__((cold, noinline)) static void add_announcement(uint32_t control)
{
	const struct held *window = &record.opening.window;

	add(CCLO_RENDEZVOUS_WINDOW_ADDRESS, window->window);
	add(CCLO_RENDEZVOUS_ADDRESS_ADDRESS, window->low);
	add(CCLO_RENDEZVOUS_ADDRESS_ADDRESS + 4, window->high);
	add(CCLO_RENDEZVOUS_BYTES_ADDRESS, record.opening.bytes);
	add(CCLO_RENDEZVOUS_OPEN_ADDRESS, record.opening.host);
	if (record.moves == 0) {
		add(CCLO_MOVE_CONTROL_ADDRESS, control);
		add(STEP_HOLD, window->window);
	} else {
		add(STEP_HOLD, window->window);
		add(record.opening.aside ? STEP_ANNOUNCE_ASIDE : STEP_ANNOUNCE, control);
	}
	record.opening.is = false;
}

/* Adds a move of a window, whose registers are there; as a step if it depends on another rank. Registers of a move into
 * a window are written before the wait for its CTS, which they select. */
__attribute__((cold, noinline)) static void add_step(uint32_t control)
{
	uint32_t known = control & ~CCLO_MOVE_CONTROL_REMOTE_HOST_MASK;

	switch (FIELD_OF(MOVE_CONTROL_MESSAGE_TYPE, control)) {
	case CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT:
		add_announcement(control);
		break;
	case CCLO_MESSAGE_TYPE_RENDEZVOUS_DATA:
		if (record.invited.is)
			add(STEP_INVITATION, record.invited.tag);
		record.invited.is = false;
		add(STEP_REMOTE, known);
		add(STEP_BYTES, hw_read(CCLO_MOVE_BYTES_ADDRESS));
		break;
	case CCLO_MESSAGE_TYPE_RENDEZVOUS_DONE:
		add(STEP_DONE, known);
		break;
	default: /* none other is given */
		break;
	}
}

static inline void add_move(uint32_t control)
{
	if (FIELD_OF(MOVE_CONTROL_MESSAGE_TYPE, control) == CCLO_MESSAGE_TYPE_EAGER)
		add(CCLO_MOVE_CONTROL_ADDRESS, control);
	else
		add_step(control);
}

/* Whether the move is the one that a window or CTS just noted leads to. */
static bool is_expected(uint32_t control)
{
	uint32_t type = FIELD_OF(MOVE_CONTROL_MESSAGE_TYPE, control);

	return record.opening.is == (type == CCLO_MESSAGE_TYPE_RENDEZVOUS_ANNOUNCEMENT) &&
	       (!record.invited.is || type == CCLO_MESSAGE_TYPE_RENDEZVOUS_DATA);
}

static bool goes_aside(void) { return record.opening.is && record.opening.aside; }

void plan_refuse(void)
{
	if (plan_records())
		refuse();
}

/* Not on lossy networks, where data have the number of a transfer. */
void plan_note_window(const struct held *window, uint32_t bytes, bool host, bool aside)
{
	if (lossy() || record.invited.is) {
		refuse();
		return;
	}
	record.plan->windows = record.opening.is = true;
	record.opening.window = *window;
	record.opening.bytes = bytes;
	record.opening.host = host;
	record.opening.aside = aside;
}

void plan_note_invitation(uint32_t tag)
{
	if (lossy() || record.invited.is) {
		refuse();
		return;
	}
	record.plan->windows = record.invited.is = true;
	record.invited.tag = tag;
}
#else
static void add_move(uint32_t control) { add(CCLO_MOVE_CONTROL_ADDRESS, control); }

static bool is_expected(uint32_t control)
{
	(void)control;
	return true;
}

static bool goes_aside(void) { return false; }
#endif

void plan_renew(void)
{
	if (plans.noted != NULL)
		plans.noted->recorded = engine.tables;
}

void plan_note_few(uint32_t elements) { record.few = elements; }

void plan_note(uint32_t control)
{
	const struct call *call = engine.recording;

	if (engine.current != call)
		return;
	if (UNLIKELY(!is_expected(control))) {
		refuse();
		return;
	}
	if (call->state.queue != 0 && !goes_aside()) {
		if (call->state.queue != 1 || call->state.other_queue != 0) {
			plan_drop();
			return;
		}
		control |= ASIDE;
	}
	if (UNLIKELY(record.next > record.last) && !make_room(call->ticket))
		return;
	add_registers(control);
	add_move(control);
	record.moves++;
}

void plan_settle(struct call *call)
{
	const struct plan *plan = engine.set_by;

	if (plan != NULL) {
		call->series = plan->series;
		call->number = plan->series->number;
		call->words.count = plan->count;
		call->shape = plan->shape;
	}
	call->ask_at = 0;
	task_limit_of(call, move_limit());
}

/* Moves those settings of the first move to the front that equal the registers at the end of the plan. */
static struct setting *order_first(struct setting *settings)
{
	struct setting *changed = settings;

	for (struct setting *s = settings; s->address != CCLO_MOVE_CONTROL_ADDRESS; s++) {
		struct setting setting = *s;

		if (setting.value != record.values[WORD_OF(setting.address)])
			continue;
		*s = *changed;
		*changed++ = setting;
	}
	return changed;
}

/* The end of the settings that need no wait: the first step, or when a queue is full. */
static struct setting *find_rest(struct plan *plan, const struct setting *end)
{
	struct setting *s = plan->first;

	for (plan->at_once = plan->aside = 0; s != end && !is_step(s); s++) {
		uint8_t *moves = s->value & ASIDE ? &plan->aside : &plan->at_once;

		if (s->address != CCLO_MOVE_CONTROL_ADDRESS)
			continue;
		if (*moves == CCLO_MOVE_QUEUE_DEPTH)
			break;
		++*moves;
	}
	return s;
}

__attribute__((cold, noinline)) void plan_complete(void)
{
	struct setting *settings = first_setting();
	struct plan *plan = record.plan;

	engine.kept = false;
	plan->first = settings;
	plan->end = record.next;
	plan->changed = plan->windows ? settings : order_first(settings);
	plan->rest = find_rest(plan, plan->end);
	plan->version = record.version;
	plans.used += (uint32_t)(plan->end - settings);
	plan_fit(plan, record.few);
	plans.last = plans.expected = plan;
}

__attribute__((cold, noinline)) static void keep(const struct call *call, struct plan *plan)
{
	plan->recorded = plan->ticket = call->ticket;
	plan->series = call->series;
	plan->count = call->words.count;
	plan->shape = call->shape;
	if (engine.open == call->bit)
		engine.set_by = plan;
	plan_fit_to(plan, call);
	engine.kept = true;
}

void plan_keep(void)
{
	if (LIKELY(engine.recording != engine.current))
		return;
	if (record.moves != 0)
		keep(engine.current, record.plan);
	plan_drop();
}
