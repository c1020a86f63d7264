#include "operations.h"

#include "engines.h"
#include "meeting.h"
#include "statistics.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Bytes of all blocks of one operation of engines; what is longer is done piece by piece. */
#define PIECE ((size_t)16 << 20)

/* Between two looks after MPI's messages while a rank waits for others: none for some, then at first, and at last. */
#define LOOKS 200
#define SPINS 500 /* in memory, before the first look */
#define LOOK_NS 50000
#define SELDOM_NS 1000000

static const char no_memory[] = "there is no memory for the data of a collective";

struct step {
	struct step *next;
	const char *(*run)(struct ccl_comm *c, const struct step *s);
	struct job job;
	int to, from;
	const char *out;
	char *in;
	size_t out_bytes, in_bytes;
};

struct ccl_op {
	struct ccl_op *next; /* that was started */
	struct ccl_comm *c;
	const char *name;
	char type[MPI_MAX_OBJECT_NAME];
	size_t bytes;
	struct row *rows;
	struct step *steps, **last;
	bool lacks;     /* memory */
	int code;       /* an error of MPI */
	char *text;     /* an error of engines */
	uint64_t number; /* among those of its communicator, and of how often it was started: only the first has an order */
	bool has_gone;  /* all ranks have come */
	atomic_bool is_over;
};

/* Operations that were started. The thread does them in the order in which all ranks have come to them, which is the
 * same on all ranks: so none waits for one that waits for it, whatever the order of calls on different communicators,
 * and however many threads make them. */
static struct ccl_op *started;
static bool has_threads; /* of the program, that call MPI at the same time */
static char *volatile broken; /* nothing can be done any more, and why */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_t worker;

/* Made of nothing, where there is no memory. */
static struct row no_row;

struct ccl_op *operation_new(struct ccl_comm *c, const char *name, MPI_Datatype type)
{
	struct ccl_op *o = calloc(1, sizeof *o);

	if (o == NULL)
		return NULL;
	o->c = c;
	o->name = name;
	o->last = &o->steps;
	o->number = c->calls++ << 32;
	statistics_name(type, o->type);
	return o;
}

struct row *operation_row(struct ccl_op *o, const void *buf, MPI_Count n, MPI_Datatype type, int use)
{
	struct row *r = calloc(1, sizeof *r);
	bool is_own = ccl_is_predefined(type);
	MPI_Aint lower;

	if (r == NULL) {
		o->lacks = true;
		return &no_row;
	}
	*r = (struct row){ .next = o->rows, .buf = (void *)buf, .n = n, .type = type, .use = use };
	o->rows = r;
	PMPI_Type_size_x(type, &r->size);
	PMPI_Type_get_extent(type, &lower, &r->extent);
	r->length = (size_t)(n * r->size);
	r->bytes = r->buf;
	if (r->length == 0 || (lower == 0 && r->extent == r->size && is_own && !(use & ROW_COPIED)))
		return r;
	r->bytes = r->copy = malloc(r->length);
	if (r->copy == NULL) {
		o->lacks = true;
		r->length = 0;
	} else if (!is_own)
		r->is_kept = ccl_keep(&r->type) == MPI_SUCCESS;
	return r;
}

/* A row that is neither read nor written. */
char *operation_memory(struct ccl_op *o, size_t bytes)
{
	struct row *r = operation_row(o, NULL, (MPI_Count)bytes, MPI_BYTE, ROW_COPIED);

	if (r->copy != NULL)
		memset(r->copy, 0, bytes);
	return r->copy;
}

/* What MPI counts in bytes of a message: before MPI 4, it has no functions for more. */
#if MPI_VERSION >= 4
typedef MPI_Count message_bytes;
#define PACK PMPI_Pack_c
#define UNPACK PMPI_Unpack_c
#define MOST INT64_MAX
#else
typedef int message_bytes;
#define PACK PMPI_Pack
#define UNPACK PMPI_Unpack
#define MOST INT_MAX
#endif

