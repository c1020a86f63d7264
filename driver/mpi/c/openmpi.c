/* A component of Open MPI's framework coll. It goes before the others on each communicator, and hands what engines
 * cannot do to the functions that were there before. */

#include <ompi_config.h>

#include <ompi/communicator/communicator.h>
#include <ompi/datatype/ompi_datatype.h>
#include <ompi/mca/coll/base/base.h>
#include <ompi/mca/coll/base/coll_tags.h>
#include <ompi/mca/coll/coll.h>
#include <ompi/mca/pml/pml.h>
#include <ompi/request/request.h>
#include <ompi/runtime/mpiruntime.h>
#include <opal/runtime/opal_progress.h>

#include "collectives.h"

#include <pthread.h>
#include <stdio.h>

#define PRIORITY 95 /* those of Open MPI end at 90 */

typedef mca_coll_base_module_t base_module;
typedef struct ompi_communicator_t communicator;

typedef struct module {
	base_module super;
	struct ccl_comm comm;
	struct module *next; /* that is being found out about */
	/* The functions that were there before, whose modules this one keeps. */
#define X(name, Name, parameters, arguments, own)                                                                  \
	mca_coll_base_module_##name##_fn_t name;                                                              \
	base_module *name##_module;                                                                           \
	mca_coll_base_module_i##name##_fn_t i##name;                                                          \
	base_module *i##name##_module;                                                                        \
	mca_coll_base_module_##name##_init_fn_t name##_init;                                                  \
	base_module *name##_init_module;
	CCL_COLLECTIVES(X, int, int)
#undef X
} ccl_module;

/* Requests that Open MPI has for collectives: it adds the types that they need, and gives these back. No header that
 * programs have says how much that is; init checks. */
typedef struct {
	ompi_request_t super;
	char added[128];
} ompi_coll_base_nbc_request_t;

OMPI_DECLSPEC OBJ_CLASS_DECLARATION(ompi_coll_base_nbc_request_t);

typedef struct request {
	ompi_coll_base_nbc_request_t super;
	struct ccl_op *op;
	struct request *next;
	bool is_forgotten; /* the program has freed it before its end */
} ccl_request;

static OBJ_CLASS_INSTANCE(ccl_request, ompi_coll_base_nbc_request_t, NULL, NULL);

static bool has_threads; /* of the program, in MPI */
static bool is_unwanted; /* by all ranks */

/* Requests whose operations were started. */
static ccl_request *volatile active;

/* Communicators that are being found out about. They stay until that has ended: Open MPI may end them while it handles
 * their last message, where nothing can be waited for. */
static ccl_module *volatile asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int release(ompi_request_t **request)
{
	ccl_request *r = (ccl_request *)*request;
	communicator *comm = (*request)->req_mpi_object.comm;

	*request = MPI_REQUEST_NULL;
	if (!REQUEST_COMPLETE(&r->super.super)) {
		r->is_forgotten = true;
		return OMPI_SUCCESS;
	}
	OMPI_REQUEST_FINI(&r->super.super);
	ccl_free(r->op);
	OBJ_RELEASE(r);
	OBJ_RELEASE(comm);
	return OMPI_SUCCESS;
}

/* Open MPI calls it whenever it looks after messages. */
static int progress(void)
{
	ccl_module *answered = NULL;
	ccl_request *over = NULL;
	int n = 0;

	if ((active == NULL && asked == NULL) || pthread_mutex_trylock(&lock) != 0)
		return 0;
	for (ccl_module *volatile *at = &asked; *at != NULL;) {
		ccl_module *m = *at;

		if (m->comm.state != CCL_ASKED || REQUEST_COMPLETE(m->comm.asked)) {
			*at = m->next;
			m->next = answered;
			answered = m;
		} else
			at = &m->next;
	}
	for (ccl_request *volatile *at = &active; *at != NULL;) {
		ccl_request *r = *at;

		if (ccl_is_over(r->op)) {
			*at = r->next;
			r->next = over;
			over = r;
		} else
			at = &r->next;
	}
	pthread_mutex_unlock(&lock);
	for (ccl_module *next; answered != NULL; answered = next) {
		communicator *comm = answered->comm.comm;

		next = answered->next;
		OBJ_RELEASE(comm);
	}
	for (ccl_request *next; over != NULL; over = next, n++) {
		ompi_request_t *r = &over->super.super;
		bool is_forgotten = over->is_forgotten;

		next = over->next;
		r->req_status.MPI_ERROR = ccl_end(over->op);
		ompi_request_complete(r, true);
		if (is_forgotten)
			r->req_free(&r);
	}
	return n;
}

