/* Each collective of MPI, made of operations of engines. Data that are only moved are words of an engine's type,
 * whatever MPI's type is: elements of a derived type are packed into a row of bytes, so that ranks that use different
 * types for the same data do the same here. Reductions use MPI's type, if engines have it. */

#include "collectives.h"

#include "engines.h"
#include "operations.h"
#include "statistics.h"

#include <stdlib.h>
#include <string.h>

/* Makes an operation, unless there is a reason to fall back, which it counts. */
static int serve(CCL_OP, const char *why, MPI_Datatype type)
{
	if (why != NULL) {
		statistics_fallback(name, why);
		return CCL_FALLBACK;
	}
	*made = operation_new(c, name, type);
	return *made == NULL ? engines_error("there is no memory for a collective") : MPI_SUCCESS;
}

/* The same for one that moves data. */
static int moves(CCL_OP, int operation, MPI_Datatype type)
{
	return serve(c, name, made, engines_serve(c) ? engines_operation(operation) : c->why, type);
}

/* Moves blocks as words. */
static void move(struct ccl_op *o, int operation, int root, int blocks, const char *src, int src_blocks, char *dst,
                 int dst_blocks, size_t bytes)
{
	operation_job(o, (struct job){
		.operation = operation, .type = engines_word, .unit = (size_t)engines_word_bytes, .root = root, .blocks = blocks,
		.src = src, .src_blocks = src_blocks, .dst = dst, .dst_blocks = dst_blocks, .bytes = bytes,
	});
}

int ccl_barrier(CCL_OP)
{
	int code = moves(c, name, made, CCLF_BARRIER, MPI_DATATYPE_NULL);

	if (code == MPI_SUCCESS)
		move(*made, CCLF_BARRIER, 0, 1, NULL, 0, NULL, 0, 0);
	return code;
}

int ccl_bcast(CCL_OP, void *buf, MPI_Count n, MPI_Datatype type, int root)
{
	int code = moves(c, name, made, CCLF_BCAST, type);
	struct row *r;

	if (code != MPI_SUCCESS)
		return code;
	r = operation_row(*made, buf, n, type, c->rank == root ? ROW_READ : ROW_WRITTEN);
	move(*made, CCLF_BCAST, root, 1, r->bytes, 1, r->bytes, 1, r->length);
	operation_count(*made, r->length);
	return MPI_SUCCESS;
}

/* What engines reduce alike: a type and a function. */
struct reduction {
	int operation, type, function;
	size_t unit;
};

/* Finds the reduction, whose type and function are the same on all ranks. */
static int reduces(CCL_OP, int operation, MPI_Datatype type, MPI_Op op, struct reduction *r)
{
	r->operation = operation;
	return serve(c, name, made, engines_serve(c) ? engines_reduction(operation, type, op, &r->type, &r->function, &r->unit)
	                                             : c->why, type);
}

/* Reduces blocks of n elements, of which a rank reads and gets some. */
static void reduce(struct ccl_op *o, const struct reduction *r, int root, int blocks, const void *src, int src_blocks,
                   void *dst, int dst_blocks, MPI_Count n)
{
	operation_job(o, (struct job){
		.operation = r->operation, .type = r->type, .function = r->function, .unit = r->unit, .root = root,
		.blocks = blocks, .src = src == MPI_IN_PLACE ? dst : src, .src_blocks = src_blocks,
		.dst = dst, .dst_blocks = dst_blocks, .bytes = (size_t)n * r->unit,
	});
}

/* Those of equal blocks for all ranks. */
static int reducing(CCL_OP, CCL_REDUCING(MPI_Count), int operation, int root, int blocks, int dst_blocks)
{
	struct reduction r;
	int code = reduces(c, name, made, operation, type, op, &r);

	if (code != MPI_SUCCESS)
		return code;
	reduce(*made, &r, root, blocks, src, blocks, dst, dst_blocks, n);
	operation_count(*made, (size_t)n * r.unit * (size_t)blocks);
	return MPI_SUCCESS;
}

