#include "engines.h"

#include "meeting.h"
#include "operations.h"
#include "statistics.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(a) ((int)(sizeof(a) / sizeof((a)[0])))

int engines_word, engines_word_bytes;

static cclf_world world;
static cclf_comm all; /* the communicator of the world */
static const struct ccl_comm *whole; /* MPI_COMM_WORLD */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0';
}

/* Why a world that is wanted cannot be opened: some ranks have not heard of it. */
static char unheard[160];

/* How long a rank may take to say that it is here, in seconds. */
#define PATIENCE 30

static bool await(struct ccl_comm *c, MPI_Request *request, time_t until)
{
	struct timespec now;
	int done = 0;

	while (c->test(request, &done) == MPI_SUCCESS && !done) {
		if (clock_gettime(CLOCK_MONOTONIC, &now) != 0 || now.tv_sec >= until)
			return false;
		c->progress(c);
		usleep(20);
	}
	return done != 0;
}

/* The first rank with a world, without one, and that has not loaded this; the size if there is none. */
struct heard {
	int with, without, missing;
};

/* Rank 0 asks all others, and tells those that have answered. */
static bool lead(struct ccl_comm *c, int own, struct heard *all, time_t until)
{
	MPI_Request *requests = calloc((size_t)c->size, sizeof *requests);
	int *has = calloc((size_t)c->size, sizeof *has);
	bool is_well = requests != NULL && has != NULL;

	for (int i = 1; is_well && i < c->size; i++)
		is_well = c->message(c, false, i, &has[i], 1, &requests[i]) == MPI_SUCCESS;
	for (int i = c->size - 1; is_well && i >= 0; i--) {
		if (i > 0 && !await(c, &requests[i], until)) {
			has[i] = -1;
			all->missing = i;
		} else if (i == 0 ? own : has[i])
			all->with = i;
		else
			all->without = i;
	}
	for (int i = 1; is_well && i < c->size; i++)
		is_well = has[i] == -1 || (c->message(c, true, i, &all->with, 3, &requests[i]) == MPI_SUCCESS &&
		                           await(c, &requests[i], until + PATIENCE));
	if (is_well && all->missing == c->size) { /* or else something may still come */
		free(requests);
		free(has);
	}
	return is_well;
}

static bool follow(struct ccl_comm *c, int own, struct heard *all, time_t until)
{
	MPI_Request request;

	if (c->message(c, true, 0, &own, 1, &request) != MPI_SUCCESS || !await(c, &request, until) ||
	    c->message(c, false, 0, &all->with, 3, &request) != MPI_SUCCESS)
		return false;
	if (!await(c, &request, until + PATIENCE)) /* so long rank 0 may wait for others */
		all->missing = 0;
	return true;
}

bool ccl_wanted(struct ccl_comm *c)
{
	static struct heard of; /* also after a message that comes too late */
	struct timespec now = { .tv_sec = 0 };
	bool own = is_set("CCLFORGE_WORLD");

	of = (struct heard){ c->size, c->size, c->size };
	clock_gettime(CLOCK_MONOTONIC, &now);
	/* A collective would not do: a rank that has not loaded this would take it for one of the program's. */
	if (!(c->rank == 0 ? lead : follow)(c, own, &of, now.tv_sec + PATIENCE))
		strcpy(unheard, "the ranks could not agree on whether they have a world");
	else if (of.missing < c->size)
		snprintf(unheard, sizeof unheard,
		         "rank %d has not loaded this library: give all ranks what cclforge mpi prints, as mpirun -x does",
		         of.missing);
	else if (of.with < c->size && of.without < c->size)
		snprintf(unheard, sizeof unheard,
		         "CCLFORGE_WORLD is set on rank %d and not on rank %d: give it to all ranks, as mpirun -x does",
		         of.with, of.without);
	return of.with < c->size || unheard[0] != '\0';
}

/* A port that is free now. */
static int free_port(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t length = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM, 0);

	if (s < 0 || bind(s, (struct sockaddr *)&a, length) != 0 || getsockname(s, (struct sockaddr *)&a, &length) != 0)
		a.sin_port = 0;
	if (s >= 0)
		close(s);
	return ntohs(a.sin_port);
}

