/* Each collective of MPI, made of operations of engines. Data that are only moved are words of an engine's type,
 * whatever MPI's type is: elements of a derived type are packed into a row of bytes, so that ranks that use different
 * types for the same data do the same here. Reductions use MPI's type, if engines have it. */

#include "collectives.h"

#include "engines.h"
#include "statistics.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of all blocks of one operation; what is longer is done piece by piece. */
#define PIECE ((size_t)16 << 20)

static int out_of_memory(void) { return engines_error("there is no memory for the data of a collective"); }

/* Elements of a program as a row of bytes: its own memory, or a copy if they are not in a row. */
struct row {
	char *bytes;
	size_t length;
	char *copy; /* NULL: the bytes are the program's own */
	void *buf;
	MPI_Count n, size;
	MPI_Aint extent;
	MPI_Datatype type;
};

/* The row of elements that are read, or written. */
static int row_of(struct row *r, const void *buf, MPI_Count n, MPI_Datatype type)
{
	MPI_Aint lower;

	*r = (struct row){ .buf = (void *)buf, .n = n, .type = type };
	PMPI_Type_size_x(type, &r->size);
	PMPI_Type_get_extent(type, &lower, &r->extent);
	r->length = (size_t)(n * r->size);
	r->bytes = r->buf;
	if (r->length == 0 || (lower == 0 && r->extent == r->size && ccl_is_predefined(type)))
		return MPI_SUCCESS;
	r->bytes = r->copy = malloc(r->length);
	return r->copy == NULL ? out_of_memory() : MPI_SUCCESS;
}

/* Packs the elements, or unpacks them, so many at a time that int counts their bytes. */
static int convert(struct row *r, bool pack)
{
	MPI_Count some = r->size == 0 ? 1 : (INT_MAX / 2) / r->size;
	int code = MPI_SUCCESS;

	if (r->copy == NULL)
		return MPI_SUCCESS;
	if (some == 0)
		return engines_error("an element of a collective has more bytes than a message of MPI may have");
	for (MPI_Count at = 0; at < r->n && code == MPI_SUCCESS; at += some) {
		int n = (int)(r->n - at < some ? r->n - at : some), position = 0, bytes = (int)(n * r->size);
		char *elements = (char *)r->buf + at * r->extent, *row = r->copy + at * r->size;

		code = pack ? PMPI_Pack(elements, n, r->type, row, bytes, &position, MPI_COMM_SELF)
		            : PMPI_Unpack(row, bytes, &position, elements, n, r->type, MPI_COMM_SELF);
	}
	return code;
}

static int row_read(struct row *r, const void *buf, MPI_Count n, MPI_Datatype type)
{
	int code = row_of(r, buf, n, type);

	return code == MPI_SUCCESS ? convert(r, true) : code;
}

/* Gives the program what has come, and frees the row. */
static int row_written(struct row *r, int code)
{
	if (code == MPI_SUCCESS)
		code = convert(r, false);
	free(r->copy);
	return code;
}

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

static int issue(struct ccl_comm *c, const struct job *j, const char *src, char *dst, size_t bytes)
{
	cclf_call call = {
		.operation = j->operation, .type = j->type, .reduction = j->function, .peer = j->root, .count = bytes / j->unit,
		.src = (void *)src, .dst = dst,
	};

	return engines_run(c, &call);
}

/* Runs the operation on a part of each block, through memory of its own. */
static int piece(struct ccl_comm *c, const struct job *j, char *own, size_t at, size_t length)
{
	size_t padded = (length + j->unit - 1) / j->unit * j->unit;
	char *to = j->dst == j->src ? own : own + padded * (size_t)j->src_blocks;
	int code;

	for (int b = 0; b < j->src_blocks; b++)
		memcpy(own + (size_t)b * padded, j->src + (size_t)b * j->bytes + at, length);
	code = issue(c, j, own, to, padded);
	for (int b = 0; b < j->dst_blocks && code == MPI_SUCCESS; b++)
		memcpy(j->dst + (size_t)b * j->bytes + at, to + (size_t)b * padded, length);
	return code;
}

static int run(struct ccl_comm *c, const struct job *j)
{
	size_t most = PIECE / (size_t)j->blocks / j->unit * j->unit, padded;
	char *own;
	int code = MPI_SUCCESS;

	if (j->bytes == 0)
		return MPI_SUCCESS;
	if (j->bytes % j->unit == 0 && j->bytes <= most)
		return issue(c, j, j->src, j->dst, j->bytes);
	if (most == 0)
		most = j->unit;
	padded = (j->bytes < most ? j->bytes + j->unit : most);
	own = malloc(padded * (size_t)(j->src_blocks + j->dst_blocks) + 1);
	if (own == NULL)
		return out_of_memory();
	for (size_t at = 0; at < j->bytes && code == MPI_SUCCESS; at += most)
		code = piece(c, j, own, at, j->bytes - at < most ? j->bytes - at : most);
	free(own);
	return code;
}

