/* Housekeeping: what the host configures. */

#include "collective.h"
#include "comm.h"
#include "move.h"
#include "operations.h"
#include "plan.h"
#include "task.h"

static void stack_use(void)
{
	uint32_t stack = hw_read(CCLO_NETWORK_STACK_ADDRESS);

	engine.lossy = stack == CCLO_STACK_UDP;
#if CCLO_FEATURE_RENDEZVOUS
	engine.fills_at_once = stack == CCLO_STACK_RDMA;
#endif
}

#if CCLO_FEATURE_RENDEZVOUS
/* RDMA knows windows whoever the peer is. */
static void peers_are(uint8_t agreed)
{
	for (uint32_t i = 0; i < sizeof(engine.peers); i++)
		engine.peers[i] = agreed;
}
#endif

__attribute__((cold)) void reset_engine(void)
{
	uint32_t everything = CCLO_RESET_PART_MOVES | CCLO_RESET_PART_MESSAGES | CCLO_RESET_PART_NETWORK;
	uint32_t begin = milliseconds();

	hw_write(CCLO_NETWORK_CONTROL_ADDRESS, 0);
	hw_write(CCLO_SYSTEM_RESET_ADDRESS, everything);
	while (hw_read(CCLO_SYSTEM_RESET_ADDRESS) != 0 && milliseconds() - begin < CCLO_RESET_MILLISECONDS)
		;
#ifdef CCLO_RENDEZVOUS_BASE
	for (uint32_t i = 0; i < CCLO_RENDEZVOUS_WINDOWS; i++) {
		hw_write(CCLO_RENDEZVOUS_WINDOW_ADDRESS, i);
		hw_write(CCLO_RENDEZVOUS_SHUT_ADDRESS, 1);
	}
#endif
	/* The host knows by these that it has to configure again. */
	hw_write(EXCHANGE(CCLO_RX_BUFFERS_OFFSET + 4 * CCLO_RX_BUFFERS_COUNT_WORD), 0);
#ifdef CCLO_EXCHANGE_CONFIG_READY_ADDRESS
	hw_write(CCLO_EXCHANGE_CONFIG_READY_ADDRESS, 0);
#endif
	for (uint32_t queue = 0; queue < QUEUES; queue++)
		engine.issued[queue] = move_completed(queue);
	engine.queues_taken = engine.queues_lent = engine.early = 0;
	engine.enabled = false;
	engine.left = true;
	plan_drop();
	engine.windows = engine.ranks = 0;
	engine.rx_count = engine.rx_bytes = 0;
	engine.max_eager = engine.max_rendezvous = engine.max_segment = 0;
	stack_use();
#if CCLO_FEATURE_RENDEZVOUS
	peers_are(engine.fills_at_once ? PEER_SENDS | PEER_TAKES : 0);
#endif
	comm_forget();
	series_reset();
	agreements_reset();
	tables_changed();
	hw_write(CCLO_TIMERS_LIMIT_CYCLES_ADDRESS, CCLO_DEFAULT_TIMEOUT_CYCLES);
}

static uint32_t rx_buffer_bytes(uint32_t i)
{
#ifdef CCLO_RX_BUFFERS_SIZE_WORD
	(void)i;
	return exchange_read(CCLO_RX_BUFFERS_OFFSET + 4 * CCLO_RX_BUFFERS_SIZE_WORD);
#else
	return rx_word(i, CCLO_RX_BUFFERS_MAX_LEN_WORD);
#endif
}

/* Takes over the rx buffers. Enabling again adds nothing. */
__attribute__((cold)) static void enable(void)
{
	uint32_t count = exchange_read(CCLO_RX_BUFFERS_OFFSET + 4 * CCLO_RX_BUFFERS_COUNT_WORD);
	uint32_t smallest = 0xFFFFFFFF;

	if (engine.enabled)
		return;
	if (count == 0 || count > CCLO_EXCHANGE_BYTES / CCLO_RX_BUFFERS_RECORD_BYTES ||
	    !exchange_holds(rx_record(0), count * CCLO_RX_BUFFERS_RECORD_BYTES))
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	for (uint32_t i = 0; i < count; i++)
		if (rx_buffer_bytes(i) < smallest)
			smallest = rx_buffer_bytes(i);
	if (smallest == 0)
		task_fail(CCLO_RETURN_CODE_CONFIG_SWITCH);
	for (uint32_t i = 0; i < count; i++) {
		hw_write(CCLO_RX_ADDRESS_ADDRESS, rx_word(i, CCLO_RX_BUFFERS_ADDRL_WORD));
		hw_write(CCLO_RX_ADDRESS_HIGH_ADDRESS, rx_word(i, CCLO_RX_BUFFERS_ADDRH_WORD));
		hw_write(CCLO_RX_BYTES_ADDRESS, rx_buffer_bytes(i));
		hw_write(CCLO_RX_ENQUEUE_ADDRESS, rx_record(i));
	}
	engine.rx_count = count;
	engine.rx_bytes = smallest;
	if (engine.max_eager < smallest)
		engine.max_eager = smallest;
	comm_forget();
	engine.enabled = true;
	hw_write(CCLO_NETWORK_CONTROL_ADDRESS, CCLO_NETWORK_CONTROL_ENABLE);
}

/* Hosts that send no count leave in its register what stood there: 0, or any number of an
 * earlier call. A limit that no memory could keep would end moves that are right. */