/* Packs the elements, or unpacks them, so many at a time that int counts their bytes, or one. */
static int convert(struct row *r, bool pack)
{
	MPI_Count some = r->size == 0 || r->size > INT_MAX / 2 ? 1 : (INT_MAX / 2) / r->size;
	int code = MPI_SUCCESS;

	if (r->copy == NULL)
		return MPI_SUCCESS;
	if (r->size > MOST)
		return engines_error("an element of a collective has more bytes than a message of MPI may have");
	for (MPI_Count at = 0; at < r->n && code == MPI_SUCCESS; at += some) {
		message_bytes n = (message_bytes)(r->n - at < some ? r->n - at : some), position = 0;
		message_bytes bytes = (message_bytes)(n * r->size);
		char *elements = (char *)r->buf + at * r->extent, *row = r->copy + at * r->size;

		code = pack ? PACK(elements, n, r->type, row, bytes, &position, MPI_COMM_SELF)
		            : UNPACK(row, bytes, &position, elements, n, r->type, MPI_COMM_SELF);
	}
	return code;
}

static int convert_all(struct ccl_op *o, int use)
{
	int code = o->lacks ? engines_error(no_memory) : MPI_SUCCESS;

	for (struct row *r = o->rows; r != NULL && code == MPI_SUCCESS; r = r->next)
		if (r->use & use)
			code = convert(r, use == ROW_READ);
	return code;
}

static void add(struct ccl_op *o, struct step step)
{
	struct step *s = malloc(sizeof *s);

	if (s == NULL) {
		o->lacks = true;
		return;
	}
	*s = step;
	*o->last = s;
	o->last = &s->next;
}

static const char *issue(struct ccl_comm *c, const struct job *j, const char *src, char *dst, size_t bytes)
{
	cclf_call call = {
		.operation = j->operation, .type = j->type, .reduction = j->function, .peer = j->root, .count = bytes / j->unit,
		.src = (void *)src, .dst = dst,
	};

	return engines_run(c, &call);
}

/* Runs the operation on a part of each block, through memory of its own. */
static const char *piece(struct ccl_comm *c, const struct job *j, char *own, size_t at, size_t length)
{
	size_t padded = (length + j->unit - 1) / j->unit * j->unit;
	char *to = j->dst == j->src ? own : own + padded * (size_t)j->src_blocks;
	const char *error;

	for (int b = 0; b < j->src_blocks; b++)
		memcpy(own + (size_t)b * padded, j->src + (size_t)b * j->bytes + at, length);
	error = issue(c, j, own, to, padded);
	for (int b = 0; b < j->dst_blocks && error == NULL; b++)
		memcpy(j->dst + (size_t)b * j->bytes + at, to + (size_t)b * padded, length);
	return error;
}

static const char *run_job(struct ccl_comm *c, const struct step *s)
{
	const struct job *j = &s->job;
	size_t most = PIECE / (size_t)j->blocks / j->unit * j->unit, padded;
	const char *error = NULL;
	char *own;

	if (j->operation == CCLF_BARRIER || (j->bytes % j->unit == 0 && j->bytes <= most))
		return issue(c, j, j->src, j->dst, j->bytes);
	if (most == 0)
		most = j->unit;
	padded = (j->bytes < most ? j->bytes + j->unit : most);
	own = malloc(padded * (size_t)(j->src_blocks + j->dst_blocks) + 1);
	if (own == NULL)
		return no_memory;
	for (size_t at = 0; at < j->bytes && error == NULL; at += most)
		error = piece(c, j, own, at, j->bytes - at < most ? j->bytes - at : most);
	free(own);
	return error;
}

void operation_job(struct ccl_op *o, struct job job)
{
	if (job.bytes != 0 || job.operation == CCLF_BARRIER)
		add(o, (struct step){ .run = run_job, .job = job });
}

static const char *run_exchange(struct ccl_comm *c, const struct step *s)
{
	const char *error = NULL;

	for (size_t at = 0; error == NULL && (at < s->out_bytes || at < s->in_bytes); at += PIECE) {
		size_t left = at < s->out_bytes ? s->out_bytes - at : 0, room = at < s->in_bytes ? s->in_bytes - at : 0;

		error = engines_exchange(c, s->to, s->out + at, left < PIECE ? left : PIECE, s->from, s->in + at,
		                         room < PIECE ? room : PIECE);
	}
	return error;
}