/* Moves blocks as words. */
static int move(struct ccl_comm *c, int operation, int root, int blocks, const char *src, int src_blocks, char *dst,
                int dst_blocks, size_t bytes)
{
	struct job j = {
		.operation = operation, .type = engines_word, .unit = (size_t)engines_word_bytes,
		.root = root, .blocks = blocks, .src = src, .src_blocks = src_blocks, .dst = dst, .dst_blocks = dst_blocks, .bytes = bytes,
	};

	return run(c, &j);
}

/* Whether the communicator has engines; the first call on it finds out, on all its ranks. */
static bool on_engines(struct ccl_comm *c)
{
	if (c->state == CCL_UNTRIED)
		engines_comm(c);
	return c->state == CCL_ON_ENGINES;
}

/* Counts a call that falls back; NULL: it does not. Then all ranks arrive by MPI before any calls its engine: engines
 * wait for a rank no longer than the platform says, and MPI goes on meanwhile. */
static bool is_served(struct ccl_comm *c, const char *name, const char *why)
{
	if (why != NULL)
		statistics_fallback(name, why);
	else
		c->arrive(c); /* after an error the engines' own answer says more */
	return why == NULL;
}

static bool serves(struct ccl_comm *c, const char *name, int operation)
{
	return is_served(c, name, on_engines(c) ? engines_operation(operation) : c->why);
}

static int done(const char *name, MPI_Datatype type, size_t bytes, int code)
{
	if (code == MPI_SUCCESS)
		statistics_done(name, type, bytes);
	return code;
}

int ccl_barrier(struct ccl_comm *c)
{
	cclf_call call = { .operation = CCLF_BARRIER };

	if (!serves(c, "barrier", CCLF_BARRIER))
		return CCL_FALLBACK;
	return done("barrier", MPI_DATATYPE_NULL, 0, engines_run(c, &call));
}

int ccl_bcast(struct ccl_comm *c, void *buf, MPI_Count n, MPI_Datatype type, int root)
{
	bool sends = c->rank == root;
	struct row r;
	int code;

	if (!serves(c, "bcast", CCLF_BCAST))
		return CCL_FALLBACK;
	if ((code = sends ? row_read(&r, buf, n, type) : row_of(&r, buf, n, type)) == MPI_SUCCESS)
		code = move(c, CCLF_BCAST, root, 1, r.bytes, 1, r.bytes, 1, r.length);
	if (sends)
		free(r.copy);
	else
		code = row_written(&r, code);
	return done("bcast", type, r.length, code);
}

/* What engines reduce alike: a type and a function. */
struct reduction {
	int type, function;
	size_t unit;
};

/* Finds the reduction, whose type and function are the same on all ranks. */
static bool reduces(struct ccl_comm *c, const char *name, int operation, MPI_Datatype type, MPI_Op op,
                    struct reduction *r)
{
	return is_served(c, name, on_engines(c) ? engines_reduction(operation, type, op, &r->type, &r->function, &r->unit)
	                                        : c->why);
}

/* Reduces blocks of n elements, of which a rank reads and gets some. */
static int reduce(struct ccl_comm *c, const struct reduction *r, int operation, int root, int blocks,
                  const void *src, int src_blocks, void *dst, int dst_blocks, MPI_Count n)
{
	struct job j = {
		.operation = operation, .type = r->type, .function = r->function, .unit = r->unit, .root = root,
		.blocks = blocks, .src = src == MPI_IN_PLACE ? dst : src, .src_blocks = src_blocks,
		.dst = dst, .dst_blocks = dst_blocks, .bytes = (size_t)n * r->unit,
	};

	return run(c, &j);
}

int ccl_reduce(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op, int root)
{
	struct reduction r;

	if (!reduces(c, "reduce", CCLF_REDUCE, type, op, &r))
		return CCL_FALLBACK;
	return done("reduce", type, (size_t)n * r.unit,
	            reduce(c, &r, CCLF_REDUCE, root, 1, src, 1, dst, c->rank == root, n));
}

int ccl_allreduce(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op)
{
	struct reduction r;

	if (!reduces(c, "allreduce", CCLF_ALLREDUCE, type, op, &r))
		return CCL_FALLBACK;
	return done("allreduce", type, (size_t)n * r.unit, reduce(c, &r, CCLF_ALLREDUCE, 0, 1, src, 1, dst, 1, n));
}