int ccl_reduce(CCL_OP, CCL_REDUCING(MPI_Count), int root)
{
	return reducing(c, name, made, src, dst, n, type, op, CCLF_REDUCE, root, 1, c->rank == root);
}

int ccl_allreduce(CCL_OP, CCL_REDUCING(MPI_Count))
{
	return reducing(c, name, made, src, dst, n, type, op, CCLF_ALLREDUCE, 0, 1, 1);
}

int ccl_scan(CCL_OP, CCL_REDUCING(MPI_Count))
{
	return reducing(c, name, made, src, dst, n, type, op, CCLF_SCAN, 0, 1, 1);
}

int ccl_exscan(CCL_OP, CCL_REDUCING(MPI_Count))
{
	return reducing(c, name, made, src, dst, n, type, op, CCLF_EXSCAN, 0, 1, c->rank != 0);
}

int ccl_reduce_scatter_block(CCL_OP, CCL_REDUCING(MPI_Count))
{
	return reducing(c, name, made, src, dst, n, type, op, CCLF_REDUCE_SCATTER, 0, c->size, 1);
}

static MPI_Count item(struct ccl_list list, int rank)
{
	return list.is_long ? ((const int64_t *)list.of)[rank] : ((const int *)list.of)[rank];
}

/* Blocks of different lengths are padded to the longest one. */
int ccl_reduce_scatter(CCL_OP, CCL_REDUCING(struct ccl_list))
{
	MPI_Count all = 0, most = 0;
	struct reduction r;
	char *padded, *own;
	const char *from = src == MPI_IN_PLACE ? dst : src;
	size_t block;
	int code;

	for (int i = 0; i < c->size; i++) {
		all += item(n, i);
		if (item(n, i) > most)
			most = item(n, i);
	}
	if (most * c->size > 2 * all)
		return serve(c, name, made, "blocks of very different lengths", type);
	code = reduces(c, name, made, CCLF_REDUCE_SCATTER, type, op, &r);
	if (code != MPI_SUCCESS)
		return code;
	operation_count(*made, (size_t)all * r.unit);
	if (all == most * c->size) {
		reduce(*made, &r, 0, c->size, src, c->size, dst, 1, most);
		return MPI_SUCCESS;
	}
	block = (size_t)most * r.unit;
	padded = operation_memory(*made, block * (size_t)c->size);
	own = operation_memory(*made, block);
	for (int i = 0; padded != NULL && i < c->size; i++) {
		operation_copy(*made, padded + (size_t)i * block, from, (size_t)item(n, i) * r.unit);
		from += (size_t)item(n, i) * r.unit;
	}
	reduce(*made, &r, 0, c->size, padded, c->size, own, 1, most);
	operation_copy(*made, dst, own, (size_t)item(n, c->rank) * r.unit);
	return MPI_SUCCESS;
}

/* Moves blocks of equal lengths from rows to rows. A rank that has no blocks, or whose own stays, gives NULL. */
static void blocks(struct ccl_op *o, struct ccl_comm *c, int operation, int root, CCL_MOVING(MPI_Count, MPI_Count),
                   int src_blocks, int dst_blocks)
{
	struct row none = { .length = 0 }, *from = &none, *to = &none;
	bool in_place = src_blocks != 0 && src == MPI_IN_PLACE;
	char *bytes;
	size_t block;

	if (src_blocks != 0 && !in_place)
		from = operation_row(o, src, ns * src_blocks, ts, ROW_READ);
	if (dst_blocks != 0)
		to = operation_row(o, dst, nd * dst_blocks, td, in_place ? ROW_READ | ROW_WRITTEN : ROW_WRITTEN);
	block = dst_blocks != 0 ? to->length / (size_t)dst_blocks : from->length / (size_t)src_blocks;
	bytes = from->bytes;
	if (in_place)
		bytes = src_blocks == dst_blocks ? to->bytes : to->bytes + (size_t)c->rank * block;
	move(o, operation, root, c->size, bytes, src_blocks, to->bytes, dst_blocks, block);
	operation_count(o, block * (size_t)c->size);
}

