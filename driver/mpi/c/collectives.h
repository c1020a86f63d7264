/* Collectives of MPI on engines, for whatever puts itself before MPI's own: a component of Open MPI, or a library of
 * profiling functions. Each collective is an operation: blocking ones are started and waited for, others are started
 * and asked after, persistent ones started again. What engines cannot do is CCL_FALLBACK, on all ranks of the
 * communicator alike, and done by MPI. */

#ifndef CCLFORGE_MPI_COLLECTIVES_H
#define CCLFORGE_MPI_COLLECTIVES_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* No error of MPI: its own function is to be called. */
#define CCL_FALLBACK (-1000)

/* A communicator. Its owner sets all up to size, and the functions from what MPI itself has. */
struct ccl_comm {
	MPI_Comm comm;
	void *host;
	/* Begins to send a rank values, or to receive them. */
	int (*message)(struct ccl_comm *comm, bool sends, int peer, int *values, int n, MPI_Request *request);
	int (*least)(struct ccl_comm *comm, int *value); /* the least value of all ranks, on all of them */
	int (*tell)(struct ccl_comm *comm, void *from_rank_0, int bytes);
	int (*greatest)(struct ccl_comm *comm, const int64_t own[2], int64_t all[2], MPI_Request *request);
	int (*test)(MPI_Request *request, int *done); /* whether that is done */
	void (*progress)(struct ccl_comm *comm); /* of messages, while a rank waits */
	void (*released)(struct ccl_comm *comm); /* after its end no operation uses it any more */
	int rank, size;

	enum { CCL_UNTRIED, CCL_ASKED, CCL_ON_ENGINES, CCL_NOT_ON_ENGINES } state;
	const char *why; /* it is not on engines */
	int64_t engines; /* their communicator */
	MPI_Request asked;
	int64_t id; /* the same on all ranks */
	int64_t own[2], all[2]; /* what ranks agree on */
	int64_t place; /* where they meet in memory; 0: they meet by messages of MPI */
	uint64_t met; /* how often they have, there */
	uint64_t calls; /* that were made */
	int pending;
	bool ended;
};

/* Whether a type is one of MPI's own. The owner of the communicators has this, too. */
bool ccl_is_predefined(MPI_Datatype type);

/* Keeps a type until it is let go, also if the program frees it. The owner of the communicators has these, too. */
int ccl_keep(MPI_Datatype *type);
void ccl_let_go(MPI_Datatype *type);

/* Whether a world is asked for, in CCLFORGE_WORLD, on any rank. All ranks of MPI_COMM_WORLD call it, with its
 * communicator. */
bool ccl_wanted(struct ccl_comm *world);

/* Opens it if it is wanted. All ranks call it, as before, and say whether several threads may call MPI at the same
 * time. Returns NULL, or why not, on all ranks. */
const char *ccl_open(struct ccl_comm *world, bool threads);

/* Prints the statistics, and closes the world. Operations in flight end with an error. */
void ccl_close(void);

/* Begins to find out whether engines serve a communicator, without waiting. All its ranks call it before any
 * collective is made. */
void ccl_comm_begin(struct ccl_comm *comm);

/* Gives back what a communicator has of the engines. */
void ccl_comm_end(struct ccl_comm *comm);

/* An operation. Functions below make one, which has to be freed; or there is an error, and none. */
struct ccl_op;

/* Starts it, or starts it again: what goes wrong is said at its end. */
void ccl_start(struct ccl_op *op);
bool ccl_is_over(const struct ccl_op *op);

/* Waits until it is over, or a moment, while messages of MPI go on. */
void ccl_wait(struct ccl_op *op);
bool ccl_look(struct ccl_op *op);

/* Gives the program what has come, once it is over. Returns an error of MPI. */
int ccl_end(struct ccl_op *op);
void ccl_free(struct ccl_op *op);

/* Does a blocking one, and frees it. */
int ccl_do(struct ccl_op *op);

/* Counts or displacements of all ranks: of int, or of 8 bytes. */
struct ccl_list {
	const void *of;
	bool is_long;
};

#define CCL_LIST(array) ((struct ccl_list){ (array), sizeof *(array) == 8 })

/* All collectives: X(name, name in MPI, parameters, arguments, arguments here), without the communicator. Counts are N
 * and displacements A: int, or MPI_Count and MPI_Aint. */
#define CCL_REDUCING(N) const void *src, void *dst, N n, MPI_Datatype type, MPI_Op op
#define CCL_REDUCES (src, dst, n, type, op)
#define CCL_MOVING(NS, ND) const void *src, NS ns, MPI_Datatype ts, void *dst, ND nd, MPI_Datatype td
#define CCL_MOVES src, ns, ts, dst, nd, td
#define CCL_COLLECTIVES(X, N, A)                                                                                      \
	X(barrier, Barrier, (), (), ())                                                                               \
	CCL_COUNTING(X, N, A)