void operation_exchange(struct ccl_op *o, int to, const char *out, size_t out_bytes, int from, char *in,
                        size_t in_bytes)
{
	if (out_bytes != 0 || in_bytes != 0)
		add(o, (struct step){ .run = run_exchange, .to = to, .out = out, .out_bytes = out_bytes, .from = from, .in = in,
		                      .in_bytes = in_bytes });
}

static const char *run_copy(struct ccl_comm *c, const struct step *s)
{
	(void)c;
	memmove(s->in, s->out, s->in_bytes);
	return NULL;
}

void operation_copy(struct ccl_op *o, char *to, const char *from, size_t bytes)
{
	if (bytes != 0)
		add(o, (struct step){ .run = run_copy, .in = to, .out = from, .in_bytes = bytes });
}

void operation_count(struct ccl_op *o, size_t bytes) { o->bytes += bytes; }

/* With the lock held. */
static void over(struct ccl_op *o, const char *error)
{
	struct ccl_comm *c = o->c;
	struct ccl_op **at = &started;

	while (*at != NULL && *at != o)
		at = &(*at)->next;
	if (*at == NULL)
		return; /* is over already */
	*at = o->next;
	if (error != NULL)
		o->text = strdup(error);
	if (--c->pending == 0 && c->ended)
		engines_comm_end(c);
	o->is_over = true; /* the program may free it now */
	pthread_cond_broadcast(&changed);
}

/* Starts one whose elements are rows. */
static void start(struct ccl_op *o)
{
	const char *error;

	o->has_gone = o->is_over = false;
	pthread_mutex_lock(&lock);
	o->number++;
	o->c->pending++;
	o->next = started;
	started = o;
	error = broken;
	pthread_mutex_unlock(&lock);
	if (error == NULL)
		error = engines_arrive(o->c, o->number);
	if (error == NULL)
		return;
	pthread_mutex_lock(&lock);
	over(o, error);
	pthread_mutex_unlock(&lock);
}

void ccl_start(struct ccl_op *o)
{
	/* An operation that fails here starts nevertheless: others wait for this rank. */
	o->code = convert_all(o, ROW_READ);
	start(o);
}

bool ccl_is_over(const struct ccl_op *o) { return o->is_over; }

int ccl_end(struct ccl_op *o)
{
	int code = o->code;

	if (code == MPI_SUCCESS)
		code = o->text == NULL ? convert_all(o, ROW_WRITTEN) : engines_error(o->text);
	if (code == MPI_SUCCESS)
		statistics_done(o->name, o->type, o->bytes);
	free(o->text);
	o->text = NULL;
	return code;
}

void ccl_free(struct ccl_op *o)
{
	for (struct row *r = o->rows, *next; r != NULL; r = next) {
		next = r->next;
		if (r->is_kept)
			ccl_let_go(&r->type);
		free(r->copy);
		free(r);
	}
	for (struct step *s = o->steps, *next; s != NULL; s = next) {
		next = s->next;
		free(s);
	}
	free(o->text);
	free(o);
}

/* Waits a while for an operation. Until all ranks have come to it some may need messages of MPI from this one. */
static void wait_for(struct ccl_op *o, long ns)
{
	struct timespec end;

	pthread_mutex_lock(&lock);
	while (!o->is_over && o->has_gone)
		pthread_cond_wait(&changed, &lock);
	if (!o->is_over) {
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += ns;
		end.tv_sec += end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&changed, &lock, &end);
	}
	pthread_mutex_unlock(&lock);
}

/* Does the steps of an operation to which all ranks have come. */
static const char *perform(struct ccl_op *o)
{
	const char *error = NULL;

	for (struct step *s = o->steps; s != NULL && error == NULL && o->code == MPI_SUCCESS; s = s->next)
		error = s->run(o->c, s);
	return error;
}