int ccl_scan(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op)
{
	struct reduction r;

	if (!reduces(c, "scan", CCLF_SCAN, type, op, &r))
		return CCL_FALLBACK;
	return done("scan", type, (size_t)n * r.unit, reduce(c, &r, CCLF_SCAN, 0, 1, src, 1, dst, 1, n));
}

int ccl_exscan(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op)
{
	struct reduction r;

	if (!reduces(c, "exscan", CCLF_EXSCAN, type, op, &r))
		return CCL_FALLBACK;
	return done("exscan", type, (size_t)n * r.unit,
	            reduce(c, &r, CCLF_EXSCAN, 0, 1, src, 1, dst, c->rank != 0, n));
}

int ccl_reduce_scatter_block(struct ccl_comm *c, const void *src, void *dst, MPI_Count n, MPI_Datatype type, MPI_Op op)
{
	struct reduction r;

	if (!reduces(c, "reduce_scatter_block", CCLF_REDUCE_SCATTER, type, op, &r))
		return CCL_FALLBACK;
	return done("reduce_scatter_block", type, (size_t)n * r.unit * (size_t)c->size,
	            reduce(c, &r, CCLF_REDUCE_SCATTER, 0, c->size, src, c->size, dst, 1, n));
}

/* Sum and greatest of the counts of all ranks. */
static void counts(const struct ccl_comm *c, const int *n, MPI_Count *all, MPI_Count *most)
{
	*all = *most = 0;
	for (int i = 0; i < c->size; i++) {
		*all += n[i];
		if (n[i] > *most)
			*most = n[i];
	}
}

/* Blocks of different lengths are padded to the longest one. */
int ccl_reduce_scatter(struct ccl_comm *c, const void *src, void *dst, const int *n, MPI_Datatype type, MPI_Op op)
{
	MPI_Count all, most;
	struct reduction r;
	char *padded;
	const char *from;
	size_t block;
	int code;

	counts(c, n, &all, &most);
	if (most * c->size > 2 * all) {
		statistics_fallback("reduce_scatter", "blocks of very different lengths");
		return CCL_FALLBACK;
	}
	if (!reduces(c, "reduce_scatter", CCLF_REDUCE_SCATTER, type, op, &r))
		return CCL_FALLBACK;
	block = (size_t)most * r.unit;
	if (all == most * c->size)
		return done("reduce_scatter", type, (size_t)all * r.unit,
		            reduce(c, &r, CCLF_REDUCE_SCATTER, 0, c->size, src, c->size, dst, 1, most));
	padded = calloc((size_t)c->size + 1, block);
	if (padded == NULL)
		return out_of_memory();
	from = src == MPI_IN_PLACE ? dst : src;
	for (int i = 0; i < c->size; i++) {
		memcpy(padded + (size_t)i * block, from, (size_t)n[i] * r.unit);
		from += (size_t)n[i] * r.unit;
	}
	code = reduce(c, &r, CCLF_REDUCE_SCATTER, 0, c->size, padded, c->size, padded + (size_t)c->size * block, 1, most);
	if (code == MPI_SUCCESS)
		memcpy(dst, padded + (size_t)c->size * block, (size_t)n[c->rank] * r.unit);
	free(padded);
	return done("reduce_scatter", type, (size_t)all * r.unit, code);
}

/* Moves blocks of equal lengths from rows to rows. A rank that has no blocks, or whose own stays, gives NULL. */
static int blocks(struct ccl_comm *c, int operation, int root, const void *src, MPI_Count ns, MPI_Datatype ts,
                  int src_blocks, void *dst, MPI_Count nd, MPI_Datatype td, int dst_blocks, size_t *bytes)
{
	struct row from = { .length = 0 }, to = { .length = 0 };
	bool in_place = src_blocks != 0 && src == MPI_IN_PLACE;
	size_t block;
	int code = MPI_SUCCESS;

	if (src_blocks != 0 && !in_place)
		code = row_read(&from, src, ns * src_blocks, ts);
	if (dst_blocks != 0 && code == MPI_SUCCESS)
		code = in_place ? row_read(&to, dst, nd * dst_blocks, td) : row_of(&to, dst, nd * dst_blocks, td);
	block = dst_blocks != 0 ? to.length / (size_t)dst_blocks : from.length / (size_t)src_blocks;
	if (in_place)
		from.bytes = src_blocks == dst_blocks ? to.bytes : to.bytes + (size_t)c->rank * block;
	if (code == MPI_SUCCESS)
		code = move(c, operation, root, c->size, from.bytes, src_blocks, to.bytes, dst_blocks, block);
	free(from.copy);
	*bytes = block * (size_t)c->size;
	return row_written(&to, code);
}

