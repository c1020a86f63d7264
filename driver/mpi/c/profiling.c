/* MPI's profiling interface: a library that is loaded before MPI's own (LD_PRELOAD) has the functions that a program
 * calls, and calls those of MPI, PMPI_..., for what engines cannot do. */

#include "engines.h"
#include "requests.h"

#include <stdio.h>
#include <stdlib.h>

static int key = MPI_KEYVAL_INVALID; /* of a communicator's struct ccl_comm */

#define TAG 0x7CC1 /* of messages before the program has any */

static int message(struct ccl_comm *comm, bool sends, int peer, int *values, int n, MPI_Request *request)
{
	return sends ? PMPI_Isend(values, n, MPI_INT, peer, TAG, comm->comm, request)
	             : PMPI_Irecv(values, n, MPI_INT, peer, TAG, comm->comm, request);
}

static int least(struct ccl_comm *comm, int *value)
{
	int own = *value;

	return PMPI_Allreduce(&own, value, 1, MPI_INT, MPI_MIN, comm->comm);
}

static int tell(struct ccl_comm *comm, void *from_rank_0, int bytes)
{
	return PMPI_Bcast(from_rank_0, bytes, MPI_BYTE, 0, comm->comm);
}

static int greatest(struct ccl_comm *comm, const int64_t own[2], int64_t all[2], MPI_Request *request)
{
	return PMPI_Iallreduce(own, all, 2, MPI_INT64_T, MPI_MAX, comm->comm, request);
}

static int test(MPI_Request *request, int *done) { return PMPI_Test(request, done, MPI_STATUS_IGNORE); }

static void progress(struct ccl_comm *comm)
{
	int found;

	(void)comm;
	PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
}

bool ccl_is_predefined(MPI_Datatype type)
{
	int combiner;
#if MPI_VERSION >= 4 /* the function without counts is an error for types that were made of counts */
	MPI_Count integers, addresses, counts, types;
	int code = PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
#else
	int integers, addresses, types, code = PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif

	return code == MPI_SUCCESS && combiner == MPI_COMBINER_NAMED;
}

int ccl_keep(MPI_Datatype *type) { return PMPI_Type_dup(*type, type); }

void ccl_let_go(MPI_Datatype *type) { PMPI_Type_free(type); }

static void released(struct ccl_comm *c) { free(c); }

static int forget(MPI_Comm comm, int of, void *value, void *unused)
{
	(void)comm;
	(void)of;
	(void)unused;
	ccl_comm_end(value);
	return MPI_SUCCESS;
}

/* A communicator as it is known here, from its first use on; NULL if engines serve none, or not this one. */
static struct ccl_comm *known(MPI_Comm mpi)
{
	struct ccl_comm *c;
	int there, inter;

	if (key == MPI_KEYVAL_INVALID || mpi == MPI_COMM_NULL)
		return NULL;
	if (PMPI_Comm_get_attr(mpi, key, &c, &there) != MPI_SUCCESS)
		return NULL;
	if (there)
		return c;
	if (PMPI_Comm_test_inter(mpi, &inter) != MPI_SUCCESS || inter || (c = calloc(1, sizeof *c)) == NULL)
		return NULL;
	c->comm = mpi;
	c->message = message;
	c->least = least;
	c->tell = tell;
	c->greatest = greatest;
	c->test = test;
	c->progress = progress;
	c->released = released;
	PMPI_Comm_rank(mpi, &c->rank);
	PMPI_Comm_size(mpi, &c->size);
	if (PMPI_Comm_set_attr(mpi, key, c) == MPI_SUCCESS)
		return c;
	free(c);
	return NULL;
}

/* The same for a call on it that may wait for others, which is the first such if it was made by a function that is not
 * among those below. */
static struct ccl_comm *begin(MPI_Comm mpi)
{
	struct ccl_comm *c = known(mpi);

	if (c != NULL)
		ccl_comm_begin(c);
	return c;
}

#pragma GCC visibility push(default)

static int begun(int code)
{
	struct ccl_comm *world;
	const char *why;
	int level = MPI_THREAD_SINGLE;

	if (code != MPI_SUCCESS)
		return code;
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
	world = known(MPI_COMM_WORLD);
	if (!ccl_wanted(world)) {
		PMPI_Comm_free_keyval(&key);
		return MPI_SUCCESS;
	}
	PMPI_Query_thread(&level);
	why = ccl_open(world, level == MPI_THREAD_MULTIPLE);
	begin(MPI_COMM_WORLD);
	if (why == NULL)
		return MPI_SUCCESS;
	fprintf(stderr, "cclforge, rank %d of %d: %s\n", world->rank, world->size, why);
	PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
	return MPI_ERR_OTHER;
}