bool ccl_look(struct ccl_op *o)
{
	o->c->progress(o->c);
	wait_for(o, LOOK_NS);
	return o->is_over;
}

void ccl_wait(struct ccl_op *o)
{
	for (long ns = LOOK_NS; !o->is_over; ns = ns < SELDOM_NS ? 2 * ns : ns) {
		o->c->progress(o->c);
		wait_for(o, ns);
	}
}

/* Lets others have the processor between two looks: engines may be emulated there. */
static void pass(int looks)
{
	const struct timespec moment = { .tv_nsec = LOOK_NS };

	if (looks < LOOKS)
		sched_yield();
	else
		nanosleep(&moment, NULL);
}

const char *operations_await(struct ccl_comm *c, MPI_Request *request)
{
	int done = 0;

	for (int looks = 0; broken == NULL && c->test(request, &done) == MPI_SUCCESS && !done; looks++)
		pass(looks);
	return done ? NULL : broken != NULL ? broken : "the ranks could not agree by messages of MPI";
}

/* Meets the other ranks, in memory or by messages of MPI, and learns whether any says that an order is needed. */
static const char *meet(struct ccl_comm *c, bool *order)
{
	MPI_Request request = MPI_REQUEST_NULL;
	const char *error;

	c->own[0] = *order;
	if (c->place == 0) {
		if (c->greatest(c, c->own, c->all, &request) != MPI_SUCCESS)
			return "the ranks cannot meet by messages of MPI";
		error = operations_await(c, &request);
		*order = c->all[0] != 0;
		return error;
	}
	meeting_come(c->place, c->rank, ++c->met, *order);
	for (int rank = 0, looks = 0; rank < c->size;)
		if (meeting_has_come(c->place, rank, c->met, order))
			rank++;
		else if (broken != NULL)
			return broken;
		else if (looks++ >= SPINS) {
			c->progress(c);
			pass(looks - SPINS);
		}
	return NULL;
}

/* Where no rank has started anything else, and none can, no order is needed: all ranks meet in a faster way, and do
 * the steps at once. */
int ccl_do(struct ccl_op *o)
{
	bool order;
	const char *error;
	int code;

	o->code = convert_all(o, ROW_READ);
	pthread_mutex_lock(&lock);
	order = started != NULL || has_threads;
	pthread_mutex_unlock(&lock);
	error = meet(o->c, &order);
	if (error != NULL)
		o->text = strdup(error);
	else if (!order) {
		error = perform(o);
		if (error != NULL)
			o->text = strdup(error);
	} else {
		start(o);
		ccl_wait(o);
	}
	code = ccl_end(o);
	ccl_free(o);
	return code;
}

static void *work(void *unused)
{
	int64_t id;
	uint64_t number;
	const char *error;

	while ((error = engines_arrived(&id, &number)) == NULL) {
		struct ccl_op *o;

		pthread_mutex_lock(&lock);
		o = started;
		while (o != NULL && (o->c->id != id || o->number != number))
			o = o->next;
		if (o != NULL) {
			o->has_gone = true;
			pthread_cond_broadcast(&changed);
		}
		pthread_mutex_unlock(&lock);
		if (o == NULL)
			continue;
		error = perform(o);
		pthread_mutex_lock(&lock);
		over(o, error);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	broken = strdup(error);
	while (started != NULL)
		over(started, error);
	pthread_mutex_unlock(&lock);
	return unused;
}

/* Signals are for the threads of the program. */
const char *operations_open(bool threads)
{
	sigset_t all, before;
	int failed;

	has_threads = threads;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&worker, NULL, work, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return failed ? "there is no thread for collectives" : NULL;
}

void operations_close(void) { pthread_join(worker, NULL); }

void ccl_comm_end(struct ccl_comm *c)
{
	if (c->state == CCL_ASKED)
		operations_await(c, &c->asked);
	pthread_mutex_lock(&lock);
	c->ended = true;
	if (c->pending == 0)
		engines_comm_end(c);
	pthread_mutex_unlock(&lock);
}
