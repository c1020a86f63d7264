/* failing mismatch|dead [waiting]
 *
 * Ranks that make different calls, or one that is killed before its own: the others get an error of MPI, which says
 * what is wrong. */

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	float own[5] = { 1, 2, 3, 4, 5 }, all[5];
	char text[MPI_MAX_ERROR_STRING] = "";
	int rank, code, length, dead;
	MPI_Request request;

	signal(SIGUSR1, SIG_IGN); /* MPICH's mpirun sends it when a rank is dead */
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	dead = strcmp(argv[1], "dead") == 0;
	MPI_Barrier(MPI_COMM_WORLD);
	if (dead && rank == 0) /* has left the barrier */
		MPI_Send(own, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
	if (dead && rank == 1) {
		MPI_Recv(own, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		raise(SIGKILL);
	}
	if (argc > 2) {
		code = MPI_Iallreduce(own, all, rank == 0 && !dead ? 4 : 5, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
		if (code == MPI_SUCCESS)
			code = MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else
		code = MPI_Allreduce(own, all, rank == 0 && !dead ? 4 : 5, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	if (code != MPI_SUCCESS)
		MPI_Error_string(code, text, &length);
	printf("rank %d: %s\n", rank, text);
	fflush(stdout);
	if (dead)
		_exit(0); /* MPI_Finalize would wait for the dead rank */
	MPI_Finalize();
	return 0;
}
