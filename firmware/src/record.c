/* Recording of plans: what the registers of moves say when a call issues one. */

#include "move.h"
#include "plan.h"
#include "plans.h"

#define LONGEST 512 /* settings */

/* Registers that eager moves depend on, in two runs. */
#define FIRST_RUN  ((CCLO_MOVE_RESULT_ADDRESS_HIGH_ADDRESS - CCLO_MOVE_BYTES_ADDRESS) / 4 + 1)
#define SECOND_RUN ((CCLO_MOVE_STRM_ADDRESS - CCLO_MOVE_COMM_ADDRESS) / 4 + 1)
#define REGISTERS  (FIRST_RUN + SECOND_RUN)

#define REGISTER_AT(address)                                                            \
	((address) < CCLO_MOVE_COMM_ADDRESS ? ((address) - CCLO_MOVE_BYTES_ADDRESS) / 4 \
	                                    : FIRST_RUN + ((address) - CCLO_MOVE_COMM_ADDRESS) / 4)

/* The plan that is recorded: its settings so far are behind those that are used. */
static struct {
	struct plan *plan;
	uint32_t version; /* of the tables when it began */
	uint32_t length, set; /* settings, bit set of registers */
	uint32_t registers[REGISTERS]; /* as they are set */
} record;

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
	record.plan = plan;
	record.length = record.set = 0;
	record.version = engine.tables;
	engine.recording = call;
}

/* What was recorded is no plan, as long as tables are the same. */
static void refuse(void)
{
	record.plan->refused = record.version;
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
	if (record.length + REGISTERS + 1 > LONGEST) {
		refuse();
		return false;
	}
	if (plans.used + record.length + REGISTERS + 1 > SETTINGS) {
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
	plans.settings[plans.used + record.length++] = (struct setting){ address, value };
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
		if ((record.set & 1u << i) == 0 || record.registers[i] != value)
			add(register_address(i), value);
		record.registers[i] = value;
	}
	record.set |= bits;
	add(CCLO_MOVE_CONTROL_ADDRESS, control);
	record.plan->moves++;
}

/* Puts those of the first move's settings to the front that registers have in the end. */
static struct setting *order_first(struct setting *settings)
{
	struct setting *changed = settings;

	for (struct setting *s = settings; s->address != CCLO_MOVE_CONTROL_ADDRESS; s++) {
		struct setting setting = *s;

		if (setting.value != record.registers[REGISTER_AT(setting.address)])
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
	plan->rest = plan->end = settings + record.length;
	if (plan->moves > CCLO_MOVE_QUEUE_DEPTH)
		plan->rest = behind_moves(settings, CCLO_MOVE_QUEUE_DEPTH);
	plan->version = record.version;
	plans.used += record.length;
}

void plan_keep(void)
{
	if (LIKELY(engine.recording != engine.current))
		return;
	if (record.plan->moves != 0)
		keep(record.plan);
	plan_drop();
}
