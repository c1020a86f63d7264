/* MPI's profiling interface: a library that is loaded before MPI's own (LD_PRELOAD) has the functions that a program
 * calls, and calls those of MPI, PMPI_..., for what engines cannot do. */

#include "collectives.h"
#include "statistics.h"

#include <stdio.h>
#include <stdlib.h>

static int key = MPI_KEYVAL_INVALID; /* of a communicator's struct ccl_comm */

static int least(struct ccl_comm *comm, int *value)
{
	int own = *value;

	return PMPI_Allreduce(&own, value, 1, MPI_INT, MPI_MIN, comm->comm);
}

static int tell(struct ccl_comm *comm, void *from_rank_0, int bytes)
{
	return PMPI_Bcast(from_rank_0, bytes, MPI_BYTE, 0, comm->comm);
}

static int arrive(struct ccl_comm *comm) { return PMPI_Barrier(comm->comm); }

bool ccl_is_predefined(MPI_Datatype type)
{
	int integers, addresses, types, combiner;

	return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
	       combiner == MPI_COMBINER_NAMED;
}

static int forget(MPI_Comm comm, int of, void *value, void *unused)
{
	(void)comm;
	(void)of;
	(void)unused;
	ccl_comm_end(value);
	free(value);
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
	c->least = least;
	c->tell = tell;
	c->arrive = arrive;
	PMPI_Comm_rank(mpi, &c->rank);
	PMPI_Comm_size(mpi, &c->size);
	if (PMPI_Comm_set_attr(mpi, key, c) == MPI_SUCCESS)
		return c;
	free(c);
	return NULL;
}

#pragma GCC visibility push(default)

static int begun(int code)
{
	const char *why;

	if (code != MPI_SUCCESS || !ccl_wanted())
		return code;
	PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
	why = ccl_open(known(MPI_COMM_WORLD));
	if (why == NULL)
		return MPI_SUCCESS;
	fprintf(stderr, "cclforge: %s\n", why);
	PMPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
	return MPI_ERR_OTHER;
}

int MPI_Init(int *argc, char ***argv) { return begun(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	return begun(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize(void)
{
	if (key != MPI_KEYVAL_INVALID)
		ccl_close();
	return PMPI_Finalize();
}

/* Parameters or arguments of a function, before others or behind others. */
#define BEFORE(...) __VA_ARGS__ __VA_OPT__(, )
#define BEHIND(...) __VA_OPT__(, ) __VA_ARGS__

#define X(name, Name, parameters, arguments)                                                                  \
	int MPI_##Name(BEFORE parameters MPI_Comm comm)                                                       \
	{                                                                                                     \
		struct ccl_comm *c = known(comm);                                                             \
		int code = c == NULL ? CCL_FALLBACK : ccl_##name(c BEHIND arguments);                         \
                                                                                                              \
		if (code == CCL_FALLBACK)                                                                     \
			return PMPI_##Name(BEFORE arguments comm);                                            \
		if (code != MPI_SUCCESS)                                                                      \
			PMPI_Comm_call_errhandler(comm, code);                                                \
		return code;                                                                                  \
	}                                                                                                     \
                                                                                                              \
	int MPI_I##name(BEFORE parameters MPI_Comm comm, MPI_Request *request)                                \
	{                                                                                                     \
		statistics_fallback("i" #name, "not blocking");                                                        \
		return PMPI_I##name(BEFORE arguments comm, request);                                          \
	}
CCL_COLLECTIVES(X)
#undef X

#if MPI_VERSION >= 4
#define X(name, Name, parameters, arguments)                                                                  \
	int MPI_##Name##_init(BEFORE parameters MPI_Comm comm, MPI_Info info, MPI_Request *request)           \
	{                                                                                                     \
		statistics_fallback(#name "_init", "persistent");                                                      \
		return PMPI_##Name##_init(BEFORE arguments comm, info, request);                              \
	}
CCL_COLLECTIVES(X)
#endif
