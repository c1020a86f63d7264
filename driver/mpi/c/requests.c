#include "requests.h"

#include <pthread.h>
#include <stdlib.h>

/* A request: a generalized one, which is complete when the program has asked for it and it is over. Those of persistent
 * collectives MPI does not see: it takes what it is asked for in their place, MPI_REQUEST_NULL, for complete. */
struct request {
	struct request *next;
	struct ccl_op *op;
	MPI_Request mpi;
	MPI_Comm comm;
	bool is_persistent, is_under_way;
	bool is_over; /* persistent: it is, and the program does not know it yet */
	int code; /* of the last collective */
	MPI_Request *hidden; /* where it stands */
};

static _Atomic(struct request *) requests;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct request *find(MPI_Request mpi)
{
	struct request *r;

	if (requests == NULL || mpi == MPI_REQUEST_NULL)
		return NULL;
	pthread_mutex_lock(&lock);
	for (r = requests; r != NULL && r->mpi != mpi;)
		r = r->next;
	pthread_mutex_unlock(&lock);
	return r;
}

static void add(struct request *r)
{
	pthread_mutex_lock(&lock);
	r->next = requests;
	requests = r;
	pthread_mutex_unlock(&lock);
}

static void take(struct request *r)
{
	struct request *before;

	pthread_mutex_lock(&lock);
	before = requests;
	if (before == r)
		requests = r->next;
	else {
		while (before->next != r)
			before = before->next;
		before->next = r->next;
	}
	pthread_mutex_unlock(&lock);
}

static void clear(MPI_Status *status)
{
	status->MPI_ERROR = MPI_SUCCESS;
	PMPI_Status_set_elements(status, MPI_BYTE, 0);
	PMPI_Status_set_cancelled(status, 0);
	status->MPI_SOURCE = MPI_UNDEFINED;
	status->MPI_TAG = MPI_UNDEFINED;
}

static int query(void *of, MPI_Status *status)
{
	struct request *r = of;

	clear(status);
	return r->code;
}

static int release(void *of)
{
	struct request *r = of;

	if (!r->is_under_way)
		free(r);
	return MPI_SUCCESS; /* else it was freed before its end, which MPI forbids: engines still use it */
}

static int cancel(void *of, int complete)
{
	(void)of;
	(void)complete;
	return MPI_SUCCESS; /* MPI forbids that, too */
}

int requests_new(struct ccl_op *op, MPI_Comm comm, bool is_persistent, MPI_Request *request)
{
	struct request *r = calloc(1, sizeof *r);
	int code = MPI_ERR_NO_MEM;

	if (r != NULL)
		code = PMPI_Grequest_start(query, release, cancel, r, &r->mpi);
	if (code != MPI_SUCCESS) {
		ccl_free(op);
		free(r);
		return code;
	}
	r->op = op;
	r->comm = comm;
	r->is_persistent = is_persistent;
	r->is_under_way = !is_persistent;
	*request = r->mpi;
	add(r);
	if (!is_persistent)
		ccl_start(op);
	return MPI_SUCCESS;
}

static void complete(struct request *r)
{
	r->code = ccl_end(r->op);
	r->is_under_way = false;
	r->is_over = r->is_persistent;
	if (r->is_persistent)
		return;
	take(r);
	ccl_free(r->op);
	PMPI_Grequest_complete(r->mpi);
}

/* Completes those that are over, and looks after one of the others for a moment. Whether any is under way. */
static bool look(int n, const MPI_Request mpi[])
{
	struct request *first = NULL, *r;
	bool more = false;

	for (int i = 0; i < n; i++) {
		if ((r = find(mpi[i])) == NULL || !r->is_under_way)
			continue;
		if (ccl_is_over(r->op))
			complete(r);
		else if (first == NULL)
			first = r;
		else
			more = true;
	}
	if (first == NULL)
		return false;
	if (!ccl_look(first->op))
		return true;
	complete(first);
	return more;
}

static void wait_for_all(int n, const MPI_Request mpi[])
{
	struct request *r;

	for (int i = 0; i < n; i++)
		if ((r = find(mpi[i])) != NULL && r->is_under_way) {
			ccl_wait(r->op);
			complete(r);
		}
}

