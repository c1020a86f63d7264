/* large [huge]
 *
 * MPI 4's functions with large counts, and a type that is made of such; huge has one beyond what int counts. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, wrong;

static void is(const char *what, long got, long want)
{
	if (got != want && wrong++ < 10)
		printf("rank %d of %d: %s: %ld, not %ld\n", rank, size, what, got, want);
}

/* Rank r has 10 * r + i at i; rank r's block of several is of r + 1 elements, behind a gap. */
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int own[64], all[64];
	MPI_Count counts[8], same[8];
	MPI_Aint places[8], starts[8];
	MPI_Request request;
	MPI_Datatype gaps;

	for (int i = 0; i < 64; i++) {
		own[i] = 10 * rank + i;
		all[i] = -1;
	}
	for (int r = 0; r < size; r++) {
		counts[r] = r + 1;
		places[r] = r == 0 ? 1 : places[r - 1] + counts[r - 1] + 1;
		same[r] = rank + 1;
		starts[r] = 0;
	}
	MPI_Allgatherv_c(own, rank + 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
	for (int r = 0; r < size; r++)
		is("allgatherv", all[places[r] + r], 11 * r);
	MPI_Gatherv_c(own + 1, rank + 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
	for (int r = 0; r < size && rank == 0; r++)
		is("gatherv", all[places[r] + r], 11 * r + 1);
	MPI_Ialltoallv_c(own, same, starts, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (int r = 0; r < size; r++)
		is("alltoallv", all[places[r] + r], 11 * r);
	MPI_Allreduce_c(own, all, 64, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	is("allreduce", all[63], 63 * size + 10 * size * (size - 1) / 2);
	MPI_Reduce_scatter_c(own, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	is("reduce_scatter", all[0], rank * (rank + 1) / 2 * size + 10 * size * (size - 1) / 2);
	MPI_Type_vector_c(32, 1, 2, MPI_INT, &gaps);
	MPI_Type_commit(&gaps);
	MPI_Bcast(own, 1, gaps, 0, MPI_COMM_WORLD);
	MPI_Type_free(&gaps);
	is("bcast of a type made of large counts", own[62], 62);
	is("its gap", own[63], 10 * rank + 63);
	if (argc > 1 && strcmp(argv[1], "huge") == 0) {
		MPI_Count n = ((MPI_Count)1 << 31) + 5;
		char *buf = malloc((size_t)n);

		memset(buf, rank == 0 ? 7 : 0, (size_t)n);
		buf[n - 1] = rank == 0 ? 9 : 0;
		MPI_Bcast_c(buf, n, MPI_CHAR, 0, MPI_COMM_WORLD);
		for (MPI_Count i = 0; i < n; i++)
			if (buf[i] != (i == n - 1 ? 9 : 7)) {
				is("bcast", buf[i], 7);
				break;
			}
		n = (MPI_Count)1 << 28; /* elements of one of a type, whose bytes int counts, but not twice */
		memset(buf, rank == 0 ? 3 : 0, (size_t)n * sizeof(int));
		MPI_Type_contiguous((int)n, MPI_INT, &gaps);
		MPI_Type_commit(&gaps);
		MPI_Bcast(buf, 1, gaps, 0, MPI_COMM_WORLD);
		MPI_Type_free(&gaps);
		is("bcast of a large element", buf[n * (MPI_Count)sizeof(int) - 1], 3);
		free(buf);
	}
	printf("rank %d: %d wrong\n", rank, wrong);
	MPI_Finalize();
	return wrong != 0;
}
