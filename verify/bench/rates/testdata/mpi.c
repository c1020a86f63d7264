/* Runs collectives of MPI as rank 0 reads them from standard input, a line each:
 *   operation, elements of a block, number of runs
 * and answers with a line of nanoseconds, one for each run: from when the first
 * rank began until the last was done. The argument is the number of bytes of
 * the largest buffer. Elements are floats; the root is rank 0. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNS = 100000, ROOT = 0 };

static const char *const names[] = {
    "send/recv", "bcast",     "scatter",        "gather",   "reduce",
    "allgather", "allreduce", "reduce_scatter", "alltoall", "scan",
    "exscan",    "barrier",
};
enum {
  SENDRECV, BCAST, SCATTER, GATHER, REDUCE, ALLGATHER, ALLREDUCE, REDUCE_SCATTER, ALLTOALL, SCAN, EXSCAN, BARRIER,
  OPERATIONS
};

static int rank, ranks;
static float *src, *dst;
static int64_t first[MOST_RUNS], last[MOST_RUNS];

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void operate(int operation, int n) {
  const MPI_Comm c = MPI_COMM_WORLD;
  switch (operation) {
  case SENDRECV:
    MPI_Sendrecv(src, n, MPI_FLOAT, (rank + 1) % ranks, 0, dst, n, MPI_FLOAT, (rank + ranks - 1) % ranks, 0, c,
                 MPI_STATUS_IGNORE);
    break;
  case BCAST: MPI_Bcast(rank == ROOT ? src : dst, n, MPI_FLOAT, ROOT, c); break;
  case SCATTER: MPI_Scatter(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, ROOT, c); break;
  case GATHER: MPI_Gather(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, ROOT, c); break;
  case REDUCE: MPI_Reduce(src, dst, n, MPI_FLOAT, MPI_SUM, ROOT, c); break;
  case ALLGATHER: MPI_Allgather(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, c); break;
  case ALLREDUCE: MPI_Allreduce(src, dst, n, MPI_FLOAT, MPI_SUM, c); break;
  case REDUCE_SCATTER: MPI_Reduce_scatter_block(src, dst, n, MPI_FLOAT, MPI_SUM, c); break;
  case ALLTOALL: MPI_Alltoall(src, n, MPI_FLOAT, dst, n, MPI_FLOAT, c); break;
  case SCAN: MPI_Scan(src, dst, n, MPI_FLOAT, MPI_SUM, c); break;
  case EXSCAN: MPI_Exscan(src, dst, n, MPI_FLOAT, MPI_SUM, c); break;
  case BARRIER: MPI_Barrier(c); break;
  }
}

/* Reads what to do next on rank 0, and gives it to the others. They sleep
 * while they wait, so that the processors are free. */
static int command(int what[3]) {
  if (rank == ROOT) {
    char name[32];
    what[0] = OPERATIONS;
    if (scanf("%31s %d %d", name, &what[1], &what[2]) == 3)
      for (what[0] = 0; what[0] < OPERATIONS && strcmp(name, names[what[0]]); what[0]++) {
      }
  }
  MPI_Request request;
  MPI_Ibcast(what, 3, MPI_INT, ROOT, MPI_COMM_WORLD, &request);
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) break;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  return what[0] < OPERATIONS && what[1] >= 0 && what[2] > 0 && what[2] <= MOST_RUNS;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  size_t bytes = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  if (posix_memalign((void **)&src, 4096, bytes + 4096) || posix_memalign((void **)&dst, 4096, bytes + 4096))
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (size_t i = 0; i < bytes / sizeof *src; i++) src[i] = dst[i] = (float)(i % 251 + 7 * (size_t)(rank + 1));

  for (int what[3]; command(what);) {
    for (int i = 0; i < what[2]; i++) {
      MPI_Barrier(MPI_COMM_WORLD);
      first[i] = now();
      operate(what[0], what[1]);
      last[i] = now();
    }
    MPI_Reduce(rank == ROOT ? MPI_IN_PLACE : first, first, what[2], MPI_INT64_T, MPI_MIN, ROOT, MPI_COMM_WORLD);
    MPI_Reduce(rank == ROOT ? MPI_IN_PLACE : last, last, what[2], MPI_INT64_T, MPI_MAX, ROOT, MPI_COMM_WORLD);
    if (rank != ROOT) continue;
    for (int i = 0; i < what[2]; i++) printf("%lld ", (long long)(last[i] - first[i]));
    printf("\n");
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