int requests_result(MPI_Comm comm, int code)
{
	if (code != MPI_SUCCESS)
		PMPI_Comm_call_errhandler(comm, code);
	return code;
}

/* The same, of one that tells the program that a request is complete: of persistent collectives MPI knows no errors. */
static int result_of(int code, MPI_Request mpi)
{
	struct request *r = code == MPI_SUCCESS ? find(mpi) : NULL;

	if (r == NULL || !r->is_over)
		return code;
	r->is_over = false;
	return requests_result(r->comm, r->code);
}

/* The first persistent one from an index on that is over, or n. */
static int next_over(int i, int n, const MPI_Request mpi[])
{
	struct request *r;

	while (i < n && ((r = find(mpi[i])) == NULL || !r->is_over))
		i++;
	return i;
}

static void hide(int n, MPI_Request mpi[])
{
	struct request *r;

	for (int i = 0; i < n; i++)
		if ((r = find(mpi[i])) != NULL && r->is_persistent) {
			r->hidden = &mpi[i];
			mpi[i] = MPI_REQUEST_NULL;
		}
}

static void show(int n, const MPI_Request mpi[])
{
	if (requests == NULL)
		return;
	pthread_mutex_lock(&lock);
	for (struct request *r = requests; r != NULL; r = r->next)
		if (r->hidden >= mpi && r->hidden < mpi + n) {
			*r->hidden = r->mpi;
			r->hidden = NULL;
		}
	pthread_mutex_unlock(&lock);
}

/* Functions of MPI that ask after several requests: they end those that are complete, or, those of MPI 4.1, leave them
 * as they are. */
typedef int all_function(int n, MPI_Request mpi[], int *flag, MPI_Status statuses[]);
typedef int any_function(int n, MPI_Request mpi[], int *index, int *flag, MPI_Status *status);
typedef int some_function(int n, MPI_Request mpi[], int *done, int indices[], MPI_Status statuses[]);