int ccl_gather(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
               MPI_Datatype td, int root)
{
	size_t bytes;
	int code;

	if (!serves(c, "gather", CCLF_GATHER))
		return CCL_FALLBACK;
	code = blocks(c, CCLF_GATHER, root, src, ns, ts, 1, dst, nd, td, c->rank == root ? c->size : 0, &bytes);
	return done("gather", src == MPI_IN_PLACE ? td : ts, bytes, code);
}

/* The root's own block, which stays in place, goes to memory that nobody reads. */
int ccl_scatter(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
                MPI_Datatype td, int root)
{
	bool stays = c->rank == root && dst == MPI_IN_PLACE;
	MPI_Count size = 0;
	void *unread = NULL;
	size_t bytes;
	int code;

	if (!serves(c, "scatter", CCLF_SCATTER))
		return CCL_FALLBACK;
	if (stays) {
		PMPI_Type_size_x(ts, &size);
		unread = malloc((size_t)(ns * size) + 1);
		if (unread == NULL)
			return out_of_memory();
	}
	code = blocks(c, CCLF_SCATTER, root, src, ns, ts, c->rank == root ? c->size : 0, stays ? unread : dst,
	              stays ? ns * size : nd, stays ? MPI_BYTE : td, 1, &bytes);
	free(unread);
	return done("scatter", stays ? ts : td, bytes, code);
}

int ccl_allgather(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
                  MPI_Datatype td)
{
	size_t bytes;
	int code;

	if (!serves(c, "allgather", CCLF_ALLGATHER))
		return CCL_FALLBACK;
	code = blocks(c, CCLF_ALLGATHER, 0, src, ns, ts, 1, dst, nd, td, c->size, &bytes);
	return done("allgather", td, bytes, code);
}

int ccl_alltoall(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, MPI_Count nd,
                 MPI_Datatype td)
{
	size_t bytes;
	int code;

	if (!serves(c, "alltoall", CCLF_ALLTOALL))
		return CCL_FALLBACK;
	code = blocks(c, CCLF_ALLTOALL, 0, src, ns, ts, c->size, dst, nd, td, c->size, &bytes);
	return done("alltoall", td, bytes, code);
}

/* Elements of one rank among those of all. */
struct share {
	void *buf;
	MPI_Count n;
	MPI_Datatype type;
};

static struct share share_of(const void *buf, const int *n, const int *at, MPI_Datatype type, int rank)
{
	MPI_Aint lower, extent;

	PMPI_Type_get_extent(type, &lower, &extent);
	return (struct share){ (char *)buf + (MPI_Aint)at[rank] * extent, n[rank], type };
}

/* Sends elements to a rank and receives others from a rank, at the same time; -1 for either: none. */
static int exchange(struct ccl_comm *c, int to, struct share out, int from, struct share in, size_t *bytes)
{
	struct row sent = { .length = 0 }, got = { .length = 0 };
	int code = MPI_SUCCESS;

	if (to >= 0)
		code = row_read(&sent, out.buf, out.n, out.type);
	if (from >= 0 && code == MPI_SUCCESS)
		code = row_of(&got, in.buf, in.n, in.type);
	for (size_t at = 0; code == MPI_SUCCESS && (at < sent.length || at < got.length); at += PIECE) {
		size_t left = at < sent.length ? sent.length - at : 0, room = at < got.length ? got.length - at : 0;

		code = engines_exchange(c, to, sent.bytes + at, left < PIECE ? left : PIECE, from, got.bytes + at,
		                        room < PIECE ? room : PIECE);
	}
	free(sent.copy);
	*bytes += sent.length + got.length;
	return from >= 0 ? row_written(&got, code) : code;
}

static const struct share nothing = { NULL, 0, MPI_BYTE };

/* What a rank sends to itself. */
static int keep(struct share from, struct share to)
{
	struct row a, b;
	int code = row_read(&a, from.buf, from.n, from.type);

	if (code == MPI_SUCCESS)
		code = row_of(&b, to.buf, to.n, to.type);
	else
		b.copy = NULL;
	if (code == MPI_SUCCESS)
		memmove(b.bytes, a.bytes, a.length < b.length ? a.length : b.length);
	free(a.copy);
	return row_written(&b, code);
}

