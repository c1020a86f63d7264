/* What an operation is made of. Elements of the program are rows of bytes: packed when the operation starts, unpacked
 * when it has ended, by the thread that calls MPI. In between a thread of ours does the steps, one after the other:
 * they need nothing of MPI, so that they go on while the program computes. */

#ifndef CCLFORGE_MPI_OPERATIONS_H
#define CCLFORGE_MPI_OPERATIONS_H

#include "collectives.h"

#include <stddef.h>

/* Elements of a program as a row of bytes: its own memory, or a copy if they are not in a row. */
struct row {
	struct row *next;
	char *bytes;
	size_t length;
	char *copy; /* NULL: the bytes are the program's own */
	int use;
	void *buf;
	MPI_Count n, size;
	MPI_Aint extent;
	MPI_Datatype type;
	bool is_kept; /* the program may free its type */
};

/* What becomes of a row. */
enum { ROW_READ = 1, ROW_WRITTEN = 2, ROW_COPIED = 4 };

/* An operation of engines on blocks of so many bytes. A rank may have fewer blocks than the operation has. */
struct job {
	int operation, type, function;
	size_t unit; /* bytes of an element */
	int root, blocks;
	const char *src;
	int src_blocks;
	char *dst;
	int dst_blocks;
	size_t bytes;
};

/* An operation that moves or reduces nothing yet, for a communicator on engines; NULL: there is no memory. The type is
 * for the statistics. */
struct ccl_op *operation_new(struct ccl_comm *c, const char *name, MPI_Datatype type);

/* A row of it. Without memory it has no bytes, and the operation fails. */
struct row *operation_row(struct ccl_op *o, const void *buf, MPI_Count n, MPI_Datatype type, int use);

/* Memory for steps, which is all 0 when they begin for the first time. */
char *operation_memory(struct ccl_op *o, size_t bytes);

/* Steps: blocks through engines, piece by piece if they are long; bytes sent to a rank and others received at the same
 * time, -1 for none; a copy. */
void operation_job(struct ccl_op *o, struct job job);
void operation_exchange(struct ccl_op *o, int to, const char *out, size_t out_bytes, int from, char *in,
                        size_t in_bytes);
void operation_copy(struct ccl_op *o, char *to, const char *from, size_t bytes);

/* Adds to the bytes of the statistics. */
void operation_count(struct ccl_op *o, size_t bytes);

/* Waits for an agreement of the ranks of a communicator. NULL, or why there is none. */
const char *operations_await(struct ccl_comm *c, MPI_Request *request);

/* Begins and ends the thread that does the steps, for a program of one thread or of several. NULL, or why not. */
const char *operations_open(bool threads);
void operations_close(void);

#endif
