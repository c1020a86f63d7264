/* matrix [threads] [long] [waiting] [persistent]
 *
 * Calls each collective of MPI with each type, reduction, root and count, in place and not, on several communicators,
 * and checks each result against values that every rank can work out by itself. Collectives that are not blocking, and
 * persistent ones, are for the arguments that ask for them. */

#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(Name) MPIX_##Name##_init
#elif MPI_VERSION >= 4
#define INIT(Name) MPI_##Name##_init
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(a) ((int)(sizeof(a) / sizeof((a)[0])))

static MPI_Comm comm;
static int rank, size, wrong, cases, seed;
static const char *doing;
static enum { BLOCKING, WAITING, PERSISTENT } mode;
static MPI_Request request;

/* A collective, whichever way it is called. */
#define CALL(Name, name, ...)                                                                                  \
	do {                                                                                                   \
		if (mode == BLOCKING) {                                                                        \
			must(MPI_##Name(__VA_ARGS__ __VA_OPT__(,) comm));                                                    \
			break;                                                                                 \
		}                                                                                              \
		if (mode == WAITING)                                                                           \
			must(MPI_I##name(__VA_ARGS__ __VA_OPT__(,) comm, &request));                                         \
		else {                                                                                         \
			must(INIT(Name)(__VA_ARGS__ __VA_OPT__(,) comm, MPI_INFO_NULL, &request));                           \
			must(MPI_Start(&request));                                                             \
		}                                                                                              \
		must(MPI_Wait(&request, MPI_STATUS_IGNORE));                                                   \
		if (mode == PERSISTENT)                                                                        \
			must(MPI_Request_free(&request));                                                      \
	} while (0)

/* Types of elements: those of MPI, and derived ones with gaps. */
enum kind { CHAR, SHORT, INT, LONG, FLOAT, DOUBLE, PAIR, GAPS };

static struct type {
	enum kind kind;
	MPI_Datatype mpi;
	size_t extent;
	int reduces;
} types[] = {
	{ INT, MPI_INT, sizeof(int), 1 },       { FLOAT, MPI_FLOAT, sizeof(float), 1 },
	{ DOUBLE, MPI_DOUBLE, sizeof(double), 1 }, { LONG, MPI_LONG, sizeof(long), 1 },
	{ CHAR, MPI_CHAR, 1, 0 },               { SHORT, MPI_SHORT, sizeof(short), 0 },
	{ PAIR, MPI_DOUBLE_INT, 16, 0 },        { GAPS, MPI_DATATYPE_NULL, 4 * sizeof(int), 0 },
};

static const struct {
	MPI_Op op;
	const char *name;
} functions[] = { { MPI_SUM, "sum" }, { MPI_MAX, "max" }, { MPI_MIN, "min" }, { MPI_PROD, "prod" } };

static void set(void *buf, long i, const struct type *t, int value)
{
	char *at = (char *)buf + (size_t)i * t->extent;

	switch (t->kind) {
	case CHAR: *at = (char)value; break;
	case SHORT: *(short *)at = (short)value; break;
	case INT: *(int *)at = value; break;
	case LONG: *(long *)at = value; break;
	case FLOAT: *(float *)at = (float)value; break;
	case DOUBLE: *(double *)at = value; break;
	case PAIR: *(double *)at = value; *(int *)(at + 8) = -value; break;
	case GAPS: ((int *)at)[0] = value; ((int *)at)[2] = value + 1; break;
	}
}

/* The value of an element, or one that no element has. */
static int get(const void *buf, long i, const struct type *t)
{
	const char *at = (const char *)buf + (size_t)i * t->extent;

	switch (t->kind) {
	case CHAR: return *at;
	case SHORT: return *(const short *)at;
	case INT: return *(const int *)at;
	case LONG: return (int)*(const long *)at;
	case FLOAT: return (int)*(const float *)at;
	case DOUBLE: return (int)*(const double *)at;
	case PAIR: return *(const double *)at == -*(const int *)(at + 8) ? (int)*(const double *)at : 99;
	case GAPS: return ((const int *)at)[2] == ((const int *)at)[0] + 1 && ((const int *)at)[1] == 77
	                  ? ((const int *)at)[0] : 99;
	}
	return 99;
}

/* What rank r has at i. */
static int value(int r, long i) { return (int)((r * 5 + i * 3 + seed) % 7) - 3; }

static int reduced(MPI_Op op, int first, int last, long i)
{
	int all = value(first, i);

	for (int r = first + 1; r <= last; r++) {
		int v = value(r, i);

		if (op == MPI_SUM)
			all += v;
		else if (op == MPI_PROD)
			all *= v;
		else if (op == MPI_MAX)
			all = v > all ? v : all;
		else
			all = v < all ? v : all;
	}
	return all;
}

/* Elements, none of which has a value yet. */
static void *room(long n, const struct type *t)
{
	char *buf = malloc((size_t)(n + 1) * t->extent);

	if (t->kind == GAPS)
		for (long i = 0; i < 4 * n; i++)
			((int *)(void *)buf)[i] = 77;
	else
		memset(buf, 85, (size_t)(n + 1) * t->extent);
	return buf;
}

/* n elements of a rank, from one of its elements on, at a place of a buffer. */
static void fill(void *buf, long place, int r, long from, long n, const struct type *t)
{
	for (long i = 0; i < n; i++)
		set(buf, place + i, t, value(r, from + i));
}

static void check(const void *buf, long place, long n, const struct type *t, int (*want)(long i, const int *of),
                  const int *of)
{
	for (long i = 0; i < n; i++) {
		int is = get(buf, place + i, t), should = want(i, of);

		if (is == should)
			continue;
		if (wrong++ < 10)
			printf("rank %d of %d: %s: element %ld of %ld is %d, not %d\n", rank, size, doing, i, n, is, should);
		return;
	}
}

static int from_rank(long i, const int *of) { return value(of[0], of[1] + i); }

static MPI_Op function;

static int all_ranks(long i, const int *of) { return reduced(function, of[0], of[1], of[2] + i); }

static void must(int code)
{
	char text[MPI_MAX_ERROR_STRING];
	int length;

	if (code == MPI_SUCCESS)
		return;
	MPI_Error_string(code, text, &length);
	printf("rank %d of %d: %s: %s\n", rank, size, doing, text);
	wrong++;
}

static void begin(const char *name)
{
	doing = name;
	cases++;
	seed++;
}

static void moves(const struct type *t, int n, int root)
{
	void *own = room(n, t), *all = room((long)n * size, t), *other = room((long)n * size, t);

	begin("bcast");
	if (rank == root)
		fill(own, 0, root, 0, n, t);
	CALL(Bcast, bcast, own, n, t->mpi, root);
	check(own, 0, n, t, from_rank, (int[]){ root, 0 });

	for (int in_place = 0; in_place < 2; in_place++) {
		int here = in_place && rank == root;

		begin(in_place ? "gather in place" : "gather");
		fill(own, 0, rank, 0, n, t);
		if (here)
			fill(all, (long)rank * n, rank, 0, n, t);
		CALL(Gather, gather, here ? MPI_IN_PLACE : own, n, t->mpi, all, n, t->mpi, root);
		for (int r = 0; rank == root && r < size; r++)
			check(all, (long)r * n, n, t, from_rank, (int[]){ r, 0 });

		begin(in_place ? "scatter in place" : "scatter");
		if (rank == root)
			fill(all, 0, root, 0, (long)n * size, t);
		CALL(Scatter, scatter, all, n, t->mpi, here ? MPI_IN_PLACE : own, n, t->mpi, root);
		if (!here)
			check(own, 0, n, t, from_rank, (int[]){ root, rank * n });
		if (rank == root)
			check(all, 0, (long)n * size, t, from_rank, (int[]){ root, 0 });

		begin(in_place ? "allgather in place" : "allgather");
		fill(own, 0, rank, 0, n, t);
		if (in_place)
			fill(all, (long)rank * n, rank, 0, n, t);
		CALL(Allgather, allgather, in_place ? MPI_IN_PLACE : own, n, t->mpi, all, n, t->mpi);
		for (int r = 0; r < size; r++)
			check(all, (long)r * n, n, t, from_rank, (int[]){ r, 0 });

		begin(in_place ? "alltoall in place" : "alltoall");
		fill(in_place ? all : other, 0, rank, 0, (long)n * size, t);
		CALL(Alltoall, alltoall, in_place ? MPI_IN_PLACE : other, n, t->mpi, all, n, t->mpi);
		for (int r = 0; r < size; r++)
			check(all, (long)r * n, n, t, from_rank, (int[]){ r, rank * n });
	}
	free(own);
	free(all);
	free(other);
}

/* Blocks of different lengths: rank r has n + r elements, some ranks none. */
static void varying(const struct type *t, int n, int root)
{
	int *counts = malloc((size_t)size * sizeof(int)), *places = malloc((size_t)size * sizeof(int));
	int *from = malloc((size_t)size * sizeof(int)), *sent = malloc((size_t)size * sizeof(int));
	int total = 0, own_n;
	void *own, *all, *other;

	for (int r = 0; r < size; r++) {
		counts[r] = r % 3 == 2 ? 0 : n + r;
		places[r] = total + r; /* with a gap of one element */
		total += counts[r] + 1;
	}
	own_n = counts[rank];
	own = room(own_n, t);
	all = room(total + size, t);
	other = room((long)(n + size) * size, t);

	for (int in_place = 0; in_place < 2; in_place++) {
		int here = in_place && rank == root;

		begin(in_place ? "gatherv in place" : "gatherv");
		fill(own, 0, rank, 0, own_n, t);
		if (here)
			fill(all, places[rank], rank, 0, own_n, t);
		CALL(Gatherv, gatherv, here ? MPI_IN_PLACE : own, own_n, t->mpi, all, counts, places, t->mpi, root);
		for (int r = 0; rank == root && r < size; r++)
			check(all, places[r], counts[r], t, from_rank, (int[]){ r, 0 });

		begin(in_place ? "scatterv in place" : "scatterv");
		if (rank == root)
			for (int r = 0; r < size; r++)
				fill(all, places[r], r, 0, counts[r], t);
		CALL(Scatterv, scatterv, all, counts, places, t->mpi, here ? MPI_IN_PLACE : own, own_n, t->mpi, root);
		if (!here)
			check(own, 0, own_n, t, from_rank, (int[]){ rank, 0 });

		begin(in_place ? "allgatherv in place" : "allgatherv");
		fill(own, 0, rank, 0, own_n, t);
		if (in_place)
			fill(all, places[rank], rank, 0, own_n, t);
		CALL(Allgatherv, allgatherv, in_place ? MPI_IN_PLACE : own, own_n, t->mpi, all, counts, places, t->mpi);
		for (int r = 0; r < size; r++)
			check(all, places[r], counts[r], t, from_rank, (int[]){ r, 0 });
	}

	begin("alltoallv"); /* rank r sends its n elements to each */
	for (int r = 0; r < size; r++) {
		sent[r] = own_n;
		from[r] = r * own_n;
	}
	fill(other, 0, rank, 0, (long)own_n * size, t);
	CALL(Alltoallv, alltoallv, other, sent, from, t->mpi, all, counts, places, t->mpi);
	for (int r = 0; r < size; r++)
		check(all, places[r], counts[r], t, from_rank, (int[]){ r, rank * counts[r] });

	begin("alltoallw");
	fill(other, 0, rank, 0, (long)own_n * size, t);
	MPI_Datatype *each = malloc((size_t)size * sizeof *each);
	for (int r = 0; r < size; r++) {
		each[r] = t->mpi;
		from[r] *= (int)t->extent;
		places[r] *= (int)t->extent;
	}
	CALL(Alltoallw, alltoallw, other, sent, from, each, all, counts, places, each);
	for (int r = 0; r < size; r++)
		check(all, places[r] / (long)t->extent, counts[r], t, from_rank, (int[]){ r, rank * counts[r] });

	/* In place, ranks send each other as much as they receive. */
	for (int w = 0; w < 2; w++) {
		begin(w ? "alltoallw in place" : "alltoallv in place");
		for (int r = 0, at = 0; r < size; r++) {
			counts[r] = (rank + r) % 3 == 2 ? 0 : n + (rank + r) % size;
			places[r] = at;
			fill(other, at, rank, 10 * r, counts[r], t);
			at += counts[r];
			places[r] *= w ? (int)t->extent : 1;
		}
		if (w)
			CALL(Alltoallw, alltoallw, MPI_IN_PLACE, NULL, NULL, NULL, other, counts, places, each);
		else
			CALL(Alltoallv, alltoallv, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, other, counts, places, t->mpi);
		for (int r = 0; r < size; r++)
			check(other, places[r] / (w ? (long)t->extent : 1), counts[r], t, from_rank, (int[]){ r, 10 * rank });
	}
	free(each);
	free(counts);
	free(places);
	free(from);
	free(sent);
	free(own);
	free(all);
	free(other);
}

static void reductions(const struct type *t, int n, int root)
{
	void *own = room((long)n * size + size * size, t), *result = room((long)n * size + size * size, t);
	int *counts = malloc((size_t)size * sizeof(int));
	int all[] = { 0, size - 1, 0 }, total = 0, before = 0;

	for (int in_place = 0; in_place < 2; in_place++) {
		const void *src = in_place ? MPI_IN_PLACE : own;
		int here = in_place && rank == root;

		begin("reduce");
		fill(here ? result : own, 0, rank, 0, n, t);
		CALL(Reduce, reduce, here ? MPI_IN_PLACE : own, result, n, t->mpi, function, root);
		if (rank == root)
			check(result, 0, n, t, all_ranks, all);

		begin("allreduce");
		fill(in_place ? result : own, 0, rank, 0, n, t);
		CALL(Allreduce, allreduce, src, result, n, t->mpi, function);
		check(result, 0, n, t, all_ranks, all);

		begin("scan");
		fill(in_place ? result : own, 0, rank, 0, n, t);
		CALL(Scan, scan, src, result, n, t->mpi, function);
		check(result, 0, n, t, all_ranks, (int[]){ 0, rank, 0 });

		begin("exscan");
		fill(in_place ? result : own, 0, rank, 0, n, t);
		CALL(Exscan, exscan, src, result, n, t->mpi, function);
		if (rank > 0)
			check(result, 0, n, t, all_ranks, (int[]){ 0, rank - 1, 0 });

		begin("reduce_scatter_block");
		fill(in_place ? result : own, 0, rank, 0, (long)n * size, t);
		CALL(Reduce_scatter_block, reduce_scatter_block, src, result, n, t->mpi, function);
		check(result, 0, n, t, all_ranks, (int[]){ 0, size - 1, rank * n });

		begin("reduce_scatter");
		total = before = 0;
		for (int r = 0; r < size; r++) {
			counts[r] = n + r;
			before += r < rank ? counts[r] : 0;
			total += counts[r];
		}
		fill(in_place ? result : own, 0, rank, 0, total, t);
		CALL(Reduce_scatter, reduce_scatter, src, result, counts, t->mpi, function);
		check(result, 0, counts[rank], t, all_ranks, (int[]){ 0, size - 1, before });
	}
	free(counts);
	free(own);
	free(result);
}

/* All of them on a communicator. */
static void on(MPI_Comm c, const int *lengths, int n)
{
	comm = c;
	seed = 0; /* ranks that come from communicators of different sizes have counted differently */
	MPI_Comm_rank(c, &rank);
	MPI_Comm_size(c, &size);
	begin("barrier");
	CALL(Barrier, barrier);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < LENGTH(types); k++)
			for (int root = 0; root < size; root += size > 1 ? size - 1 : 1) {
				moves(&types[k], lengths[i], root);
				varying(&types[k], lengths[i], root);
				for (int f = 0; types[k].reduces && f < LENGTH(functions); f++) {
					function = functions[f].op;
					reductions(&types[k], lengths[i], root);
				}
			}
}

/* Signals that no program has sent: one that catches all of them, as those of PETSc do, would end. */
static volatile sig_atomic_t signals;

static void caught(int number)
{
	(void)number;
	signals = 1;
}

int main(int argc, char **argv)
{
	int lengths[] = { 1, 0, 7, 300 }, some[] = { 5 }, many[] = { 70000 }, all_wrong, world_rank, provided;
	int level = MPI_THREAD_SINGLE, is_long = 0, modes[] = { 0, 0 };
	MPI_Datatype gaps;
	MPI_Comm half, same;

	for (int i = 1; i < argc; i++) {
		level = strcmp(argv[i], "threads") == 0 ? MPI_THREAD_MULTIPLE : level;
		is_long |= strcmp(argv[i], "long") == 0;
		modes[0] |= strcmp(argv[i], "waiting") == 0;
		modes[1] |= strcmp(argv[i], "persistent") == 0;
	}
	MPI_Init_thread(&argc, &argv, level, &provided);
	signal(SIGURG, caught);
	MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
	MPI_Type_create_resized(gaps, 0, 4 * sizeof(int), &types[LENGTH(types) - 1].mpi);
	MPI_Type_free(&gaps);
	MPI_Type_commit(&types[LENGTH(types) - 1].mpi);

	on(MPI_COMM_WORLD, lengths, LENGTH(lengths));
	MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &half);
	on(half, some, 1);
	MPI_Comm_dup(MPI_COMM_WORLD, &same);
	on(same, is_long ? many : some, 1);
	on(MPI_COMM_SELF, some, 1);
	for (int i = 0; i < LENGTH(modes); i++)
		if (modes[i]) {
			mode = WAITING + i;
			on(same, is_long ? lengths : some, is_long ? LENGTH(lengths) : 1);
			on(half, some, 1);
		}
	MPI_Comm_free(&half);
	MPI_Comm_free(&same);

	wrong += signals;
	MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (world_rank == 0)
		printf("%d cases, %d wrong\n", cases, all_wrong);
	MPI_Type_free(&types[LENGTH(types) - 1].mpi);
	MPI_Finalize();
	return all_wrong != 0;
}
