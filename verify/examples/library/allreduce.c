/* Sums an array over all ranks. Alone, this process has them all, a thread each; under mpirun it has one. */

#include <cclforge.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static void check(int error)
{
	if (error) {
		fprintf(stderr, "error %d: %s\n", error, cclf_error_text());
		exit(1);
	}
}

static void *of_rank(void *argument)
{
	cclf_comm comm = *(cclf_comm *)argument;
	int rank, size;
	float src[N], dst[N];
	check(cclf_comm_rank(comm, &rank, &size));
	for (int i = 0; i < N; i++)
		src[i] = rank + 1;
	check(cclf_run(comm, &(cclf_call){.operation = CCLF_ALLREDUCE, .type = CCLF_FLOAT32, .reduction = CCLF_SUM,
		.count = N, .src = src, .dst = dst}));
	if (rank == 0)
		printf("the sum over %d ranks is %g\n", size, dst[N - 1]);
	return NULL;
}

int main(int argc, char **argv)
{
	cclf_world world;
	int ranks;
	check(cclf_open(CCLF_BUILD, &(cclf_options){.world = argc > 1 ? argv[1] : "u55c_tcp"}, &world));
	check(cclf_local(world, &ranks));
	cclf_comm comms[ranks];
	pthread_t threads[ranks];
	for (int i = 0; i < ranks; i++) {
		check(cclf_comm_world(world, i, &comms[i]));
		pthread_create(&threads[i], NULL, of_rank, &comms[i]);
	}
	for (int i = 0; i < ranks; i++)
		pthread_join(threads[i], NULL);
	check(cclf_close(world));
}
