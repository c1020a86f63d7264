/* Every operation, blocking, with a request and prepared, on memory of every kind, against plain loops. */

#include "check.h"

enum { ROOT = 1, MOST = 5001 };
enum mode { BLOCKING, REQUEST, PREPARED, MODES };
enum kind { DEVICE, HOST, REGISTERED, PLAIN, KINDS };

static int host_memory; /* the platform has it */

static const int counts[] = {1, 7, MOST};
static const int types[] = {CCLF_INT32, CCLF_INT64, CCLF_FLOAT32, CCLF_FLOAT64};
static const size_t sizes[] = {4, 8, 4, 8};

/* Element i of the operand of a rank. Products over ranks are exact in all types. */
static double value(int rank, long i, int round) { return (rank * 5 + i * 3 + round) % 11 + 1; }

static double reduce(int reduction, double a, double b)
{
	switch (reduction) {
	case CCLF_SUM: return a + b;
	case CCLF_PROD: return a * b;
	case CCLF_MAX: return a > b ? a : b;
	default: return a < b ? a : b;
	}
}

static double over(int reduction, int ranks, long i, int round)
{
	double sum = value(0, i, round);
	for (int r = 1; r < ranks; r++)
		sum = reduce(reduction, sum, value(r, i, round));
	return sum;
}

static void set(void *memory, int type, long i, double v)
{
	switch (type) {
	case CCLF_INT32: ((int32_t *)memory)[i] = v; break;
	case CCLF_INT64: ((int64_t *)memory)[i] = v; break;
	case CCLF_FLOAT32: ((float *)memory)[i] = v; break;
	default: ((double *)memory)[i] = v;
	}
}

static double get(const void *memory, int type, long i)
{
	switch (type) {
	case CCLF_INT32: return ((const int32_t *)memory)[i];
	case CCLF_INT64: return ((const int64_t *)memory)[i];
	case CCLF_FLOAT32: return ((const float *)memory)[i];
	default: return ((const double *)memory)[i];
	}
}

struct rank {
	cclf_comm comm;
	int rank, size;
	char *src[KINDS], *other[KINDS], *dst[KINDS];
};

/* What the result has at place i; -1 for no result. */
static double expected(const struct rank *r, const cclf_call *c, long i, int round)
{
	long n = c->count;
	switch (c->operation) {
	case CCLF_COPY: return value(r->rank, i, round);
	case CCLF_COMBINE: return reduce(c->reduction, value(r->rank, i, round), value(r->rank + 1, i, round));
	case CCLF_SEND: return value((r->rank + r->size - 1) % r->size, i, round);
	case CCLF_BCAST: return value(ROOT, i, round);
	case CCLF_SCATTER: return value(ROOT, r->rank * n + i, round);
	case CCLF_GATHER: return r->rank == ROOT ? value(i / n, i % n, round) : -1;
	case CCLF_REDUCE: return r->rank == ROOT ? over(c->reduction, r->size, i, round) : -1;
	case CCLF_ALLGATHER: return value(i / n, i % n, round);
	case CCLF_ALLREDUCE: return over(c->reduction, r->size, i, round);
	case CCLF_REDUCE_SCATTER: return over(c->reduction, r->size, r->rank * n + i, round);
	case CCLF_ALLTOALL: return value(i / n, r->rank * n + i % n, round);
	case CCLF_SCAN: return over(c->reduction, r->rank + 1, i, round);
	case CCLF_EXSCAN: return r->rank > 0 ? over(c->reduction, r->rank, i, round) : -1;
	default: return -1;
	}
}

static int blocks(const struct rank *r, int operation)
{
	return operation == CCLF_GATHER || operation == CCLF_ALLGATHER || operation == CCLF_ALLTOALL ? r->size : 1;
}