/* What all ranks must know of where they meet: rank 0 says it, unless the environment does. */
static const char *meet(struct ccl_comm *c)
{
	struct {
		char host[256], secret[33], memory[48];
		int port;
	} at = { .port = 0 };
	char own[sizeof at.host] = "", text[sizeof at.host + 16];
	unsigned char random[16];
	int same_host, same_memory, code;

	gethostname(own, sizeof own - 1);
	if (c->rank == 0) {
		strcpy(at.host, own);
		at.port = free_port();
		if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
			at.port = 0;
		for (int i = 0; i < LENGTH(random); i++)
			sprintf(at.secret + 2 * i, "%02x", random[i]);
		snprintf(at.memory, sizeof at.memory, "/cclforge-mpi-%d-%d", (int)getpid(), at.port);
		same_memory = meeting_open(at.memory, true);
	}
	if (c->tell(c, &at, sizeof at) != MPI_SUCCESS)
		return "rank 0 could not tell the others where to meet";
	same_host = strcmp(at.host, own) == 0;
	if (c->least(c, &same_host) != MPI_SUCCESS)
		return "the ranks could not agree on where to meet";
	if (c->rank != 0)
		same_memory = same_host && meeting_open(at.memory, false);
	code = c->least(c, &same_memory);
	if (c->rank == 0)
		meeting_unlink(at.memory);
	if (!same_memory)
		meeting_close();
	if (code != MPI_SUCCESS)
		return "the ranks could not agree on memory in which to meet";
	if (at.port == 0)
		return "rank 0 has no free port or no random numbers";
	snprintf(text, sizeof text, "%s:%d", same_host ? "127.0.0.1" : at.host, at.port);
	setenv("CCLFORGE_MEET", text, 0);
	if (!is_set("CCLFORGE_SECRET_FILE"))
		setenv("CCLFORGE_SECRET", at.secret, 0);
	snprintf(text, sizeof text, "%d", c->rank);
	setenv("CCLFORGE_RANK", text, 0);
	snprintf(text, sizeof text, "%d", c->size);
	setenv("CCLFORGE_SIZE", text, 0);
	return NULL;
}

const char *ccl_open(struct ccl_comm *c, bool threads)
{
	static const char *const words[] = { "int32", "float32", "int64", "float64", "float16", "bfloat16" };
	const char *why = unheard[0] != '\0' ? unheard : c->size > 1 ? meet(c) : NULL;

	whole = c;
	if (why != NULL || c->size == 1)
		return why;
	if (cclf_open(CCLF_BUILD, NULL, &world) != CCLF_OK || cclf_comm_world(world, 0, &all) != CCLF_OK)
		return cclf_error_text();
	for (int i = 0; i < LENGTH(words) && engines_word == 0; i++)
		if (cclf_type(all, words[i], &engines_word, &engines_word_bytes) != CCLF_OK)
			engines_word = 0;
	if (engines_word == 0)
		return "the platform has no type in which data can be moved";
	return operations_open(threads);
}

void ccl_close(void)
{
	if (world == 0)
		return;
	cclf_close(world);
	operations_close();
	if (whole->rank == 0)
		statistics_print();
	meeting_close();
	world = all = 0;
}

/* The ranks of a communicator in the world. */
static int *ranks_of(const struct ccl_comm *c)
{
	int *own = malloc((size_t)c->size * sizeof *own), *in_world = malloc((size_t)c->size * sizeof *in_world);
	MPI_Group group = MPI_GROUP_NULL, of_all = MPI_GROUP_NULL;

	if (own == NULL || in_world == NULL) {
		free(own);
		free(in_world);
		return NULL;
	}
	for (int i = 0; i < c->size; i++)
		own[i] = i;
	/* MPI_COMM_WORLD begins before MPI's own functions can be called. */
	if (c == whole)
		memcpy(in_world, own, (size_t)c->size * sizeof *own);
	else if (PMPI_Comm_group(c->comm, &group) != MPI_SUCCESS ||
	         PMPI_Comm_group(MPI_COMM_WORLD, &of_all) != MPI_SUCCESS ||
	         PMPI_Group_translate_ranks(group, c->size, own, of_all, in_world) != MPI_SUCCESS) {
		free(in_world);
		in_world = NULL;
	}
	if (group != MPI_GROUP_NULL)
		PMPI_Group_free(&group);
	if (of_all != MPI_GROUP_NULL)
		PMPI_Group_free(&of_all);
	free(own);
	return in_world;
}

