/* What a collective does depends on what its call says and on what the host has configured, and on
 * nothing else if all it issues is eager messages: moves whose registers say the same. To find out
 * takes many times as long as to write it again. The first call is not slowed down by that: the
 * second one that says the same is recorded, the third one has a plan. */

#include "plan.h"

#include "move.h"
#include "task.h"

/* Words of a call that collectives look at, but for the operation. */
#define WORDS(X) \
	X(count) X(comm) X(root_src_dst) X(function_code) X(tag) X(arithcfg) X(compression_flags) X(stream_flags) \
	X(addr_0_low) X(addr_0_high) X(addr_2_low) X(addr_2_high)

struct words {
	uint32_t operation;
#define WORD(name) uint32_t name;
	WORDS(WORD)
#undef WORD
};

/* A register, and what is written to it. */
struct setting {
	uint32_t address, value;
};

struct plan {
	uint32_t signature; /* of calls whose place this is */
	uint32_t version; /* of the tables that it holds for; 0 for none */
	uint32_t moves; /* 0: such calls have no plan */
	const struct setting *first, *changed, *end; /* from changed on if registers are as the plan leaves them */
	struct words words;
};

/* A call's place is one of a set, found by its signature. */
#define SETS         8
#define WAYS         4
#define SETTINGS     2048
#define PLAN_LONGEST 512

/* Registers that eager moves depend on, in two runs. */
#define FIRST_RUN  ((CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS - CCLO_MOVE_BYTES_ADDRESS) / 4 + 1)
#define SECOND_RUN ((CCLO_MOVE_STRM_ADDRESS - CCLO_MOVE_COMM_ADDRESS) / 4 + 1)
#define REGISTERS  (FIRST_RUN + SECOND_RUN)

static struct {
	struct plan places[SETS * WAYS];
	uint32_t next_way;
	struct setting settings[SETTINGS];
	uint32_t used; /* settings */
	/* The one that is recorded: its settings so far are behind those that are used. */
	struct plan *recorded;
	uint32_t version; /* of the tables when it began */
	uint32_t length, registers[REGISTERS]; /* as they were when its last move was issued */
} plans;

static uint32_t register_address(uint32_t i)
{
	return i < FIRST_RUN ? CCLO_MOVE_BYTES_ADDRESS + 4 * i : CCLO_MOVE_COMM_ADDRESS + 4 * (i - FIRST_RUN);
}

static uint32_t register_at(uint32_t address)
{
	return address < CCLO_MOVE_COMM_ADDRESS ? (address - CCLO_MOVE_BYTES_ADDRESS) / 4
	                                        : FIRST_RUN + (address - CCLO_MOVE_COMM_ADDRESS) / 4;
}

static inline void read_words(struct words *words, uint32_t operation)
{
	words->operation = operation;
#define WORD(name) words->name = CALL_WORD(name);
	WORDS(WORD)
#undef WORD
}

static inline bool say_the_same(const struct words *a, const struct words *b)
{
	uint32_t differ = a->operation ^ b->operation;

#define WORD(name) differ |= a->name ^ b->name;
	WORDS(WORD)
#undef WORD
	return differ == 0;
}

static inline uint32_t signature_of(const struct words *words)
{
	uint32_t signature = words->operation << 27 ^ words->root_src_dst << 20 ^ words->comm << 8 ^ words->count;

	signature ^= words->addr_0_low >> 3 ^ words->addr_2_low << 3;
	return signature ^ signature >> 16;
}

/* Takes the place of another call of the set. */
__attribute__((noinline)) static void take_place(struct plan *set, uint32_t signature)
{
	struct plan *plan = set + plans.next_way++ % WAYS;

	plan->signature = signature;
	plan->version = 0;
}

/* The place of such calls, if there was one before. */
static inline struct plan *place_of(uint32_t signature)
{
	struct plan *set = &plans.places[(signature ^ signature >> 4 ^ signature >> 8) % SETS * WAYS];

	for (struct plan *plan = set; plan != set + WAYS; plan++)
		if (plan->signature == signature)
			return plan;
	take_place(set, signature);
	return NULL;
}

bool plan_issue(uint32_t operation)
{
	struct call *call = engine.calls;
	const struct setting *s;
	struct words words;
	struct plan *plan;

	read_words(&words, operation);
	plan = place_of(signature_of(&words));
	if (plan == NULL || plan->version != engine.tables || plan->moves - 1 >= CCLO_MOVE_QUEUE_DEPTH || engine.left ||
	    !say_the_same(&plan->words, &words)) {
		engine.planned = plan;
		return false;
	}
	s = engine.set_by == plan ? plan->changed : plan->first;
	do
		hw_write(s->address, s->value);
	while (++s != plan->end);
	engine.set_by = plan;
	engine.alike = false;
	engine.open = 1;
	engine.quick = (uint8_t)plan->moves;
	call->kind = KIND_COLLECTIVE;
	call->comm = words.comm;
	call->ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	task_limit_first(call, move_limit());
	return true;
}