/* Makes the calls, two of a send, in a mode; prepared ones twice, with new data. */
static void make(struct rank *r, cclf_call *calls, int n, enum mode mode, int type)
{
	cclf_request requests[2] = {0};
	cclf_call *c = &calls[0];
	char *result = c->operation == CCLF_BCAST ? (char *)c->src : calls[n - 1].dst;
	for (int round = 0; round < (mode == PREPARED ? 2 : 1); round++) {
		for (long i = 0; i < (long)c->count * r->size; i++) {
			set((void *)c->src, type, i, value(r->rank, i, round));
			set((void *)c->other, type, i, value(r->rank + 1, i, round));
			if (result != (char *)c->src)
				set(result, type, i, -1);
		}
		if (mode == PREPARED && round == 0)
			for (int k = 0; k < n; k++)
				OK(cclf_prepare(r->comm, &calls[k], &requests[k]));
		for (int k = 0; k < n; k++)
			if (mode == PREPARED)
				OK(cclf_restart(requests[k]));
			else if (mode == REQUEST || k + 1 < n)
				OK(cclf_start(r->comm, &calls[k], &requests[k]));
			else
				OK(cclf_run(r->comm, &calls[k]));
		for (int k = 0, index; k < n; k++)
			OK(cclf_wait_any(n, requests, &index));
		int index, done;
		OK(cclf_wait_any(n, requests, &index));
		CHECK(index == -1, "%d", index);
		OK(cclf_test(&requests[0], &done));
		CHECK(done && (requests[0] != 0) == (mode == PREPARED), "request %ld", (long)requests[0]);
		for (long i = 0; i < (long)c->count * blocks(r, c->operation); i++) {
			double want = expected(r, c, i, round), got = get(result, type, i);
			CHECK(want < 0 || want == got, "operation %d, mode %d, type %d, count %ld, rank %d, element %ld: %g, not %g",
				c->operation, mode, type, (long)c->count, r->rank, i, got, want);
		}
	}
	for (int k = 0; k < n; k++)
		OK(cclf_request_free(&requests[k]));
}

static void operation(struct rank *r, int operation, long *calls, long *elements)
{
	for (int t = 0; t < 4; t++)
		for (int reduction = CCLF_SUM; reduction <= (operation == CCLF_ALLREDUCE ? CCLF_MAX : CCLF_SUM); reduction++)
			for (int n = 0; n < 3; n++)
				for (int kind = 0; kind < KINDS; kind++)
					for (int mode = 0; mode < MODES; mode++) {
						cclf_call c[2] = {{.operation = operation, .type = types[t], .reduction = reduction,
							.count = counts[n], .peer = ROOT, .src = r->src[kind], .other = r->other[kind],
							.dst = r->dst[kind]}};
						if (operation == CCLF_SEND) {
							c[1] = c[0];
							c[0].peer = (r->rank + 1) % r->size;
							c[1].operation = CCLF_RECV;
							c[1].peer = (r->rank + r->size - 1) % r->size;
							c[0].tag = c[1].tag = 5;
							c[0].flags = c[1].flags = CCLF_TAGGED;
						}
						make(r, c, operation == CCLF_SEND ? 2 : 1, mode, types[t]);
						*calls += mode == PREPARED ? 2 : 1;
						*elements += (mode == PREPARED ? 2 : 1) * (long)c[0].count * sizes[t];
					}
}