static int begin(size_t n, ompi_request_t **requests)
{
	for (size_t i = 0; i < n; i++) {
		ccl_request *r = (ccl_request *)requests[i];

		requests[i]->req_state = OMPI_REQUEST_ACTIVE;
		requests[i]->req_complete = REQUEST_PENDING;
		requests[i]->req_status = ompi_status_empty;
		ccl_start(r->op);
		pthread_mutex_lock(&lock);
		r->next = active;
		active = r;
		pthread_mutex_unlock(&lock);
	}
	return OMPI_SUCCESS;
}

/* A request for an operation, persistent or started. */
static int request_of(struct ccl_op *op, communicator *comm, bool persistent, ompi_request_t **request)
{
	ccl_request *r = OBJ_NEW(ccl_request);

	if (r == NULL) {
		ccl_free(op);
		return OMPI_ERR_OUT_OF_RESOURCE;
	}
	r->op = op;
	r->is_forgotten = false;
	*request = &r->super.super;
	OMPI_REQUEST_INIT(*request, persistent);
	(*request)->req_type = OMPI_REQUEST_COLL;
	(*request)->req_status = ompi_status_empty;
	(*request)->req_free = release;
	(*request)->req_start = begin;
	(*request)->req_mpi_object.comm = comm;
	OBJ_RETAIN(comm);
	return persistent ? OMPI_SUCCESS : begin(1, request);
}

#define X(name, Name, parameters, arguments, own)                                                             \
	static int on_##name(CCL_BEFORE parameters communicator *comm, base_module *base)                      \
	{                                                                                                     \
		ccl_module *m = (ccl_module *)base;                                                           \
		struct ccl_op *made;                                                                          \
		int code = ccl_##name(&m->comm, #name, &made CCL_BEHIND own);                                    \
                                                                                                              \
		if (code == CCL_FALLBACK)                                                                     \
			return m->name(CCL_BEFORE arguments comm, m->name##_module);                           \
		return code == MPI_SUCCESS ? ccl_do(made) : code;                                                \
	}                                                                                                     \
                                                                                                              \
	static int on_i##name(CCL_BEFORE parameters communicator *comm, ompi_request_t **request,              \
	                      base_module *base)                                                              \
	{                                                                                                     \
		ccl_module *m = (ccl_module *)base;                                                           \
		struct ccl_op *made;                                                                          \
		int code = ccl_##name(&m->comm, "i" #name, &made CCL_BEHIND own);                                \
                                                                                                              \
		if (code == CCL_FALLBACK)                                                                     \
			return m->i##name(CCL_BEFORE arguments comm, request, m->i##name##_module);            \
		return code == MPI_SUCCESS ? request_of(made, comm, false, request) : code;                      \
	}                                                                                                     \
                                                                                                              \
	static int on_##name##_init(CCL_BEFORE parameters communicator *comm, struct ompi_info_t *info,        \
	                            ompi_request_t **request, base_module *base)                              \
	{                                                                                                     \
		ccl_module *m = (ccl_module *)base;                                                           \
		struct ccl_op *made;                                                                          \
		int code = ccl_##name(&m->comm, #name "_init", &made CCL_BEHIND own);                            \
                                                                                                              \
		if (code == CCL_FALLBACK)                                                                     \
			return m->name##_init(CCL_BEFORE arguments comm, info, request, m->name##_init_module); \
		return code == MPI_SUCCESS ? request_of(made, comm, true, request) : code;                       \
	}
CCL_COLLECTIVES(X, int, int)
#undef X

#define TAG MCA_COLL_BASE_TAG_NEIGHBOR_END /* none that collectives use on the communicator of all ranks */

static int message(struct ccl_comm *comm, bool sends, int peer, int *values, int n, MPI_Request *request)
{
	if (sends)
		return MCA_PML_CALL(isend(values, n, MPI_INT, peer, TAG, MCA_PML_BASE_SEND_STANDARD, comm->comm, request));
	return MCA_PML_CALL(irecv(values, n, MPI_INT, peer, TAG, comm->comm, request));
}

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

static int greatest(struct ccl_comm *comm, const int64_t own[2], int64_t all[2], MPI_Request *request)
{
	ccl_module *m = comm->host;

	return m->iallreduce(own, all, 2, MPI_INT64_T, MPI_MAX, comm->comm, request, m->iallreduce_module);
}