/* What a rank says instead of a place, if its engine does not serve a communicator. */
#define NO_ENGINES INT64_MAX

void ccl_comm_begin(struct ccl_comm *c)
{
	static int made; /* communicators whose rank 0 is this one */
	int *ranks;

	if (c->state != CCL_UNTRIED)
		return;
	c->state = CCL_NOT_ON_ENGINES;
	c->why = "one rank";
	if (c->size == 1)
		return;
	c->why = "a process that has joined later";
	ranks = ranks_of(c);
	for (int i = 0; ranks != NULL && i < c->size; i++)
		if (ranks[i] == MPI_UNDEFINED || all == 0) {
			free(ranks);
			return;
		}
	/* What one rank cannot do, none does. */
	pthread_mutex_lock(&lock);
	c->own[0] = c->rank == 0 ? (int64_t)whole->rank << 32 | ++made : -1;
	pthread_mutex_unlock(&lock);
	c->own[1] = c->rank == 0 ? meeting_place(c->size) : 0;
	if (ranks == NULL || cclf_comm_create(all, c->size, ranks, &c->engines) != CCLF_OK)
		c->own[1] = NO_ENGINES;
	free(ranks);
	c->why = "no agreement of its ranks";
	if (c->greatest(c, c->own, c->all, &c->asked) == MPI_SUCCESS)
		c->state = CCL_ASKED;
}

bool engines_serve(struct ccl_comm *c)
{
	if (c->state == CCL_ASKED) {
		c->state = CCL_NOT_ON_ENGINES;
		if (operations_await(c, &c->asked) == NULL) {
			c->why = "no room for another communicator";
			c->id = c->all[0];
			if (c->all[1] != NO_ENGINES) {
				c->state = CCL_ON_ENGINES;
				c->place = c->all[1];
			}
		}
	}
	if (c->state == CCL_UNTRIED)
		c->why = "a communicator without a blocking collective so far";
	return c->state == CCL_ON_ENGINES;
}

void engines_comm_end(struct ccl_comm *c)
{
	if (c->engines != 0)
		cclf_comm_free(c->engines);
	c->engines = 0;
	if (c->released != NULL)
		c->released(c);
}

/* Whether the platform can make a call, which is the same on all ranks: what a call without elements says. */
static bool can(int operation, int type, int function)
{
	enum { UNKNOWN, CAN, CANNOT };
	static unsigned char known[32][16][8];
	cclf_call call = { .operation = operation, .type = type, .reduction = function };
	cclf_request request = 0;
	unsigned char *it = &known[operation % 32][type % 16][function % 8];

	if (*it == UNKNOWN) {
		*it = cclf_prepare(all, &call, &request) == CCLF_OK ? CAN : CANNOT;
		cclf_request_free(&request);
	}
	return *it == CAN;
}

const char *engines_operation(int operation)
{
	return can(operation, engines_word, 0) ? NULL : "not an operation of the platform";
}

/* Types of MPI whose elements are those of an engine. Sums and products of unsigned integers are those of signed. */
static const struct {
	MPI_Datatype type;
	const char *name;
	bool is_unsigned;
} types[] = {
	{ MPI_FLOAT, "float32", false },       { MPI_DOUBLE, "float64", false },     { MPI_INT, "int", false },
	{ MPI_LONG, "int", false },            { MPI_LONG_LONG, "int", false },      { MPI_INT32_T, "int", false },
	{ MPI_INT64_T, "int", false },         { MPI_UNSIGNED, "int", true },        { MPI_UNSIGNED_LONG, "int", true },
	{ MPI_UNSIGNED_LONG_LONG, "int", true }, { MPI_UINT32_T, "int", true },      { MPI_UINT64_T, "int", true },
	{ MPI_INTEGER, "int", false },         { MPI_REAL, "float32", false },
	{ MPI_DOUBLE_PRECISION, "float64", false },
};