/* More moves than the queue takes: others may set registers while this call waits for room. */
__attribute__((noreturn)) static void issue_slowly(struct call *call, const struct plan *plan)
{
	uint32_t switches = engine.switches;

	call->kind = KIND_COLLECTIVE;
	call->comm = plan->words.comm;
	call->op0.form = call->res.form = CCLO_MOVE_OPERAND_NONE;
	for (const struct setting *s = plan->first; s != plan->end; s++) {
		if (s->address != CCLO_MOVE_CONTROL_ADDRESS) {
			hw_write(s->address, s->value);
			continue;
		}
		move_make_room();
		if (UNLIKELY(engine.switches != switches)) {
			switches = engine.switches;
			for (const struct setting *again = plan->first; again != s; again++)
				if (again->address != CCLO_MOVE_CONTROL_ADDRESS)
					hw_write(again->address, again->value);
		}
		move_give(s->value);
	}
	move_finish();
}

__attribute__((noinline)) void plan_begin(struct call *call)
{
	struct plan *plan = engine.planned;
	bool same;
	struct words words;

	engine.planned = NULL;
	read_words(&words, call->words.scenario);
	same = plan->version == engine.tables && say_the_same(&plan->words, &words);
	if (same) {
		if (plan->moves == 0 || engine.left)
			return;
		queue_take(); /* the first one: no other call is open */
		issue_slowly(call, plan);
	}
	plan->version = 0;
	plan->words = words;
	plan->moves = 0;
	plans.recorded = plan;
	plans.length = 0;
	plans.version = engine.tables;
	engine.recording = call;
}

/* What was recorded is no plan, as long as tables are the same. */
static void refuse(void)
{
	plans.recorded->moves = 0;
	plans.recorded->version = plans.version;
	plan_drop();
}

/* Whether the move is that of an eager message, or of none. */
static bool is_eager(uint32_t control)
{
#if CCLO_FEATURE_RENDEZVOUS
	return FIELD_OF(MOVE_CONTROL_MESSAGE_TYPE, control) == 0 && FIELD_OF(MOVE_CONTROL_OP0, control) != CCLO_MOVE_OPERAND_WINDOW &&
	       FIELD_OF(MOVE_CONTROL_OP1, control) != CCLO_MOVE_OPERAND_WINDOW;
#else
	(void)control;
	return true;
#endif
}

static bool is_stream(uint32_t kind) { return kind == CCLO_MOVE_OPERAND_KERNEL_STREAM; }

/* Makes room for the settings of another move: all other plans are forgotten if they take it. */
static bool may_grow(void)
{
	if (plans.length + REGISTERS + 1 > PLAN_LONGEST) {
		refuse();
		return false;
	}
	if (plans.used + plans.length + REGISTERS + 1 > SETTINGS) {
		for (uint32_t i = 0; i < SETS * WAYS; i++)
			plans.places[i].version = 0;
		plans.used = 0;
		plan_drop(); /* the next one that says the same is recorded */
		return false;
	}
	return true;
}

static void add(uint32_t address, uint32_t value)
{
	plans.settings[plans.used + plans.length++] = (struct setting){ address, value };
}

__attribute__((cold)) void plan_note(uint32_t control)
{
	const struct call *call = engine.recording;

	if (engine.current != call)
		return;
	if (!is_eager(control) || is_stream(call->op0.kind) || is_stream(call->res.kind)) {
		refuse();
		return;
	}
	if (call->state.queue != 0) {
		plan_drop();
		return;
	}
	if (!may_grow())
		return;
	for (uint32_t i = 0; i < REGISTERS; i++) {
		uint32_t value = hw_read(register_address(i));

		if (plans.recorded->moves == 0 || plans.registers[i] != value)
			add(register_address(i), value);
		plans.registers[i] = value;
	}
	add(CCLO_MOVE_CONTROL_ADDRESS, control);
	plans.recorded->moves++;
}

/* Puts those of the first settings to the front that the last move leaves as they are. */
static struct setting *order_first(struct setting *settings)
{
	struct setting *changed = settings;

	for (struct setting *s = settings; s != settings + REGISTERS; s++) {
		struct setting setting = *s;

		if (setting.value != plans.registers[register_at(setting.address)])
			continue;
		*s = *changed;
		*changed++ = setting;
	}
	return changed;
}

__attribute__((cold, noinline)) static void keep(struct plan *plan)
{
	struct setting *settings = &plans.settings[plans.used];

	plan->first = settings;
	plan->changed = order_first(settings);
	plan->end = settings + plans.length;
	plan->version = plans.version;
	plans.used += plans.length;
}

void plan_keep(void)
{
	if (LIKELY(engine.recording != engine.current))
		return;
	if (plans.recorded->moves != 0)
		keep(plans.recorded);
	plan_drop();
}
