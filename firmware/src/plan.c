/* What a collective does depends on what its call says and on what the host has configured, and on
 * nothing else if all it issues is eager messages: moves whose registers say the same. To find out
 * takes many times as long as to write it again. The first call is not slowed down by that: the
 * second one that says the same is recorded, the third one has a plan. */

#include "plan.h"

#include "move.h"
#include "operations.h"
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
	uint32_t refused; /* version of the tables with which such calls have none */
	uint32_t moves;
	/* From changed on if registers are as the plan leaves them; up to rest the queue takes it at once. */
	const struct setting *first, *changed, *rest, *end;
	struct words words;
	struct plan *next; /* place of the call that came after such a one, the last time */
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

#define REGISTER_AT(address)                                                            \
	((address) < CCLO_MOVE_COMM_ADDRESS ? ((address) - CCLO_MOVE_BYTES_ADDRESS) / 4 \
	                                    : FIRST_RUN + ((address) - CCLO_MOVE_COMM_ADDRESS) / 4)

static struct {
	struct plan places[SETS * WAYS];
	struct plan *last, *expected; /* places of the last call and of the next one, perhaps; or NULL */
	uint32_t next_way;
	struct setting settings[SETTINGS];
	uint32_t used; /* settings */
	/* The one that is recorded: its settings so far are behind those that are used. */
	struct plan *recorded;
	uint32_t version; /* of the tables when it began */
	uint32_t length, set; /* settings, bit set of registers */
	uint32_t registers[REGISTERS]; /* as they are set */
} plans;

static uint32_t register_address(uint32_t i)
{
	return i < FIRST_RUN ? CCLO_MOVE_BYTES_ADDRESS + 4 * i : CCLO_MOVE_COMM_ADDRESS + 4 * (i - FIRST_RUN);
}

static void note_words(struct words *words, uint32_t operation)
{
	words->operation = operation;
#define WORD(name) words->name = CALL_WORD(name);
	WORDS(WORD)
#undef WORD
}

static uint32_t signature_of(uint32_t operation)
{
	uint32_t signature = operation << 27 ^ CALL_WORD(root_src_dst) << 20 ^ CALL_WORD(comm) << 8 ^ CALL_WORD(count);

	signature ^= CALL_WORD(addr_0_low) >> 3 ^ CALL_WORD(addr_2_low) << 3;
	return signature ^ signature >> 16;
}

