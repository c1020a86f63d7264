/* requests [persistent] [threads] [leave]
 *
 * Collectives that are not blocking: many at the same time, begun on communicators in another order on each rank, ended
 * in another order than begun, beside messages and blocking collectives. Persistent ones, started several times; from
 * several threads; and one that is not waited for. */

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(Name) MPIX_##Name##_init
#elif MPI_VERSION >= 4
#define INIT(Name) MPI_##Name##_init
#endif
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
#define WAYS 8 /* to end a request, with those that leave it as it is */
#else
#define WAYS 5
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MANY 12 /* communicators: more than engines have collectives at the same time */
#define N 1000

static int rank, size;
static atomic_int wrong;
static MPI_Status statuses[MANY];

static void is(const char *what, double got, double want)
{
	if (got != want && wrong++ < 10)
		printf("rank %d of %d: %s: %g, not %g\n", rank, size, what, got, want);
}

static void fill(float *a, float value)
{
	for (int i = 0; i < N; i++)
		a[i] = value + (float)i;
}

/* The sum over all ranks of what fill has put there with factor * (rank + 1). */
static void sums(const char *what, const float *a, int factor)
{
	for (int i = 0; i < N; i += N - 1)
		is(what, a[i], factor * size * (size + 1) / 2 + size * i);
}

static void across_communicators(void)
{
	static float own[MANY][N], all[MANY][N];
	MPI_Comm comms[MANY];
	MPI_Request requests[MANY];

	for (int k = 0; k < MANY; k++) /* some of the same ranks, and some of the same in another order */
		MPI_Comm_split(MPI_COMM_WORLD, 0, k % 2 ? rank : -rank, &comms[k]);
	for (int k = 0; k < MANY; k++) {
		int i = rank % 2 ? MANY - 1 - k : k;

		fill(own[i], (float)(i * (rank + 1)));
		MPI_Iallreduce(own[i], all[i], N, MPI_FLOAT, MPI_SUM, comms[i], &requests[i]);
	}
	if (rank % 3 == 0)
		MPI_Waitall(MANY, requests, statuses);
	else
		for (int k = 0, i; k < MANY; k++)
			MPI_Waitany(MANY, requests, &i, MPI_STATUS_IGNORE);
	for (int k = 0; k < MANY; k++) {
		is("a request that is over", requests[k] == MPI_REQUEST_NULL, 1);
		sums("an allreduce on one of many communicators", all[k], k);
		MPI_Comm_free(&comms[k]);
	}
}

