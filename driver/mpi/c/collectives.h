/* Collectives of MPI on engines, for whatever puts itself before MPI's own: a component of Open MPI, or a library of
 * profiling functions. Both hand each call to the function of its name below; what engines cannot do is given back as
 * CCL_FALLBACK, on all ranks of the communicator alike, and done by MPI. */

#ifndef CCLFORGE_MPI_COLLECTIVES_H
#define CCLFORGE_MPI_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* No error of MPI: its own function is to be called. */
#define CCL_FALLBACK (-1000)

/* A communicator. Its owner sets all up to why, and the functions from what MPI itself has. */
struct ccl_comm {
	MPI_Comm comm;
	void *host;
	int (*least)(struct ccl_comm *comm, int *value); /* the least value of all ranks, on all of them */
	int (*tell)(struct ccl_comm *comm, void *from_rank_0, int bytes);
	int (*arrive)(struct ccl_comm *comm); /* a barrier */

	int rank, size;
	enum { CCL_UNTRIED, CCL_ON_ENGINES, CCL_NOT_ON_ENGINES } state;
	const char *why; /* it is not on engines */
	int64_t engines; /* their communicator */
	int *ranks; /* in the world */
	struct ccl_comm *next;
};

/* Whether a type is one of MPI's own. The owner of the communicators has this, too. */
bool ccl_is_predefined(MPI_Datatype type);

/* Whether a world is asked for, in CCLFORGE_WORLD. */
bool ccl_wanted(void);

/* Opens it. All ranks of MPI_COMM_WORLD call it, with its communicator. Returns NULL, or why not, on all ranks. */
const char *ccl_open(struct ccl_comm *world);

/* Prints the statistics, and closes the world. */
void ccl_close(void);

/* Gives back what a communicator has of the engines. */
void ccl_comm_end(struct ccl_comm *comm);

/* The arguments are those of MPI's functions. */
int ccl_barrier(struct ccl_comm *c);
int ccl_bcast(struct ccl_comm *c, void *buf, MPI_Count n, MPI_Datatype type, int root);
int ccl_reduce(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op, int root);
int ccl_allreduce(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op);
int ccl_scan(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op);
int ccl_exscan(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op);
int ccl_reduce_scatter_block(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op);
int ccl_reduce_scatter(struct ccl_comm *c, const void *src, void *dst, const int *n, MPI_Datatype type, MPI_Op op);
int ccl_gather(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
               MPI_Datatype td, int root);
int ccl_scatter(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
                MPI_Datatype td, int root);
int ccl_allgather(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
                  MPI_Datatype td);
int ccl_alltoall(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
                 MPI_Datatype td);
int ccl_gatherv(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, const int *nd,
                const int *at, MPI_Datatype td, int root);
int ccl_scatterv(struct ccl_comm *c, const void *src, const int *ns, const int *at, MPI_Datatype ts, void *dst,
                 MPI_Count nd, MPI_Datatype td, int root);
int ccl_allgatherv(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, const int *nd,
                   const int *at, MPI_Datatype td);
int ccl_alltoallv(struct ccl_comm *c, const void *src, const int *ns, const int *as, MPI_Datatype ts, void *dst,
                  const int *nd, const int *ad, MPI_Datatype td);
int ccl_alltoallw(struct ccl_comm *c, const void *src, const int *ns, const int *as, const MPI_Datatype *ts, void *dst,
                  const int *nd, const int *ad, const MPI_Datatype *td);

/* All of them: X(name, name in MPI, parameters, arguments), without the communicator. */
#define CCL_REDUCING(count)  const void *src, void *dst, count n, MPI_Datatype type, MPI_Op op
#define CCL_COLLECTIVES(X)                                                                                            \
	X(barrier, Barrier, (), ())                                                                                   \
	X(bcast, Bcast, (void *buf, int n, MPI_Datatype type, int root), (buf, n, type, root))                        \
	X(reduce, Reduce, (CCL_REDUCING(int), int root), (src, dst, n, type, op, root))                               \
	X(allreduce, Allreduce, (CCL_REDUCING(int)), (src, dst, n, type, op))                                         \
	X(scan, Scan, (CCL_REDUCING(int)), (src, dst, n, type, op))                                                   \
	X(exscan, Exscan, (CCL_REDUCING(int)), (src, dst, n, type, op))                                               \
	X(reduce_scatter_block, Reduce_scatter_block, (CCL_REDUCING(int)), (src, dst, n, type, op))                   \
	X(reduce_scatter, Reduce_scatter, (CCL_REDUCING(const int *)), (src, dst, n, type, op))                       \
	X(gather, Gather, (const void *src, int ns, MPI_Datatype ts, void *dst, int nd, MPI_Datatype td, int root),   \
	  (src, ns, ts, dst, nd, td, root))                                                                           \
	X(scatter, Scatter, (const void *src, int ns, MPI_Datatype ts, void *dst, int nd, MPI_Datatype td, int root), \
	  (src, ns, ts, dst, nd, td, root))                                                                           \
	X(allgather, Allgather, (const void *src, int ns, MPI_Datatype ts, void *dst, int nd, MPI_Datatype td),       \
	  (src, ns, ts, dst, nd, td))                                                                                 \
	X(alltoall, Alltoall, (const void *src, int ns, MPI_Datatype ts, void *dst, int nd, MPI_Datatype td),         \
	  (src, ns, ts, dst, nd, td))                                                                                 \
	X(gatherv, Gatherv,                                                                                           \
	  (const void *src, int ns, MPI_Datatype ts, void *dst, const int *nd, const int *ad, MPI_Datatype td, int root), \
	  (src, ns, ts, dst, nd, ad, td, root))                                                                       \
	X(scatterv, Scatterv,                                                                                         \
	  (const void *src, const int *ns, const int *as, MPI_Datatype ts, void *dst, int nd, MPI_Datatype td, int root), \
	  (src, ns, as, ts, dst, nd, td, root))                                                                       \
	X(allgatherv, Allgatherv,                                                                                     \
	  (const void *src, int ns, MPI_Datatype ts, void *dst, const int *nd, const int *ad, MPI_Datatype td),       \
	  (src, ns, ts, dst, nd, ad, td))                                                                             \
	X(alltoallv, Alltoallv,                                                                                       \
	  (const void *src, const int *ns, const int *as, MPI_Datatype ts, void *dst, const int *nd, const int *ad,   \
	   MPI_Datatype td), (src, ns, as, ts, dst, nd, ad, td))                                                      \
	X(alltoallw, Alltoallw,                                                                                       \
	  (const void *src, const int *ns, const int *as, const MPI_Datatype *ts, void *dst, const int *nd,           \
	   const int *ad, const MPI_Datatype *td), (src, ns, as, ts, dst, nd, ad, td))

#endif
