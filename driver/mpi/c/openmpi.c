/* A component of Open MPI's framework coll. It goes before the others on each communicator, and hands what engines
 * cannot do to the functions that were there before. */

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/coll/base/base.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/runtime/mpiruntime.h>

#include "collectives.h"
#include "statistics.h"

#include <stdio.h>

#define PRIORITY 95 /* those of Open MPI end at 90 */

typedef mca_coll_base_module_t base_module;
typedef struct ompi_communicator_t communicator;

typedef struct {
	base_module super;
	struct ccl_comm comm;
	/* The functions that were there before, whose modules this one keeps. */
#define X(name, Name, parameters, arguments)                                                                  \
	mca_coll_base_module_##name##_fn_t name;                                                              \
	base_module *name##_module;                                                                           \
	mca_coll_base_module_i##name##_fn_t i##name;                                                          \
	base_module *i##name##_module;                                                                        \
	mca_coll_base_module_##name##_init_fn_t name##_init;                                                  \
	base_module *name##_init_module;
	CCL_COLLECTIVES(X)
#undef X
} ccl_module;

/* Parameters or arguments of a function, before others or behind others. */
#define BEFORE(...) __VA_ARGS__ __VA_OPT__(, )
#define BEHIND(...) __VA_OPT__(, ) __VA_ARGS__

#define X(name, Name, parameters, arguments)                                                                  \
	static int on_##name(BEFORE parameters communicator *comm, base_module *base)                          \
	{                                                                                                     \
		ccl_module *m = (ccl_module *)base;                                                           \
		int code = ccl_##name(&m->comm BEHIND arguments);                                             \
                                                                                                              \
		return code != CCL_FALLBACK ? code : m->name(BEFORE arguments comm, m->name##_module);         \
	}                                                                                                     \
                                                                                                              \
	static int on_i##name(BEFORE parameters communicator *comm, ompi_request_t **request, base_module *base) \
	{                                                                                                     \
		ccl_module *m = (ccl_module *)base;                                                           \
                                                                                                              \
		statistics_fallback("i" #name, "not blocking");                                                        \
		return m->i##name(BEFORE arguments comm, request, m->i##name##_module);                        \
	}                                                                                                     \
                                                                                                              \
	static int on_##name##_init(BEFORE parameters communicator *comm, struct ompi_info_t *info,            \
	                            ompi_request_t **request, base_module *base)                              \
	{                                                                                                     \
		ccl_module *m = (ccl_module *)base;                                                           \
                                                                                                              \
		statistics_fallback(#name "_init", "persistent");                                                      \
		return m->name##_init(BEFORE arguments comm, info, request, m->name##_init_module);            \
	}
CCL_COLLECTIVES(X)
#undef X

static int least(struct ccl_comm *comm, int *value)
{
	ccl_module *m = comm->host;
	int own = *value;

	return m->allreduce(&own, value, 1, MPI_INT, MPI_MIN, comm->comm, m->allreduce_module);
}

static int tell(struct ccl_comm *comm, void *from_rank_0, int bytes)
{
	ccl_module *m = comm->host;

	return m->bcast(from_rank_0, bytes, MPI_BYTE, 0, comm->comm, m->bcast_module);
}

static int arrive(struct ccl_comm *comm)
{
	ccl_module *m = comm->host;

	return m->barrier(comm->comm, m->barrier_module);
}

/* MPI_Type_get_envelope fails for types that Open MPI has for itself. */
bool ccl_is_predefined(MPI_Datatype type) { return ompi_datatype_is_predefined(type); }

static void construct(ccl_module *m)
{
	m->comm = (struct ccl_comm){ .state = CCL_UNTRIED };
#define X(name, Name, parameters, arguments) m->name##_module = m->i##name##_module = m->name##_init_module = NULL;
	CCL_COLLECTIVES(X)
#undef X
}

static void give_back(base_module *before)
{
	if (before != NULL)
		OBJ_RELEASE(before);
}

static void destruct(ccl_module *m)
{
	ccl_comm_end(&m->comm);
#define X(name, Name, parameters, arguments)                                                                  \
	give_back(m->name##_module);                                                                          \
	give_back(m->i##name##_module);                                                                       \
	give_back(m->name##_init_module);
	CCL_COLLECTIVES(X)
#undef X
}

static OBJ_CLASS_INSTANCE(ccl_module, mca_coll_base_module_t, construct, destruct);

/* Takes the place of a function, if there is one. */
#define TAKE(function)                                                                                        \
	do {                                                                                                  \
		m->function = comm->c_coll->coll_##function;                                                  \
		m->function##_module = comm->c_coll->coll_##function##_module;                                \
		if (m->function##_module == NULL)                                                             \
			m->super.coll_##function = NULL;                                                      \
		else {                                                                                        \
			OBJ_RETAIN(m->function##_module);                                                     \
		}                                                                                             \
	} while (0)

static int enable(base_module *base, communicator *comm)
{
	ccl_module *m = (ccl_module *)base;
	const char *why;

#define X(name, Name, parameters, arguments)                                                                  \
	TAKE(name);                                                                                           \
	TAKE(i##name);                                                                                        \
	TAKE(name##_init);
	CCL_COLLECTIVES(X)
#undef X
	m->comm.comm = comm;
	m->comm.host = m;
	m->comm.least = least;
	m->comm.tell = tell;
	m->comm.arrive = arrive;
	m->comm.rank = ompi_comm_rank(comm);
	m->comm.size = ompi_comm_size(comm);
	if (comm != &ompi_mpi_comm_world.comm || (why = ccl_open(&m->comm)) == NULL)
		return OMPI_SUCCESS;
	/* Open MPI would go on without this component. */
	fprintf(stderr, "cclforge, rank %d of %d: %s\n", m->comm.rank, m->comm.size, why);
	return ompi_mpi_abort(comm, MPI_ERR_OTHER);
}

/* The world closes before MPI frees what it talks with. Open MPI calls this for each function. */
static int disable(base_module *base, communicator *comm)
{
	(void)base;
	if (comm == &ompi_mpi_comm_world.comm)
		ccl_close();
	return OMPI_SUCCESS;
}

static base_module *query(communicator *comm, int *priority)
{
	ccl_module *m;

	if (!ccl_wanted() || OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2)
		return NULL;
	m = OBJ_NEW(ccl_module);
	if (m == NULL)
		return NULL;
	*priority = PRIORITY;
	m->super.coll_module_enable = enable;
	m->super.coll_module_disable = disable;
#define X(name, Name, parameters, arguments)                                                                  \
	m->super.coll_##name = on_##name;                                                                     \
	m->super.coll_i##name = on_i##name;                                                                   \
	m->super.coll_##name##_init = on_##name##_init;
	CCL_COLLECTIVES(X)
#undef X
	return &m->super;
}

static int init(bool progress_threads, bool mpi_threads)
{
	(void)progress_threads;
	(void)mpi_threads; /* all are served */
	return OMPI_SUCCESS;
}

OMPI_DECLSPEC mca_coll_base_component_t mca_coll_cclforge_component = {
	.collm_version = {
		MCA_COLL_BASE_VERSION_2_0_0,
		.mca_component_name = "cclforge",
		MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION),
	},
	.collm_data = { MCA_BASE_METADATA_PARAM_CHECKPOINT },
	.collm_init_query = init,
	.collm_comm_query = query,
};
