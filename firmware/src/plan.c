/* The call cache. The moves of a collective depend on the words of its call, on what the host has configured, and
 * on the windows of other ranks only. Computing them takes many times as long as writing the registers again. The
 * first call allocates a place, the second one with the same words is recorded, the third one uses the plan. */

#include "plan.h"

#include "move.h"
#include "operations.h"
#include "plans.h"
#include "series.h"
#include "stage.h"
#include "task.h"
#include "window.h"

/* Hash of the call's words. Calls with the same signature replace each other's plans. */
static uint32_t signature_of(uint32_t operation)
{
	uint32_t signature = operation;

#define WORD(name) signature = (signature << 7 | signature >> 25) ^ CALL_WORD(name);
	WORDS(WORD)
#undef WORD
	return signature * 0x9E3779B1u;
}

/* Replaces the oldest plan of the set. */
static void take_place(struct set *set, uint32_t signature)
{
	struct plan *plan = &set->places[set->next_way++ % WAYS];

	plan->signature = signature;
	plan->version = plan->refused = 0;
}

/* The place for a signature; NULL, and a new place, if there was none. */
static inline struct plan *place_of(uint32_t signature)
{
	struct set *set = &plans.sets[signature >> (32 - SETS_LOG)];

	for (struct plan *plan = set->places; plan != set->places + WAYS; plan++)
		if (plan->signature == signature)
			return plan;
	take_place(set, signature);
	return NULL;
}

/* Writes the settings before end again: other calls may have written registers while this one waited. */
__attribute__((noinline)) static void set_again(const struct plan *plan, const struct setting *end)
{
	for (const struct setting *s = plan->first; s != end; s++)
		if (!is_step(s) && !is_command(s))
			hw_write(s->address, s->value);
}

static inline void make_room(const struct plan *plan, const struct setting *s)
{
	uint32_t switches = engine.switches;

	if (LIKELY(move_has_room()))
		return;
	move_make_room();
	if (UNLIKELY(engine.switches != switches))
		set_again(plan, s);
}

#if CCLO_FEATURE_RENDEZVOUS
static bool invited(const struct plan *plan, const struct setting *s, uint32_t *switches)
{
	if (engine.switches != *switches)
		set_again(plan, s);
	*switches = engine.switches;
	return invitation_found();
}

static inline void await_invitation(const struct plan *plan, const struct setting *s)
{
	uint32_t switches = engine.switches;

	AWAIT(invited(plan, s, &switches), remote_limit(), CCLO_RETURN_CODE_RECEIVE_TIMEOUT);
}

static const struct setting *run_step(const struct plan *plan, const struct setting *s)
{
	switch (s->address) {
	case STEP_HOLD:
		window_hold((uint8_t)s->value);
		return s;
	case STEP_ANNOUNCE:
	case STEP_ANNOUNCE_ASIDE: {
		bool second = window_announces_aside(s->address == STEP_ANNOUNCE_ASIDE);

		make_room(plan, s);
		move_give(s->value);
		window_announced(second);
		return s;
	}
	case STEP_INVITATION:
		await_invitation(plan, s);
		invitation_take(s->value);
		return s;
	case STEP_REMOTE:
		make_room(plan, s);
		move_give_remote(s->value, s[1].value);
		return s + 1;
	default:
		make_room(plan, s);
		invitation_finish(s->value);
		return s;
	}
}
#endif

/* Issues the rest of a plan, with waits for room and for other ranks. */
__attribute__((noreturn)) static void issue_rest(void *of)
{
	const struct plan *plan = of;
	const struct setting *end = plan->end;

	for (const struct setting *s = plan->rest; s != end; s++) {
		uint32_t address = s->address, value = s->value;

		if (LIKELY(!is_step(s) && address != CCLO_MOVE_CONTROL_ADDRESS)) {
			hw_write(address, value);
			continue;
		}
#if CCLO_FEATURE_RENDEZVOUS
		if (is_step(s)) {
			s = run_step(plan, s);
			continue;
		}
#endif
		make_room(plan, s);
		move_give(value);
	}
	if (plan->windows)
		stages_end();
	if (engine.open == self->bit)
		engine.set_by = plan;
	express_again();
	move_finish();
}

/* Whether the plan is of the call in the call window. */
static inline __attribute__((always_inline)) bool holds(const struct plan *plan, uint32_t operation)
{
	const struct words *words = &plan->words;
	uint32_t differ = engine.left | (plan->version ^ engine.tables) | (words->operation ^ operation);

#define WORD(name) differ |= words->name ^ CALL_WORD(name);
	WORDS(WORD)
#undef WORD
	return differ == 0;
}

/* The place of the call in the call window, if it has a plan or must not be recorded; or NULL. */
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

__attribute__((noinline)) static bool issue(uint32_t operation, struct plan *plan)
{
	struct call *call = engine.calls;

	if (UNLIKELY(plan == NULL || plan->words.addr_0_low != CALL_WORD(addr_0_low) || !holds(plan, operation))) {
		plan = find(operation);
		if (plan == NULL)
			return false;
		if (plan->refused == engine.tables) {
			expect_next(plan);
			return false;
		}
	}
	set_collective(series_next(plan->series), plan->count, plan->shape);
	write(engine.set_by == plan ? plan->changed : plan->first, plan->rest);
	expect_next(plan);
	engine.alike = false;
	engine.open = 1;
	call->kind = KIND_COLLECTIVE;
	call->comm = plan->words.comm;
	call->ticket = plan->ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	task_limit_first(call, engine.ask_limit);
	engine.quick = (uint8_t)plan->at_once;
	if (LIKELY(plan->rest == plan->end)) {
		engine.set_by = plan;
		return true;
	}
	engine.set_by = NULL;
	express_settle();
	call->announced = engine.issued[0];
	call->state.finishing = false;
	engine.current = call;
	task_anew(plan, issue_rest);
}

/* Uses no stack. Calls that are not recorded are long, and must lose no time here. */
bool plan_issue(uint32_t operation)
{
	struct plan *plan = plans.expected;

	if (plan != NULL && UNLIKELY(plan->refused == engine.tables) && plan->words.operation == operation &&
	    plan->words.addr_0_low == CALL_WORD(addr_0_low) && plan->words.count == CALL_WORD(count)) {
		expect_next(plan);
		return false;
	}
	return issue(operation, plan);
}