int ccl_gather(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count), int root)
{
	int code = moves(c, name, made, CCLF_GATHER, src == MPI_IN_PLACE ? td : ts);

	if (code == MPI_SUCCESS)
		blocks(*made, c, CCLF_GATHER, root, src, ns, ts, dst, nd, td, 1, c->rank == root ? c->size : 0);
	return code;
}

/* The root's own block, which stays in place, goes to memory that nobody reads. */
int ccl_scatter(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count), int root)
{
	bool stays = c->rank == root && dst == MPI_IN_PLACE;
	int code = moves(c, name, made, CCLF_SCATTER, stays ? ts : td);
	MPI_Count size = 0;

	if (code != MPI_SUCCESS)
		return code;
	if (stays) {
		PMPI_Type_size_x(ts, &size);
		nd = ns * size;
		td = MPI_BYTE;
		dst = operation_memory(*made, (size_t)nd);
	}
	blocks(*made, c, CCLF_SCATTER, root, src, ns, ts, dst, nd, td, c->rank == root ? c->size : 0, 1);
	return MPI_SUCCESS;
}

int ccl_allgather(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count))
{
	int code = moves(c, name, made, CCLF_ALLGATHER, td);

	if (code == MPI_SUCCESS)
		blocks(*made, c, CCLF_ALLGATHER, 0, src, ns, ts, dst, nd, td, 1, c->size);
	return code;
}

int ccl_alltoall(CCL_OP, CCL_MOVING(MPI_Count, MPI_Count))
{
	int code = moves(c, name, made, CCLF_ALLTOALL, td);

	if (code == MPI_SUCCESS)
		blocks(*made, c, CCLF_ALLTOALL, 0, src, ns, ts, dst, nd, td, c->size, c->size);
	return code;
}

/* Elements of one rank among those of all. */
struct share {
	void *buf;
	MPI_Count n;
	MPI_Datatype type;
};

/* Displacements count elements, or bytes. */
static struct share share_of(const void *buf, struct ccl_list n, struct ccl_list at, bool of_bytes, MPI_Datatype type,
                             int rank)
{
	MPI_Aint lower, extent = 1;

	if (!of_bytes)
		PMPI_Type_get_extent(type, &lower, &extent);
	return (struct share){ (char *)buf + (MPI_Aint)item(at, rank) * extent, item(n, rank), type };
}

/* Sends elements to a rank and receives others from a rank, at the same time; NULL for either: none. */
static void exchange(struct ccl_op *o, int to, const struct share *out, int sent_use, int from, const struct share *in)
{
	struct row none = { .length = 0 }, *sent = &none, *got = &none;

	if (out != NULL)
		sent = operation_row(o, out->buf, out->n, out->type, sent_use);
	if (in != NULL)
		got = operation_row(o, in->buf, in->n, in->type, ROW_WRITTEN);
	operation_exchange(o, out == NULL ? -1 : to, sent->bytes, sent->length, in == NULL ? -1 : from, got->bytes,
	                   got->length);
	operation_count(o, sent->length + got->length);
}

/* What a rank sends to itself. */
static void keep(struct ccl_op *o, struct share from, struct share to)
{
	struct row *a = operation_row(o, from.buf, from.n, from.type, ROW_READ);
	struct row *b = operation_row(o, to.buf, to.n, to.type, ROW_WRITTEN);

	operation_copy(o, b->bytes, a->bytes, a->length < b->length ? a->length : b->length);
}

int ccl_gatherv(CCL_OP, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, struct ccl_list nd,
                struct ccl_list ad, MPI_Datatype td, int root)
{
	struct share own = { (void *)src, ns, ts };
	int code = moves(c, name, made, CCLF_SEND, c->rank == root ? td : ts);

	if (code != MPI_SUCCESS)
		return code;
	if (c->rank != root)
		exchange(*made, root, &own, ROW_READ, -1, NULL);
	for (int i = 0; c->rank == root && i < c->size; i++) {
		struct share block = share_of(dst, nd, ad, false, td, i);

		if (i != root)
			exchange(*made, -1, NULL, 0, i, &block);
		else if (src != MPI_IN_PLACE)
			keep(*made, own, block);
	}
	return MPI_SUCCESS;
}