static int all(all_function *of_mpi, bool ends, int n, MPI_Request mpi[], int *flag, MPI_Status statuses[])
{
	int code;

	if (look(n, mpi)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	hide(n, mpi);
	code = of_mpi(n, mpi, flag, statuses);
	show(n, mpi);
	for (int i = 0; ends && *flag && i < n; i++)
		code = result_of(code, mpi[i]);
	return code;
}

static int any(any_function *of_mpi, bool ends, int n, MPI_Request mpi[], int *index, int *flag, MPI_Status *status)
{
	bool more = look(n, mpi);
	int code, i = next_over(0, n, mpi);

	if (i < n) {
		if (status != MPI_STATUS_IGNORE)
			clear(status);
		*index = i;
		*flag = 1;
		return ends ? result_of(MPI_SUCCESS, mpi[i]) : MPI_SUCCESS;
	}
	hide(n, mpi);
	code = of_mpi(n, mpi, index, flag, status);
	show(n, mpi);
	if (code == MPI_SUCCESS && *flag && *index == MPI_UNDEFINED)
		*flag = !more;
	return code;
}

static int some(some_function *of_mpi, bool ends, int n, MPI_Request mpi[], int *done, int indices[],
                MPI_Status statuses[])
{
	bool more = look(n, mpi), ignores = statuses == MPI_STATUSES_IGNORE;
	int code = MPI_SUCCESS, own = 0, others = 0, failed;

	for (int i = next_over(0, n, mpi); i < n; i = next_over(i + 1, n, mpi)) {
		if (!ignores)
			clear(&statuses[own]);
		indices[own++] = i;
		failed = ends ? result_of(MPI_SUCCESS, mpi[i]) : MPI_SUCCESS;
		code = code == MPI_SUCCESS ? failed : code;
	}
	hide(n, mpi);
	failed = of_mpi(n, mpi, &others, indices + own, ignores ? MPI_STATUSES_IGNORE : statuses + own);
	show(n, mpi);
	if (others != MPI_UNDEFINED)
		own += others;
	*done = others == MPI_UNDEFINED && own == 0 && !more ? MPI_UNDEFINED : own;
	return code == MPI_SUCCESS ? failed : code;
}

#pragma GCC visibility push(default)

int MPI_Start(MPI_Request *mpi)
{
	struct request *r = find(*mpi);

	if (r == NULL)
		return PMPI_Start(mpi);
	r->is_under_way = true;
	ccl_start(r->op);
	return MPI_SUCCESS;
}

int MPI_Startall(int n, MPI_Request mpi[])
{
	int code = MPI_SUCCESS;

	for (int i = 0; i < n && code == MPI_SUCCESS; i++)
		code = MPI_Start(&mpi[i]);
	return code;
}

int MPI_Request_free(MPI_Request *mpi)
{
	struct request *r = find(*mpi);

	if (r != NULL && r->is_persistent && !r->is_under_way) { /* else MPI forbids it: engines still use its memory */
		take(r);
		ccl_free(r->op);
		PMPI_Grequest_complete(*mpi);
	}
	return PMPI_Request_free(mpi);
}

int MPI_Wait(MPI_Request *mpi, MPI_Status *status)
{
	int code;

	wait_for_all(1, mpi);
	hide(1, mpi);
	code = PMPI_Wait(mpi, status);
	show(1, mpi);
	return result_of(code, *mpi);
}

int MPI_Waitall(int n, MPI_Request mpi[], MPI_Status statuses[])
{
	int code;

	wait_for_all(n, mpi);
	hide(n, mpi);
	code = PMPI_Waitall(n, mpi, statuses);
	show(n, mpi);
	for (int i = 0; i < n; i++)
		code = result_of(code, mpi[i]);
	return code;
}

int MPI_Test(MPI_Request *mpi, int *flag, MPI_Status *status)
{
	int code;

	if (look(1, mpi)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	hide(1, mpi);
	code = PMPI_Test(mpi, flag, status);
	show(1, mpi);
	return result_of(code, *mpi);
}

int MPI_Testall(int n, MPI_Request mpi[], int *flag, MPI_Status statuses[])
{
	return all(PMPI_Testall, true, n, mpi, flag, statuses);
}

int MPI_Request_get_status(MPI_Request mpi, int *flag, MPI_Status *status)
{
	struct request *r;

	if (look(1, &mpi)) {
		*flag = 0;
		return MPI_SUCCESS;
	}
	r = find(mpi);
	return PMPI_Request_get_status(r != NULL && r->is_persistent ? MPI_REQUEST_NULL : mpi, flag, status);
}

int MPI_Testany(int n, MPI_Request mpi[], int *index, int *flag, MPI_Status *status)
{
	return any(PMPI_Testany, true, n, mpi, index, flag, status);
}

int MPI_Waitany(int n, MPI_Request mpi[], int *index, MPI_Status *status)
{
	int code, flag;

	if (requests == NULL)
		return PMPI_Waitany(n, mpi, index, status);
	do
		code = MPI_Testany(n, mpi, index, &flag, status);
	while (code == MPI_SUCCESS && !flag);
	return code;
}

int MPI_Testsome(int n, MPI_Request mpi[], int *done, int indices[], MPI_Status statuses[])
{
	return some(PMPI_Testsome, true, n, mpi, done, indices, statuses);
}

int MPI_Waitsome(int n, MPI_Request mpi[], int *done, int indices[], MPI_Status statuses[])
{
	int code;

	if (requests == NULL)
		return PMPI_Waitsome(n, mpi, done, indices, statuses);
	do
		code = MPI_Testsome(n, mpi, done, indices, statuses);
	while (code == MPI_SUCCESS && *done == 0);
	return code;
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
/* In some headers the requests of these are const: here they have other names in C. */
#define NAMED(name, parameters) int name parameters __asm__("MPI_Request_" #name); int name parameters

NAMED(get_status_all, (int n, MPI_Request mpi[], int *flag, MPI_Status statuses[]))
{
	return all((all_function *)PMPI_Request_get_status_all, false, n, mpi, flag, statuses);
}

NAMED(get_status_any, (int n, MPI_Request mpi[], int *index, int *flag, MPI_Status *status))
{
	return any((any_function *)PMPI_Request_get_status_any, false, n, mpi, index, flag, status);
}

NAMED(get_status_some, (int n, MPI_Request mpi[], int *done, int indices[], MPI_Status statuses[]))
{
	return some((some_function *)PMPI_Request_get_status_some, false, n, mpi, done, indices, statuses);
}
#endif
