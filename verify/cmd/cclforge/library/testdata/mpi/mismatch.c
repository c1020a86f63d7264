/* Ranks that make different calls get an error of MPI, which says what differs. */

#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	float own[5] = { 1, 2, 3, 4, 5 }, all[5];
	char text[MPI_MAX_ERROR_STRING] = "";
	int rank, code, length;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	code = MPI_Allreduce(own, all, rank == 0 ? 4 : 5, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	if (code != MPI_SUCCESS)
		MPI_Error_string(code, text, &length);
	printf("rank %d: %s\n", rank, text);
	MPI_Finalize();
	return 0;
}