int ccl_scatterv(CCL_OP, const void *src, struct ccl_list ns, struct ccl_list as, MPI_Datatype ts, void *dst,
                 MPI_Count nd, MPI_Datatype td, int root)
{
	struct share own = { dst, nd, td };
	int code = moves(c, name, made, CCLF_SEND, c->rank == root ? ts : td);

	if (code != MPI_SUCCESS)
		return code;
	if (c->rank != root)
		exchange(*made, -1, NULL, 0, root, &own);
	for (int i = 0; c->rank == root && i < c->size; i++) {
		struct share block = share_of(src, ns, as, false, ts, i);

		if (i != root)
			exchange(*made, i, &block, ROW_READ, -1, NULL);
		else if (dst != MPI_IN_PLACE)
			keep(*made, block, own);
	}
	return MPI_SUCCESS;
}

/* Each rank's block goes to all others, one rank after the other. */
int ccl_allgatherv(CCL_OP, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, struct ccl_list nd,
                   struct ccl_list ad, MPI_Datatype td)
{
	int code = moves(c, name, made, CCLF_BCAST, td);

	if (code != MPI_SUCCESS)
		return code;
	for (int i = 0; i < c->size; i++) {
		struct share block = share_of(dst, nd, ad, false, td, i);
		struct row *r;

		if (i != c->rank)
			r = operation_row(*made, block.buf, block.n, td, ROW_WRITTEN);
		else if (src == MPI_IN_PLACE)
			r = operation_row(*made, block.buf, block.n, td, ROW_READ);
		else {
			r = operation_row(*made, src, ns, ts, ROW_READ);
			keep(*made, (struct share){ (void *)src, ns, ts }, block);
		}
		move(*made, CCLF_BCAST, i, 1, r->bytes, 1, r->bytes, 1, r->length);
		operation_count(*made, r->length);
	}
	return MPI_SUCCESS;
}

/* In round k a rank sends to the one k further on, and receives from the one k before. What is sent in place is copied
 * before anything comes. There are types for each rank, or one, and displacements count its elements. */
static int to_all(CCL_OP, const void *src, struct ccl_list ns, struct ccl_list as, const MPI_Datatype *ts, void *dst,
                  struct ccl_list nd, struct ccl_list ad, const MPI_Datatype *td, bool one)
{
	bool in_place = src == MPI_IN_PLACE;
	int code = moves(c, name, made, CCLF_SEND, one ? *td : MPI_DATATYPE_NULL);

	for (int k = 0; k < c->size && code == MPI_SUCCESS; k++) {
		int to = (c->rank + k) % c->size, from = (c->rank + c->size - k) % c->size;
		struct share in = share_of(dst, nd, ad, !one, td[one ? 0 : from], from);
		struct share out = in_place ? share_of(dst, nd, ad, !one, td[one ? 0 : to], to)
		                            : share_of(src, ns, as, !one, ts[one ? 0 : to], to);

		if (k != 0)
			exchange(*made, to, &out, in_place ? ROW_READ | ROW_COPIED : ROW_READ, from, &in);
		else if (!in_place)
			keep(*made, out, in);
	}
	return code;
}

int ccl_alltoallv(CCL_OP, const void *src, struct ccl_list ns, struct ccl_list as, MPI_Datatype ts, void *dst,
                  struct ccl_list nd, struct ccl_list ad, MPI_Datatype td)
{
	return to_all(c, name, made, src, ns, as, &ts, dst, nd, ad, &td, true);
}

int ccl_alltoallw(CCL_OP, const void *src, struct ccl_list ns, struct ccl_list as, const MPI_Datatype *ts, void *dst,
                  struct ccl_list nd, struct ccl_list ad, const MPI_Datatype *td)
{
	return to_all(c, name, made, src, ns, as, ts, dst, nd, ad, td, false);
}