int MPI_Init(int *argc, char ***argv) { return begun(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	return begun(PMPI_Init_thread(argc, argv, required, provided));
}

/* Rank 0 leads the others until none has a collective any more. */
int MPI_Finalize(void)
{
	if (key != MPI_KEYVAL_INVALID) {
		PMPI_Barrier(MPI_COMM_WORLD);
		ccl_close();
	}
	return PMPI_Finalize();
}

/* Functions that make communicators, which all ranks of a new one call, and which may wait for them. */
#define MADE(Name, parameters, arguments)                                                                     \
	int MPI_##Name(CCL_BEFORE parameters MPI_Comm *made)                                                  \
	{                                                                                                     \
		int code = PMPI_##Name(CCL_BEFORE arguments made);                                            \
                                                                                                              \
		if (code == MPI_SUCCESS)                                                                      \
			begin(*made);                                                                         \
		return code;                                                                                  \
	}
MADE(Comm_dup, (MPI_Comm comm), (comm))
MADE(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info))
MADE(Comm_split, (MPI_Comm comm, int color, int order), (comm, color, order))
MADE(Comm_split_type, (MPI_Comm comm, int type, int order, MPI_Info info), (comm, type, order, info))
MADE(Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group))
MADE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag), (comm, group, tag))
MADE(Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder),
     (comm, n, dims, periods, reorder))
MADE(Cart_sub, (MPI_Comm comm, const int remain[]), (comm, remain))
MADE(Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder),
     (comm, n, index, edges, reorder))
MADE(Dist_graph_create, (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                         const int weights[], MPI_Info info, int reorder),
     (comm, n, sources, degrees, destinations, weights, info, reorder))
MADE(Dist_graph_create_adjacent, (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out,
                                  const int destinations[], const int out_weights[], MPI_Info info, int reorder),
     (comm, in, sources, in_weights, out, destinations, out_weights, info, reorder))
MADE(Intercomm_merge, (MPI_Comm comm, int high), (comm, high))

/* Functions that give communicators back: MPICH never does if a request on one is completed by what it calls then. */
#define GIVEN_BACK(Name)                                                                                      \
	int MPI_##Name(MPI_Comm *comm)                                                                        \
	{                                                                                                     \
		struct ccl_comm *c = known(*comm);                                                            \
                                                                                                              \
		if (c != NULL)                                                                                \
			engines_serve(c);                                                                     \
		return PMPI_##Name(comm);                                                                   \
	}
GIVEN_BACK(Comm_free)
GIVEN_BACK(Comm_disconnect)

#define FUNCTIONS(name, MPI_Name, MPI_Iname, parameters, arguments, own)                                      \
	int MPI_Name(CCL_BEFORE parameters MPI_Comm comm)                                                     \
	{                                                                                                     \
		struct ccl_comm *c = begin(comm);                                                             \
		struct ccl_op *made;                                                                          \
		int code = c == NULL ? CCL_FALLBACK : ccl_##name(c, #name, &made CCL_BEHIND own);              \
                                                                                                              \
		if (code == CCL_FALLBACK)                                                                     \
			return P##MPI_Name(CCL_BEFORE arguments comm);                                        \
		return requests_result(comm, code == MPI_SUCCESS ? ccl_do(made) : code);                               \
	}                                                                                                     \
                                                                                                              \
	int MPI_Iname(CCL_BEFORE parameters MPI_Comm comm, MPI_Request *request)                              \
	{                                                                                                     \
		struct ccl_comm *c = known(comm);                                                             \
		struct ccl_op *made;                                                                          \
		int code = c == NULL ? CCL_FALLBACK : ccl_##name(c, "i" #name, &made CCL_BEHIND own);          \
                                                                                                              \
		if (code == CCL_FALLBACK)                                                                     \
			return P##MPI_Iname(CCL_BEFORE arguments comm, request);                              \
		return requests_result(comm, code == MPI_SUCCESS ? requests_new(made, comm, false, request) : code);     \
	}

#define X(name, Name, parameters, arguments, own)                                                             \
	FUNCTIONS(name, MPI_##Name, MPI_I##name, parameters, arguments, own)
CCL_COLLECTIVES(X, int, int)
#undef X

#if MPI_VERSION >= 4
#define PERSISTENT(name, MPI_Name_init, parameters, arguments, own)                                           \
	int MPI_Name_init(CCL_BEFORE parameters MPI_Comm comm, MPI_Info info, MPI_Request *request)           \
	{                                                                                                     \
		struct ccl_comm *c = begin(comm);                                                             \
		struct ccl_op *made;                                                                          \
		int code = c == NULL ? CCL_FALLBACK : ccl_##name(c, #name "_init", &made CCL_BEHIND own);      \
                                                                                                              \
		if (code == CCL_FALLBACK)                                                                     \
			return P##MPI_Name_init(CCL_BEFORE arguments comm, info, request);                    \
		return requests_result(comm, code == MPI_SUCCESS ? requests_new(made, comm, true, request) : code);      \
	}

#define X(name, Name, parameters, arguments, own)                                                             \
	PERSISTENT(name, MPI_##Name##_init, parameters, arguments, own)
CCL_COLLECTIVES(X, int, int)
#undef X

#define X(name, Name, parameters, arguments, own)                                                             \
	FUNCTIONS(name, MPI_##Name##_c, MPI_I##name##_c, parameters, arguments, own)                           \
	PERSISTENT(name, MPI_##Name##_init_c, parameters, arguments, own)
CCL_COUNTING(X, MPI_Count, MPI_Aint)
#endif
