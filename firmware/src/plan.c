/* The call cache. The moves of a collective depend on the words of its call, on what the host has configured, and
 * on the windows of other ranks only. Computing them takes many times as long as writing the registers again. The
 * first call allocates a place, the second one of its kind is recorded, later ones use the plan: also those with other
 * operands, and of another number of elements if it is small, to which the plan is fitted by its relocations. */

#include "plan.h"

#include "move.h"
#include "operations.h"
#include "plans.h"
#include "series.h"
#include "stage.h"
#include "task.h"
#include "window.h"

/* Counts up to this one are looked up alike: one plan mostly serves them all. */
#define FEW 1024

/* Hash of words by which most calls differ. */
static uint32_t signature_of(uint32_t operation, uint32_t count)
{
	uint32_t words = CALL_WORD(comm) ^ CALL_WORD(arithcfg) << 4 ^ CALL_WORD(root_src_dst) << 16 ^
	                 CALL_WORD(function_code) << 20 ^ CALL_WORD(compression_flags) << 24;

	return ((count > FEW ? count << 5 : 0) ^ operation ^ words << 8) * 0x9E3779B1u;
}

/* Notes a call that has no plan yet. */
static void note_seen(struct plan *plan, uint32_t signature, uint32_t count)
{
	plan->signature = signature;
	plan->version = plan->refused = 0;
	plan->recorded = engine.tables;
	plan->words.count = count;
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
		bool second = UNLIKELY(value & ASIDE) && queue_take_second(true);

		if (second)
			queue_change();
		make_room(plan, s);
		move_give(value & ~ASIDE);
		if (second)
			queue_change();
	}
	if (!plan->windows && engine.open == self->bit)
		engine.set_by = plan;
	stages_end();
}

/* The words of the call in the call window that plans can be fitted to. */
struct free_words {
	uint32_t count, operand, result;
};

static inline __attribute__((always_inline)) struct free_words free_words(void)
{
	return (struct free_words){ CALL_WORD(count), CALL_WORD(addr_0_low), CALL_WORD(addr_2_low) };
}

static inline __attribute__((always_inline)) bool is_exact(const struct plan *plan, const struct free_words *call)
{
	return ((plan->words.count ^ call->count) | (plan->words.addr_0_low ^ call->operand) |
	        (plan->words.addr_2_low ^ call->result)) == 0;
}

/* Whether the plan can be fitted to the call: it has the same moves for these elements, and its operand and result lie
 * to each other as those of the plan. */
__attribute__((noinline)) static bool may_fit(const struct plan *plan, const struct free_words *call)
{
	uint32_t count = call->count, between = call->result - call->operand;
	uint32_t operand_bytes = count * plan->operand_bytes, result_bytes = count * plan->result_bytes;

	if (!plan->fits || (count != plan->words.count && count - 1 >= plan->most) ||
	    call->operand + operand_bytes < operand_bytes || call->result + result_bytes < result_bytes)
		return false;
	if (plan->lie == APART)
		return between >= operand_bytes && -between >= result_bytes;
	return plan->lie == ONE_ALONE || (between == plan->words.addr_2_low - plan->words.addr_0_low &&
	                                  (between == 0 || count == plan->words.count));
}

/* Whether the plan is of a call like the one in the call window, but for the words that it can be fitted to. */
static inline __attribute__((always_inline)) bool is_alike(const struct plan *plan, uint32_t operation)
{
	const struct words *words = &plan->words;
	uint32_t differ = engine.left | (plan->version ^ engine.tables) | (words->operation ^ operation);

#define WORD(name) differ |= words->name ^ CALL_WORD(name);
	KEY_WORDS(WORD)
#undef WORD
	return differ == 0;
}

/* The place whose turn it is; a quotient takes long. */
static struct plan *oldest(struct set *set)
{
	uint32_t way = set->next_way;

	set->next_way = way + 1 < WAYS ? way + 1 : 0;
	return &set->places[way];
}