/* On one communicator, with a blocking one and a message before the others have ended. */
static void on_one(void)
{
	static float own[N], all[N], blocking[N], cast[N];
	static int gathered[64];
	MPI_Request requests[4];
	int done = 0, token = rank, got = -1;

	fill(own, (float)(rank + 1));
	fill(cast, rank == 0 ? 5 : 0);
	MPI_Iallreduce(own, all, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
	MPI_Ibcast(cast, N, MPI_FLOAT, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Ibarrier(MPI_COMM_WORLD, &requests[2]);
	MPI_Iallgather(&rank, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD, &requests[3]);
	MPI_Allreduce(own, blocking, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 1) { /* rank 0 waits for this one, which waits for all */
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		MPI_Send(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	} else if (rank == 0) {
		MPI_Recv(&got, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		is("a message", got, 1);
	}
	for (int i = 3; i >= 0; i--)
		for (done = 0; !done;)
			MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
	sums("allreduce", all, 1);
	sums("a blocking allreduce", blocking, 1);
	is("bcast", cast[N - 1], 5 + N - 1);
	is("allgather", gathered[size - 1], size - 1);
}

/* Type and communicator are given back before the end. */
static void freed(void)
{
	static int cast[2 * N];
	MPI_Datatype gaps;
	MPI_Comm comm;
	MPI_Request request;

	for (int i = 0; i < 2 * N; i++)
		cast[i] = rank == 0 ? i : -1;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_vector(N, 1, 2, MPI_INT, &gaps);
	MPI_Type_commit(&gaps);
	MPI_Ibcast(cast, 1, gaps, 0, comm, &request);
	MPI_Type_free(&gaps);
	MPI_Comm_free(&comm);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	is("an element of a type", cast[2 * N - 2], 2 * N - 2);
	is("a gap", cast[1], rank == 0 ? 1 : -1);
}

/* Beside a message, and ended in each way that there is. */
static void persistent(void)
{
	static float own[N], all[N];
	static int cast, got;
	MPI_Request requests[3];

	INIT(Allreduce)(own, all, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
	INIT(Bcast)(&cast, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
	for (int k = 1; k < WAYS; k++) {
		int over = 0, done = 0, some, at[3] = { 0 };

		fill(own, (float)(k * (rank + 1)));
		cast = rank == 0 ? k : 0;
		MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &requests[2]);
		MPI_Startall(2, requests);
		MPI_Send(&k, 1, MPI_INT, (rank + 1) % size, 8, MPI_COMM_WORLD);
		while (k == 1 && !done)
			MPI_Request_get_status(requests[0], &done, MPI_STATUS_IGNORE);
		while (k == 2 && !done)
			MPI_Testall(3, requests, &done, statuses);
		for (; k == 3 && over < 3; over++)
			MPI_Waitany(3, requests, &at[over], MPI_STATUS_IGNORE);
		for (; k == 4 && over < 3; over += some)
			MPI_Waitsome(3, requests, &some, at + over, statuses);
#if WAYS > 5
		while (k == 5 && !done)
			MPI_Request_get_status_all(3, requests, &done, statuses);
		while (k == 6 && !done)
			MPI_Request_get_status_any(3, requests, &some, &done, MPI_STATUS_IGNORE);
		for (; k == 7 && over < 3; over = some)
			MPI_Request_get_status_some(3, requests, &some, at, statuses);
#endif
		is("the sum of what was over", at[0] + at[1] + at[2], k == 3 || k == 4 || k == 7 ? 3 : 0);
		MPI_Waitall(3, requests, statuses);
		sums("an allreduce that is started again", all, k);
		is("a bcast that is started again", cast, k);
		is("a message beside", got, k);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

/* Each thread has a communicator of the same ranks, and its own order of calls. */
static void *of_thread(void *comm)
{
	MPI_Request requests[2];
	MPI_Status both[2];

	for (int k = 1; k < 30; k++) {
		float own = (float)(k * (rank + 1)), all[3] = { 0 };

		MPI_Iallreduce(&own, &all[0], 1, MPI_FLOAT, MPI_SUM, *(MPI_Comm *)comm, &requests[0]);
		if (k % 3 == 0)
			MPI_Allreduce(&own, &all[1], 1, MPI_FLOAT, MPI_SUM, *(MPI_Comm *)comm);
		MPI_Iallreduce(&own, &all[2], 1, MPI_FLOAT, MPI_SUM, *(MPI_Comm *)comm, &requests[1]);
		if (k % 2)
			MPI_Waitall(2, requests, both);
		for (int i = 0; i < 2; i++)
			MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
		for (int i = 0; i < 3; i++)
			is("an allreduce of a thread", all[i], i == 1 && k % 3 ? 0 : k * size * (size + 1) / 2);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t ids[5];
	MPI_Comm comms[5];

	for (int i = 0; i < 5; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
	for (int i = 0; i < 5; i++)
		pthread_create(&ids[i], NULL, of_thread, &comms[i]);
	for (int i = 0; i < 5; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < 5; i++)
		MPI_Comm_free(&comms[i]);
}

static int asked(int argc, char **argv, const char *what)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], what) == 0)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, asked(argc, argv, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	on_one();
	across_communicators();
	freed();
	if (asked(argc, argv, "persistent"))
		persistent();
	if (asked(argc, argv, "threads"))
		threads();
	printf("rank %d: %d wrong\n", rank, wrong);
	fflush(stdout);
	if (asked(argc, argv, "leave") && rank == 0) { /* MPI forbids that: it may end with an error, and must end */
		static float left[N];
		MPI_Request request;

		MPI_Iallreduce(MPI_IN_PLACE, left, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	}
	MPI_Finalize();
	return wrong != 0;
}