static void *of_rank(void *argument)
{
	static const int all[] = {CCLF_COPY, CCLF_COMBINE, CCLF_SEND, CCLF_BCAST, CCLF_SCATTER, CCLF_GATHER, CCLF_REDUCE,
		CCLF_ALLGATHER, CCLF_ALLREDUCE, CCLF_REDUCE_SCATTER, CCLF_ALLTOALL, CCLF_SCAN, CCLF_EXSCAN};
	struct rank r = {.comm = *(cclf_comm *)argument};
	OK(cclf_comm_rank(r.comm, &r.rank, &r.size));
	size_t bytes = 8 * (size_t)MOST * r.size;
	char **memory[] = {r.src, r.other, r.dst};
	for (int k = 0; k < 3; k++) {
		OK(cclf_alloc(r.comm, CCLF_DEVICE, bytes, (void **)&memory[k][DEVICE]));
		OK(cclf_alloc(r.comm, host_memory ? CCLF_HOST : CCLF_DEVICE, bytes, (void **)&memory[k][HOST]));
		memory[k][REGISTERED] = (char *)malloc(bytes + 8) + 8;
		OK(cclf_register(r.comm, memory[k][REGISTERED], bytes));
		memory[k][PLAIN] = malloc(bytes);
	}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		long calls = 0, bytes = 0;
		operation(&r, all[i], &calls, &bytes);
		uint64_t done = 0, moved = 0;
		for (int t = 0; t < 4; t++) {
			uint64_t d, m;
			OK(cclf_statistics(r.comm, all[i], types[t], &d, &m));
			done += d, moved += m;
		}
		CHECK(done == (uint64_t)calls && moved == (uint64_t)bytes, "operation %d: %lu calls of %lu bytes, not %ld of %ld",
			all[i], (unsigned long)done, (unsigned long)moved, calls, bytes);
	}
	for (int k = 0; k < 3; k++) {
		OK(cclf_free(r.comm, memory[k][DEVICE]));
		OK(cclf_free(r.comm, memory[k][HOST]));
		OK(cclf_free(r.comm, memory[k][REGISTERED]));
		free(memory[k][REGISTERED] - 8);
		free(memory[k][PLAIN]);
	}

	/* In place, at an odd address, without elements, and with data that stays with the engine. */
	static _Thread_local char odd[64];
	for (int k = 0; k < 8; k++)
		memcpy(odd + 1 + 4 * k, &(int32_t){k * (r.rank + 1)}, 4);
	cclf_call sum = {.operation = CCLF_ALLREDUCE, .type = CCLF_INT32, .reduction = CCLF_SUM, .count = 8, .src = odd + 1,
		.dst = odd + 1};
	OK(cclf_run(r.comm, &sum));
	for (int k = 0; k < 8; k++)
		CHECK(memcmp(odd + 1 + 4 * k, &(int32_t){k * r.size * (r.size + 1) / 2}, 4) == 0, "element %d", k);
	OK(cclf_run(r.comm, &(cclf_call){.operation = CCLF_ALLREDUCE, .type = CCLF_INT32, .reduction = CCLF_SUM}));
	OK(cclf_run(r.comm, &(cclf_call){.operation = CCLF_BARRIER}));
	OK(cclf_run(r.comm, &(cclf_call){.operation = CCLF_NOP}));
	int32_t *there;
	OK(cclf_alloc(r.comm, CCLF_DEVICE, 32, (void **)&there));
	there[3] = 5;
	sum.src = sum.dst = there;
	sum.flags = CCLF_TO_DEVICE;
	OK(cclf_run(r.comm, &sum));
	CHECK(there[3] == 5, "%d", there[3]);
	OK(cclf_from_device(r.comm, there, 32));
	CHECK(there[3] == 5 * r.size, "%d", there[3]);

	/* Through the kernel stream, and compressed between ranks. */
	cclf_call copy = {.operation = CCLF_COPY, .type = CCLF_INT32, .count = 8, .src = odd + 1, .dst = CCLF_STREAM};
	OK(cclf_run(r.comm, &copy));
	char looped[32];
	copy.src = CCLF_STREAM;
	copy.dst = looped;
	OK(cclf_run(r.comm, &copy));
	CHECK(memcmp(looped, odd + 1, 32) == 0, "the kernel loops");
	float one[3] = {1 + 1.0f / 4096, 1, 1}, rounded[3]; /* half precision has 11 bits */
	OK(cclf_run(r.comm, &(cclf_call){.operation = CCLF_BCAST, .type = CCLF_FLOAT32, .wire_type = CCLF_FLOAT16, .count = 3,
		.peer = 0, .src = r.rank == 0 ? one : rounded}));
	CHECK(r.rank == 0 || rounded[0] == 1, "%g", rounded[0]);

	/* Even and odd ranks, in reverse; then the last two. */
	cclf_comm half, pair;
	int rank, size, mine = 1, ours;
	OK(cclf_comm_split(r.comm, r.rank % 2, -r.rank, &half));
	OK(cclf_comm_rank(half, &rank, &size));
	CHECK(size == (r.size + 1 - r.rank % 2) / 2 && rank == size - 1 - r.rank / 2, "rank %d of %d", rank, size);
	cclf_call count = {.operation = CCLF_ALLREDUCE, .type = CCLF_INT32, .reduction = CCLF_SUM, .count = 1, .src = &mine,
		.dst = &ours};
	OK(cclf_run(half, &count));
	CHECK(ours == size, "%d", ours);
	OK(cclf_comm_free(half));
	CHECK(cclf_comm_rank(half, &rank, &size) == CCLF_ERROR_HANDLE, "freed");
	OK(cclf_comm_create(r.comm, 2, (int[]){r.size - 1, r.size - 2}, &pair));
	CHECK((pair != 0) == (r.rank >= r.size - 2), "rank %d", r.rank);
	if (pair) {
		OK(cclf_run(pair, &count));
		CHECK(ours == 2, "%d", ours);
	}
	OK(cclf_run(r.comm, &(cclf_call){.operation = CCLF_BARRIER}));
	return NULL;
}

int main(int argc, char **argv)
{
	host_memory = argc > 3;
	cclf_world world = world_of(argc > 1 ? argv[1] : "u55c_tcp", argc > 2 ? atoi(argv[2]) : 0,
		argc > 3 ? argv[3] : NULL);
	on_all(world, of_rank);
	OK(cclf_close(world));
}