/* The place of the call in the call window, if it has a plan or must not be recorded; or NULL. */
__attribute__((noinline)) static struct plan *find(uint32_t operation, const struct free_words *call)
{
	uint32_t signature = signature_of(operation, call->count);
	struct set *set = &plans.sets[signature >> (32 - SETS_LOG)];
	struct plan *seen = NULL;

	for (struct plan *plan = set->places; plan != set->places + WAYS; plan++) {
		bool same = plan->words.count == call->count;

		if (plan->signature != signature)
			continue;
		if (plan->version == engine.tables ? is_alike(plan, operation) && (is_exact(plan, call) || may_fit(plan, call))
		                                   : same && plan->refused == engine.tables) {
			if (plans.last != NULL)
				plans.last->next = plan;
			return plan;
		}
		if (plan->version != engine.tables && (same || (plan->words.count | call->count) < FEW / 8))
			seen = plan;
	}
	if (seen != NULL && seen->recorded == engine.tables)
		engine.planned = seen;
	else
		note_seen(plans.noted = seen != NULL ? seen : oldest(set), signature, call->count);
	return NULL;
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

/* A word so many bytes further on. */
static inline uint32_t *behind(void *words, uint32_t bytes) { return (uint32_t *)((char *)words + bytes); }

static inline void patch(const struct plan *plan, uint32_t from, uint32_t to)
{
	const struct relocation *r = (const struct relocation *)plan->end + from, *end = r + (to - from);
	struct setting *settings = plan->first;
	uint32_t more = plans.moved.bytes;

	for (; r != end; r++)
		*behind(settings, r->value) += *behind(&plans.moved, r->by) + r->blocks * more;
}

/* Fits the plan to the call, and writes the settings before rest: the first move runs while others are fitted. */
__attribute__((noinline)) static void write_fitted(struct plan *plan, const struct free_words *call)
{
	struct words *words = &plan->words;
	struct setting *issued = plan->first + plan->issued;

	plans.moved.operand = call->operand - words->addr_0_low;
	plans.moved.result = call->result - words->addr_2_low;
	plans.moved.bytes = (call->count - words->count) * plan->plain_bytes;
	if (UNLIKELY(plan->packed_bytes != 0))
		plans.moved.compressed = ((call->count >> plan->ratio_log) - (words->count >> plan->ratio_log)) * plan->packed_bytes;
	words->count = call->count;
	words->addr_0_low = call->operand;
	words->addr_2_low = call->result;
	patch(plan, 0, plan->early);
	write(plan->first + (engine.set_by == plan ? plan->free : 0), issued);
	patch(plan, plan->early, plan->relocations);
	write(issued, plan->rest);
}

__attribute__((noinline)) static bool issue(uint32_t operation, struct plan *plan)
{
	struct call *call = engine.calls;
	struct free_words words = free_words();
	bool exact = plan != NULL && is_exact(plan, &words);

	if (UNLIKELY(plan == NULL || !is_alike(plan, operation) || !(exact || may_fit(plan, &words)))) {
		plan = find(operation, &words);
		if (plan == NULL)
			return false;
		if (plan->refused == engine.tables) {
			expect_next(plan);
			return false;
		}
		exact = is_exact(plan, &words);
	}
	if (UNLIKELY(!exact && plan->most != 0))
		plan->count = words.count;
	set_collective(series_next(plan->series), plan->count, plan->shape);
	if (LIKELY(exact))
		write(engine.set_by == plan ? plan->changed : plan->first, plan->rest);
	else
		write_fitted(plan, &words);
	series_keep(plan->series, plan->count, plan->shape); /* while the moves are under way */
	expect_next(plan);
	engine.alike = false;
	engine.open = 1;
	call->kind = KIND_COLLECTIVE;
	call->comm = plan->words.comm;
	call->ticket = plan->ticket = hw_read(CCLO_CALLS_TICKET_ADDRESS);
	task_limit_first(call, engine.ask_limit);
	engine.quick = plan->at_once;
	engine.issued[1] += plan->aside;
	engine.set_by = plan;
	if (LIKELY(plan->rest == plan->end))
		return true;
	express_settle();
	engine.set_by = NULL;
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
	    plan->words.comm == CALL_WORD(comm) && plan->words.count == CALL_WORD(count)) {
		expect_next(plan);
		return false;
	}
	return issue(operation, plan);
}