#define CCL_COUNTING(X, N, A)                                                                                         \
	X(bcast, Bcast, (void *buf, N n, MPI_Datatype type, int root), (buf, n, type, root), (buf, n, type, root))    \
	X(reduce, Reduce, (CCL_REDUCING(N), int root), (src, dst, n, type, op, root), (src, dst, n, type, op, root))  \
	X(allreduce, Allreduce, (CCL_REDUCING(N)), CCL_REDUCES, CCL_REDUCES)                                          \
	X(scan, Scan, (CCL_REDUCING(N)), CCL_REDUCES, CCL_REDUCES)                                                    \
	X(exscan, Exscan, (CCL_REDUCING(N)), CCL_REDUCES, CCL_REDUCES)                                                \
	X(reduce_scatter_block, Reduce_scatter_block, (CCL_REDUCING(N)), CCL_REDUCES, CCL_REDUCES)                    \
	X(reduce_scatter, Reduce_scatter, (CCL_REDUCING(const N *)), CCL_REDUCES, (src, dst, CCL_LIST(n), type, op))  \
	X(gather, Gather, (CCL_MOVING(N, N), int root), (CCL_MOVES, root), (CCL_MOVES, root))                         \
	X(scatter, Scatter, (CCL_MOVING(N, N), int root), (CCL_MOVES, root), (CCL_MOVES, root))                       \
	X(allgather, Allgather, (CCL_MOVING(N, N)), (CCL_MOVES), (CCL_MOVES))                                         \
	X(alltoall, Alltoall, (CCL_MOVING(N, N)), (CCL_MOVES), (CCL_MOVES))                                           \
	X(gatherv, Gatherv,                                                                                           \
	  (const void *src, N ns, MPI_Datatype ts, void *dst, const N *nd, const A *ad, MPI_Datatype td, int root),   \
	  (src, ns, ts, dst, nd, ad, td, root), (src, ns, ts, dst, CCL_LIST(nd), CCL_LIST(ad), td, root))             \
	X(scatterv, Scatterv,                                                                                         \
	  (const void *src, const N *ns, const A *as, MPI_Datatype ts, void *dst, N nd, MPI_Datatype td, int root),   \
	  (src, ns, as, ts, dst, nd, td, root), (src, CCL_LIST(ns), CCL_LIST(as), ts, dst, nd, td, root))             \
	X(allgatherv, Allgatherv,                                                                                     \
	  (const void *src, N ns, MPI_Datatype ts, void *dst, const N *nd, const A *ad, MPI_Datatype td),             \
	  (src, ns, ts, dst, nd, ad, td), (src, ns, ts, dst, CCL_LIST(nd), CCL_LIST(ad), td))                         \
	X(alltoallv, Alltoallv,                                                                                       \
	  (const void *src, const N *ns, const A *as, MPI_Datatype ts, void *dst, const N *nd, const A *ad,           \
	   MPI_Datatype td), (src, ns, as, ts, dst, nd, ad, td),                                                      \
	  (src, CCL_LIST(ns), CCL_LIST(as), ts, dst, CCL_LIST(nd), CCL_LIST(ad), td))                                 \
	X(alltoallw, Alltoallw,                                                                                       \
	  (const void *src, const N *ns, const A *as, const MPI_Datatype *ts, void *dst, const N *nd, const A *ad,    \
	   const MPI_Datatype *td), (src, ns, as, ts, dst, nd, ad, td),                                               \
	  (src, CCL_LIST(ns), CCL_LIST(as), ts, dst, CCL_LIST(nd), CCL_LIST(ad), td))

/* What statistics call it, and where the operation goes; the other arguments are those of MPI's functions. */
#define CCL_OP struct ccl_comm *c, const char *name, struct ccl_op **made

int ccl_barrier(CCL_OP);
int ccl_bcast(CCL_OP, void *buf, MPI_Count n, MPI_Datatype type, int root);
int ccl_reduce(CCL_OP, CCL_REDUCING(MPI_Count), int root);
int ccl_allreduce(CCL_OP, CCL_REDUCING(MPI_Count));
int ccl_scan(CCL_OP, CCL_REDUCING(MPI_Count));
int ccl_exscan(CCL_OP, CCL_REDUCING(MPI_Count));
int ccl_reduce_scatter_block(CCL_OP, CCL_REDUCING(MPI_Count));
int ccl_reduce_scatter(CCL_OP, CCL_REDUCING(struct ccl_list));
int ccl_gather(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count), int root);
int ccl_scatter(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count), int root);
int ccl_allgather(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count));
int ccl_alltoall(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count));
int ccl_gatherv(CCL_OP, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, struct ccl_list nd,
                struct ccl_list ad, MPI_Datatype td, int root);
int ccl_scatterv(CCL_OP, const void *src, struct ccl_list ns, struct ccl_list as, MPI_Datatype ts, void *dst,
                 MPI_Count nd, MPI_Datatype td, int root);
int ccl_allgatherv(CCL_OP, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, struct ccl_list nd,
                   struct ccl_list ad, MPI_Datatype td);
int ccl_alltoallv(CCL_OP, const void *src, struct ccl_list ns, struct ccl_list as, MPI_Datatype ts, void *dst,
                  struct ccl_list nd, struct ccl_list ad, MPI_Datatype td);
int ccl_alltoallw(CCL_OP, const void *src, struct ccl_list ns, struct ccl_list as, const MPI_Datatype *ts, void *dst,
                  struct ccl_list nd, struct ccl_list ad, const MPI_Datatype *td);

/* Parameters or arguments of a function, before others or behind others. */
#define CCL_BEFORE(...) __VA_ARGS__ __VA_OPT__(, )
#define CCL_BEHIND(...) __VA_OPT__(, ) __VA_ARGS__

#endif