int ccl_gatherv(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, const int *nd,
                const int *at, MPI_Datatype td, int root)
{
	struct share own = { (void *)src, ns, ts };
	size_t bytes = 0;
	int code = MPI_SUCCESS;

	if (!serves(c, "gatherv", CCLF_SEND))
		return CCL_FALLBACK;
	if (c->rank != root)
		code = exchange(c, root, own, -1, nothing, &bytes);
	for (int i = 0; c->rank == root && i < c->size && code == MPI_SUCCESS; i++) {
		struct share block = share_of(dst, nd, at, td, i);

		if (i != root)
			code = exchange(c, -1, nothing, i, block, &bytes);
		else if (src != MPI_IN_PLACE)
			code = keep(own, block);
	}
	return done("gatherv", c->rank == root ? td : ts, bytes, code);
}

int ccl_scatterv(struct ccl_comm *c, const void *src, const int *ns, const int *at, MPI_Datatype ts, void *dst,
                 MPI_Count nd, MPI_Datatype td, int root)
{
	struct share own = { dst, nd, td };
	size_t bytes = 0;
	int code = MPI_SUCCESS;

	if (!serves(c, "scatterv", CCLF_SEND))
		return CCL_FALLBACK;
	if (c->rank != root)
		code = exchange(c, -1, nothing, root, own, &bytes);
	for (int i = 0; c->rank == root && i < c->size && code == MPI_SUCCESS; i++) {
		struct share block = share_of(src, ns, at, ts, i);

		if (i != root)
			code = exchange(c, i, block, -1, nothing, &bytes);
		else if (dst != MPI_IN_PLACE)
			code = keep(block, own);
	}
	return done("scatterv", c->rank == root ? ts : td, bytes, code);
}

/* Each rank's block goes to all others, one rank after the other. */
int ccl_allgatherv(struct ccl_comm *c, const void *src, MPI_Count ns, MPI_Datatype ts, void *dst, const int *nd,
                   const int *at, MPI_Datatype td)
{
	size_t bytes = 0;
	int code = MPI_SUCCESS;

	if (!serves(c, "allgatherv", CCLF_BCAST))
		return CCL_FALLBACK;
	if (src != MPI_IN_PLACE)
		code = keep((struct share){ (void *)src, ns, ts }, share_of(dst, nd, at, td, c->rank));
	for (int i = 0; i < c->size && code == MPI_SUCCESS; i++) {
		struct share block = share_of(dst, nd, at, td, i);
		struct row r;

		code = i == c->rank ? row_read(&r, block.buf, block.n, td) : row_of(&r, block.buf, block.n, td);
		if (code == MPI_SUCCESS)
			code = move(c, CCLF_BCAST, i, 1, r.bytes, 1, r.bytes, 1, r.length);
		bytes += r.length;
		if (i == c->rank)
			free(r.copy);
		else
			code = row_written(&r, code);
	}
	return done("allgatherv", td, bytes, code);
}

/* In round k a rank sends to the one k further on, and receives from the one k before. With one type for all ranks
 * displacements count elements, else bytes. */
static int to_all(struct ccl_comm *c, const char *name, const void *src, const int *ns, const int *as,
                  const MPI_Datatype *ts, void *dst, const int *nd, const int *ad, const MPI_Datatype *td, bool one)
{
	size_t bytes = 0;
	int code = MPI_SUCCESS;

	if (src == MPI_IN_PLACE) { /* on all ranks alike */
		statistics_fallback(name, "in place");
		return CCL_FALLBACK;
	}
	if (!serves(c, name, CCLF_SEND))
		return CCL_FALLBACK;
	for (int k = 0; k < c->size && code == MPI_SUCCESS; k++) {
		int to = (c->rank + k) % c->size, from = (c->rank + c->size - k) % c->size;
		struct share out = one ? share_of(src, ns, as, *ts, to)
		                       : (struct share){ (char *)src + as[to], ns[to], ts[to] };
		struct share in = one ? share_of(dst, nd, ad, *td, from)
		                      : (struct share){ (char *)dst + ad[from], nd[from], td[from] };

		code = k == 0 ? keep(out, in) : exchange(c, to, out, from, in, &bytes);
	}
	return done(name, one ? *td : MPI_DATATYPE_NULL, bytes, code);
}

int ccl_alltoallv(struct ccl_comm *c, const void *src, const int *ns, const int *as, MPI_Datatype ts, void *dst,
                  const int *nd, const int *ad, MPI_Datatype td)
{
	return to_all(c, "alltoallv", src, ns, as, &ts, dst, nd, ad, &td, true);
}

int ccl_alltoallw(struct ccl_comm *c, const void *src, const int *ns, const int *as, const MPI_Datatype *ts, void *dst,
                  const int *nd, const int *ad, const MPI_Datatype *td)
{
	return to_all(c, "alltoallw", src, ns, as, ts, dst, nd, ad, td, false);
}