static int test(MPI_Request *request, int *done) { return ompi_request_test(request, done, MPI_STATUS_IGNORE); }

static void look(struct ccl_comm *comm)
{
	(void)comm;
	opal_progress();
}

/* MPI_Type_get_envelope fails for types that Open MPI has for itself. */
bool ccl_is_predefined(MPI_Datatype type) { return ompi_datatype_is_predefined(type); }

/* MPI_Type_dup fails for them as well. */
int ccl_keep(MPI_Datatype *type)
{
	OBJ_RETAIN(*type);
	return MPI_SUCCESS;
}

void ccl_let_go(MPI_Datatype *type) { OBJ_RELEASE(*type); }

static void construct(ccl_module *m)
{
	m->comm = (struct ccl_comm){ .state = CCL_UNTRIED };
#define X(name, Name, parameters, arguments, own) m->name##_module = m->i##name##_module = m->name##_init_module = NULL;
	CCL_COLLECTIVES(X, int, int)
#undef X
}

static void give_back(base_module *before)
{
	if (before != NULL)
		OBJ_RELEASE(before);
}

static void destruct(ccl_module *m)
{
#define X(name, Name, parameters, arguments, own)                                                                  \
	give_back(m->name##_module);                                                                          \
	give_back(m->i##name##_module);                                                                       \
	give_back(m->name##_init_module);
	CCL_COLLECTIVES(X, int, int)
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

#define X(name, Name, parameters, arguments, own)                                                                  \
	TAKE(name);                                                                                           \
	TAKE(i##name);                                                                                        \
	TAKE(name##_init);
	CCL_COLLECTIVES(X, int, int)
#undef X
	m->comm.comm = comm;
	m->comm.host = m;
	m->comm.message = message;
	m->comm.least = least;
	m->comm.tell = tell;
	m->comm.greatest = greatest;
	m->comm.test = test;
	m->comm.progress = look;
	m->comm.rank = ompi_comm_rank(comm);
	m->comm.size = ompi_comm_size(comm);
	if (comm == &ompi_mpi_comm_world.comm && !ccl_wanted(&m->comm)) {
		is_unwanted = true;
		return OMPI_ERROR; /* Open MPI goes on without this component */
	}
	if (comm != &ompi_mpi_comm_world.comm || (why = ccl_open(&m->comm, has_threads)) == NULL) {
		if (comm == &ompi_mpi_comm_world.comm)
			opal_progress_register(progress);
		ccl_comm_begin(&m->comm);
		if (m->comm.state == CCL_ASKED) {
			OBJ_RETAIN(comm);
			pthread_mutex_lock(&lock);
			m->next = asked;
			asked = m;
			pthread_mutex_unlock(&lock);
		}
		return OMPI_SUCCESS;
	}
	/* Open MPI would go on without this component. */
	fprintf(stderr, "cclforge, rank %d of %d: %s\n", m->comm.rank, m->comm.size, why);
	return ompi_mpi_abort(comm, MPI_ERR_OTHER);
}

/* A communicator ends, and with that of the world this, before MPI frees what it talks with. Open MPI calls this for
 * each function. */
static int disable(base_module *base, communicator *comm)
{
	ccl_module *m = (ccl_module *)base;

	if (!m->comm.ended)
		ccl_comm_end(&m->comm);
	if (comm == &ompi_mpi_comm_world.comm) {
		opal_progress_unregister(progress);
		ccl_close();
	}
	return OMPI_SUCCESS;
}

static base_module *query(communicator *comm, int *priority)
{
	ccl_module *m;

	if (is_unwanted || OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2)
		return NULL;
	m = OBJ_NEW(ccl_module);
	if (m == NULL)
		return NULL;
	*priority = PRIORITY;
	m->super.coll_module_enable = enable;
	m->super.coll_module_disable = disable;
#define X(name, Name, parameters, arguments, own)                                                                  \
	m->super.coll_##name = on_##name;                                                                     \
	m->super.coll_i##name = on_i##name;                                                                   \
	m->super.coll_##name##_init = on_##name##_init;
	CCL_COLLECTIVES(X, int, int)
#undef X
	return &m->super;
}

static int init(bool progress_threads, bool mpi_threads)
{
	(void)progress_threads;
	has_threads = mpi_threads;
	return OBJ_CLASS(ompi_coll_base_nbc_request_t)->cls_sizeof <= sizeof(ompi_coll_base_nbc_request_t) ? OMPI_SUCCESS
	                                                                                                  : OMPI_ERROR;
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