static const struct {
	MPI_Op op;
	int function;
	bool also_unsigned;
} functions[] = {
	{ MPI_SUM, CCLF_SUM, true }, { MPI_PROD, CCLF_PROD, true },
	{ MPI_MAX, CCLF_MAX, false }, { MPI_MIN, CCLF_MIN, false },
};

const char *engines_reduction(int operation, MPI_Datatype type, MPI_Op op, int *own_type, int *function,
                              size_t *bytes)
{
	int t = 0, f = 0, size = 0;

	while (t < LENGTH(types) && types[t].type != type)
		t++;
	while (f < LENGTH(functions) && functions[f].op != op)
		f++;
	if (t == LENGTH(types))
		return "no type of engines";
	if (f == LENGTH(functions) || (types[t].is_unsigned && !functions[f].also_unsigned))
		return "no reduction of engines";
	PMPI_Type_size(type, &size);
	*function = functions[f].function;
	*bytes = (size_t)size;
	if (strcmp(types[t].name, "int") == 0)
		*own_type = size == 4 ? CCLF_INT32 : CCLF_INT64;
	else
		*own_type = size == 4 ? CCLF_FLOAT32 : CCLF_FLOAT64;
	return can(operation, *own_type, *function) ? NULL : "not a reduction of the platform";
}

int engines_error(const char *text)
{
	static int class = -1;
	char cut[MPI_MAX_ERROR_STRING];
	int code = MPI_ERR_OTHER;

	snprintf(cut, sizeof cut, "cclforge: %s", text);
	pthread_mutex_lock(&lock);
	if (class != -1 || PMPI_Add_error_class(&class) == MPI_SUCCESS) {
		PMPI_Add_error_code(class, &code);
		PMPI_Add_error_string(code, cut);
	}
	pthread_mutex_unlock(&lock);
	return code;
}

static const char *error_of(int code) { return code == CCLF_OK ? NULL : cclf_error_text(); }

const char *engines_arrive(struct ccl_comm *c, uint64_t number)
{
	return error_of(cclf_arrive(world, (uint64_t)c->id, number, c->size));
}

const char *engines_arrived(int64_t *id, uint64_t *number)
{
	return error_of(cclf_arrived(world, (uint64_t *)id, number));
}

const char *engines_run(struct ccl_comm *c, const cclf_call *call) { return error_of(cclf_run(c->engines, call)); }

/* Bytes of a message as words: the program's own, or a copy with a full last word. */
struct words {
	char *bytes, *copy;
	size_t count;
};

static bool words_of(struct words *w, const char *bytes, size_t n)
{
	size_t unit = (size_t)engines_word_bytes;

	*w = (struct words){ .bytes = (char *)bytes, .count = (n + unit - 1) / unit };
	if (n % unit == 0)
		return true;
	w->bytes = w->copy = calloc(w->count, unit);
	return w->copy != NULL;
}

const char *engines_exchange(struct ccl_comm *c, int to, const char *out, size_t out_bytes, int from, char *in,
                             size_t in_bytes)
{
	cclf_request sent = 0, got = 0;
	struct words o, i = { .copy = NULL };
	const char *error = NULL, *second;

	if (!words_of(&o, out, to >= 0 ? out_bytes : 0) || !words_of(&i, in, from >= 0 ? in_bytes : 0)) {
		free(o.copy);
		return "there is no memory for the data of a collective";
	}
	if (o.copy != NULL)
		memcpy(o.copy, out, out_bytes);
	if (i.count != 0) {
		cclf_call call = {
			.operation = CCLF_RECV, .type = engines_word, .peer = from, .count = i.count, .dst = i.bytes,
		};

		error = error_of(cclf_start(c->engines, &call, &got));
	}
	if (o.count != 0 && error == NULL) {
		cclf_call call = {
			.operation = CCLF_SEND, .type = engines_word, .peer = to, .count = o.count, .src = o.bytes,
		};

		error = error_of(cclf_start(c->engines, &call, &sent));
	}
	/* Both end, with an error if not otherwise: the engine has their memory until then. */
	second = error_of(cclf_wait(&sent));
	if (second != NULL)
		error = second;
	second = error_of(cclf_wait(&got));
	if (second != NULL)
		error = second;
	if (i.copy != NULL && error == NULL)
		memcpy(in, i.copy, in_bytes);
	free(o.copy);
	free(i.copy);
	return error;
}