static void set_timeout(uint32_t cycles)
{
	if (cycles < CCLO_MIN_TIMEOUT_CYCLES)
		cycles = CCLO_DEFAULT_TIMEOUT_CYCLES;
	hw_write(CCLO_TIMERS_LIMIT_CYCLES_ADDRESS, cycles);
}

#if CCLO_FEATURE_RENDEZVOUS
/* 0 is what such hosts send at first, and no host means. Other counts that are too small are
 * mistakes of who sends them: they are told, and what was set before stays, which is right. */
static void set_max_eager(uint32_t bytes)
{
	if (bytes == 0)
		bytes = engine.rx_bytes; /* or enabling does it */
	else if (bytes < rx_buffer_bytes(0))
		task_fail(CCLO_RETURN_CODE_EAGER_THRESHOLD_INVALID);
	engine.max_eager = bytes;
}

/* The default is none: scratch buffers may have any size. Where a stale count is sent for both
 * sizes, the second is not above the first, and refused. */
static void set_max_rendezvous(uint32_t bytes)
{
	if (bytes != 0 && bytes <= engine.max_eager)
		task_fail(CCLO_RETURN_CODE_RENDEZVOUS_THRESHOLD_INVALID);
	engine.max_rendezvous = bytes;
}
#endif

#if CCLO_FEATURE_ENGINE_SESSIONS
static uint32_t session_answer(uint32_t status_address, uint32_t failure)
{
	uint32_t status;

	AWAIT(FIELD_OF(SESSION_STATUS_READY, hw_read(status_address)), remote_limit(), failure);
	status = hw_read(status_address);
	if (!FIELD_OF(SESSION_STATUS_SUCCESS, status))
		task_fail(failure);
	return FIELD_OF(SESSION_STATUS_SESSION, status);
}

/* The engine asks for sessions on TCP only; UDP has none. */
static void open_port(void)
{
	comm_use();
	if (hw_read(CCLO_NETWORK_STACK_ADDRESS) != CCLO_STACK_TCP)
		return;
	hw_write(CCLO_SESSIONS_LISTEN_ADDRESS, rank_word(self->rank, CCLO_COMMUNICATORS_PORT_WORD));
	session_answer(CCLO_SESSIONS_LISTEN_STATUS_ADDRESS, CCLO_RETURN_CODE_OPEN_PORT_NOT_SUCCEEDED);
}

static void open_con(void)
{
	comm_use();
	if (hw_read(CCLO_NETWORK_STACK_ADDRESS) != CCLO_STACK_TCP)
		return;
	for (uint32_t rank = 0; rank < self->size; rank++) {
		uint32_t record = self->comm + CCLO_COMMUNICATORS_HEADER_BYTES + rank * CCLO_COMMUNICATORS_RECORD_BYTES;
		uint32_t session;

		if (rank == self->rank)
			continue;
		hw_write(CCLO_SESSIONS_IP_ADDRESS, rank_word(rank, CCLO_COMMUNICATORS_IP_WORD));
		hw_write(CCLO_SESSIONS_CONNECT_ADDRESS, rank_word(rank, CCLO_COMMUNICATORS_PORT_WORD));
		session = session_answer(CCLO_SESSIONS_CONNECT_STATUS_ADDRESS, CCLO_RETURN_CODE_OPEN_CON_NOT_SUCCEEDED);
		hw_write(EXCHANGE(record + 4 * CCLO_COMMUNICATORS_SESSION_WORD), session);
	}
}

/* Only what the engine was built with can be chosen: it says what is there. */
static void set_stack_type(uint32_t count)
{
	hw_write(CCLO_NETWORK_STACK_ADDRESS, count != 0 ? CCLO_STACK_TCP : CCLO_STACK_UDP);
	stack_use();
}
#endif

__attribute__((cold)) void config(struct call *call)
{
	uint32_t count = CALL_WORD(count);

	(void)call;
	tables_changed();
	switch (CALL_WORD(function_code)) {
	case CCLO_CONFIG_FUNCTION_ENABLE_PKT:
		enable();
		break;
	case CCLO_CONFIG_FUNCTION_SET_TIMEOUT:
		set_timeout(count);
		break;
	case CCLO_CONFIG_FUNCTION_RECOVER:
		recover();
		break;
#if CCLO_FEATURE_RENDEZVOUS
	case CCLO_CONFIG_FUNCTION_SET_MAX_EAGER_MSG_SIZE:
		set_max_eager(count);
		break;
	case CCLO_CONFIG_FUNCTION_SET_MAX_RENDEZVOUS_MSG_SIZE:
		set_max_rendezvous(count);
		break;
	case CCLO_CONFIG_FUNCTION_OWN_PEERS:
		peers_are(PEER_SENDS | PEER_TAKES);
		break;
#endif
#if CCLO_FEATURE_ENGINE_SESSIONS
	case CCLO_CONFIG_FUNCTION_OPEN_PORT:
		open_port();
		break;
	case CCLO_CONFIG_FUNCTION_OPEN_CON:
		open_con();
		break;
	case CCLO_CONFIG_FUNCTION_SET_STACK_TYPE:
		set_stack_type(count);
		break;
	case CCLO_CONFIG_FUNCTION_SET_MAX_SEGMENT_SIZE:
		engine.max_segment = count;
		break;
#endif
	default: /* a reset is seen before it gets here */
		task_fail(CCLO_RETURN_CODE_COLLECTIVE_NOT_IMPLEMENTED);
	}
}