/* Takes the place of another call of the set. */
__attribute__((noinline)) static void take_place(struct plan *set, uint32_t signature)
{
	struct plan *plan = set + plans.next_way++ % WAYS;

	plan->signature = signature;
	plan->version = plan->refused = 0;
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

/* What is left when the queue is full: others may set registers while this call waits for room. */
__attribute__((noreturn)) static void issue_rest(void *of)
{
	const struct plan *plan = of;
	uint32_t switches = engine.switches;

	for (const struct setting *s = plan->rest; s != plan->end; s++) {
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
	express_again();
	move_finish();
}

/* Whether the call in the window has this plan. */
static inline __attribute__((always_inline)) bool holds(const struct plan *plan, uint32_t operation)
{
	const struct words *words = &plan->words;
	uint32_t differ = engine.left | (plan->version ^ engine.tables) | (words->operation ^ operation);

#define WORD(name) differ |= words->name ^ CALL_WORD(name);
	WORDS(WORD)
#undef WORD
	return differ == 0;
}

/* Whether this is its place, where it has a plan or is refused one. */
static inline __attribute__((always_inline)) bool is_expected(const struct plan *plan, uint32_t operation)
{
	if (plan->words.addr_0_low != CALL_WORD(addr_0_low))
		return false;
	if (UNLIKELY(plan->refused == engine.tables))
		return plan->words.operation == operation && plan->words.count == CALL_WORD(count);
	return holds(plan, operation);
}

/* That place; or NULL. */
__attribute__((noinline)) static struct plan *find(uint32_t operation)
{
	struct plan *plan = place_of(signature_of(operation));

	if (plan == NULL || (plan->version == engine.tables ? !holds(plan, operation) : plan->refused != engine.tables)) {
		engine.planned = plan;
		return NULL;
	}
	if (plans.last != NULL)
		plans.last->next = plan;
	return plan;
}

static inline void expect_next(struct plan *plan)
{
	plans.last = plan;
	plans.expected = plan->next;
}

static inline void write(const struct setting *s, const struct setting *end)
{
	for (; end - s >= 4; s += 4) {
		hw_write(s[0].address, s[0].value);
		hw_write(s[1].address, s[1].value);
		hw_write(s[2].address, s[2].value);
		hw_write(s[3].address, s[3].value);
	}
	for (; s != end; s++)
		hw_write(s->address, s->value);
}

bool plan_issue(uint32_t operation)
{
	struct call *call = engine.calls;
	struct plan *plan = plans.expected;

	if (UNLIKELY(plan == NULL || !is_expected(plan, operation))) {
		plan = find(operation);
		if (plan == NULL)
			return false;
	}
	if (UNLIKELY(plan->refused == engine.tables)) {
		expect_next(plan);
		return false;
	}
	write(engine.set_by == plan ? plan->changed : plan->first, plan->rest);
	expect_next(plan);
	engine.set_by = plan;
	engine.alike = false;
	engine.open = 1;
	call->kind = KIND_COLLECTIVE;
	call->comm = plan->words.comm;
	call->ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	task_limit_first(call, move_limit());
	if (LIKELY(plan->rest == plan->end)) {
		engine.quick = (uint8_t)plan->moves;
		return true;
	}
	engine.quick = CCLO_MOVE_QUEUE_DEPTH;
	express_settle();
	call->state.finishing = false;
	engine.current = call;
	task_anew(plan, issue_rest);
}

__attribute__((noinline)) void plan_begin(struct call *call)
{
	struct plan *plan = engine.planned;

	engine.planned = NULL;
	if (plan->version == engine.tables && engine.left)
		return;
	note_words(&plan->words, call->words.scenario);
	plan->version = 0;
	plan->moves = 0;
	plan->next = plan;
	plans.recorded = plan;
	plans.length = plans.set = 0;
	plans.version = engine.tables;
	engine.recording = call;
}

/* What was recorded is no plan, as long as tables are the same. */
static void refuse(void)
{
	plans.recorded->refused = plans.version;
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

/* A bit for each register from one to another. */
#define BITS(from, to) (((2u << PLACE(to)) - 1) & ~((1u << PLACE(from)) - 1))
#define PLACE(name)    REGISTER_AT(CCLO_MOVE_##name##_ADDRESS)

/* Registers that a move of this kind depends on. */
static uint32_t registers_of(uint32_t control)
{
	const uint32_t packed = CCLO_MOVE_CONTROL_OP0_COMPRESSED_MASK | CCLO_MOVE_CONTROL_OP1_COMPRESSED_MASK |
	                        CCLO_MOVE_CONTROL_RESULT_COMPRESSED_MASK | CCLO_MOVE_CONTROL_NETWORK_COMPRESSED_MASK |
	                        CCLO_MOVE_CONTROL_INNER_COMPRESSED_MASK;
	uint32_t op0 = FIELD_OF(MOVE_CONTROL_OP0, control), op1 = FIELD_OF(MOVE_CONTROL_OP1, control);
	uint32_t result = FIELD_OF(MOVE_CONTROL_RESULT, control);
	uint32_t bits = BITS(BYTES, BYTES) | BITS(TDEST, TDEST);

	if (control & packed)
		bits |= BITS(COMPRESSED_BYTES, COMPRESSED_BYTES);
	if (op0 == CCLO_MOVE_OPERAND_MEMORY)
		bits |= BITS(OP0_ADDRESS, OP0_ADDRESS_HIGH);
	if (op1 == CCLO_MOVE_OPERAND_MEMORY)
		bits |= BITS(OP1_ADDRESS, OP1_ADDRESS_HIGH);
	if (result != CCLO_MOVE_RESULT_NONE && result != CCLO_MOVE_RESULT_NETWORK)
		bits |= BITS(RESULT_ADDRESS, RESULT_ADDRESS_HIGH);
	if (op0 == CCLO_MOVE_OPERAND_MESSAGE || op1 == CCLO_MOVE_OPERAND_MESSAGE)
		bits |= BITS(COMM, SOURCE) | BITS(COMM_CONTEXT, TAG);
	if (result != CCLO_MOVE_RESULT_NONE && result != CCLO_MOVE_RESULT_MEMORY)
		bits |= BITS(COMM, COMM) | BITS(DESTINATION, STRM);
	return bits;
}

__attribute__((cold)) void plan_note(uint32_t control)
{
	const struct call *call = engine.recording;
	uint32_t bits = registers_of(control);

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
		uint32_t value;

		if ((bits & 1u << i) == 0)
			continue;
		value = hw_read(register_address(i));
		if ((plans.set & 1u << i) == 0 || plans.registers[i] != value)
			add(register_address(i), value);
		plans.registers[i] = value;
	}
	plans.set |= bits;
	add(CCLO_MOVE_CONTROL_ADDRESS, control);
	plans.recorded->moves++;
}

/* Puts those of the first move's settings to the front that registers have in the end. */
static struct setting *order_first(struct setting *settings)
{
	struct setting *changed = settings;

	for (struct setting *s = settings; s->address != CCLO_MOVE_CONTROL_ADDRESS; s++) {
		struct setting setting = *s;

		if (setting.value != plans.registers[REGISTER_AT(setting.address)])
			continue;
		*s = *changed;
		*changed++ = setting;
	}
	return changed;
}

static const struct setting *behind_moves(const struct setting *s, uint32_t moves)
{
	while (moves != 0)
		if (s++->address == CCLO_MOVE_CONTROL_ADDRESS)
			moves--;
	return s;
}

__attribute__((cold, noinline)) static void keep(struct plan *plan)
{
	struct setting *settings = &plans.settings[plans.used];

	plan->first = settings;
	plan->changed = order_first(settings);
	plan->rest = plan->end = settings + plans.length;
	if (plan->moves > CCLO_MOVE_QUEUE_DEPTH)
		plan->rest = behind_moves(settings, CCLO_MOVE_QUEUE_DEPTH);
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
