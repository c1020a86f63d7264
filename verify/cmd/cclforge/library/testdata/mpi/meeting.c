/* Blocking collectives, whose ranks are on one host and meet in memory: MPI's own collectives are not called for it. On
 * several communicators in turn, with ranks that come late, beside one that is in flight; and on more communicators
 * than have a place there. Compiled with -rdynamic, so that what calls MPI calls the function below. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static int rank, size, wrong, by_mpi;

int PMPI_Iallreduce(const void *src, void *dst, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request *request)
{
	int (*own)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request *);

	*(void **)&own = dlsym(RTLD_NEXT, "PMPI_Iallreduce");
	by_mpi++;
	return own(src, dst, n, type, op, comm, request);
}

static void is(const char *what, int got, int want)
{
	if (got != want && wrong++ < 10)
		printf("rank %d of %d: %s: %d, not %d\n", rank, size, what, got, want);
}

static void sum(MPI_Comm comm, int k)
{
	int own = k + rank, all = -1;

	MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, comm);
	is("a sum", all, k * size + size * (size - 1) / 2);
}

int main(void)
{
	const struct timespec late = { .tv_nsec = 2000000 };
	MPI_Comm comms[3], one;
	MPI_Request request;

	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 3; i++) {
		MPI_Comm_split(MPI_COMM_WORLD, 0, i == 1 ? -rank : rank, &comms[i]);
		sum(comms[i], i);
	}
	by_mpi = 0;
	for (int k = 0; k < 300; k++) {
		if (k % 100 == rank)
			nanosleep(&late, NULL);
		sum(comms[k % 3], k);
		if (k % 5 == 0)
			MPI_Bcast(&k, 1, MPI_INT, k % size, comms[k % 2]);
	}
	for (int k = 0; k < 5; k++) {
		int own = 1, all = 0;

		/* Some ranks say that one is in flight, others do not know it yet, or any more. */
		if (rank % 2)
			sum(comms[1], k);
		MPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_SUM, comms[0], &request);
		if (rank % 2 == 0)
			sum(comms[1], k);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		is("a sum in flight", all, size);
	}
	is("collectives of MPI, to meet", by_mpi, 0);
	for (int k = 0; k < 4200 / size; k++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &one);
		sum(one, k);
		MPI_Comm_free(&one);
	}
	for (int i = 0; i < 3; i++)
		MPI_Comm_free(&comms[i]);
	printf("rank %d: %d wrong\n", rank, wrong);
	MPI_Finalize();
	return wrong != 0;
}
