/* Wrong arguments are errors with a code and a text, and the calls after them work. */

#include "check.h"

#define FAILS(error, part, e) \
	do { \
		int code = (e); \
		CHECK(code == CCLF_ERROR_##error && strstr(cclf_error_text(), part), "%d, must be %d: %s", code, \
			CCLF_ERROR_##error, part); \
	} while (0)

static cclf_world broken;

static void *lonely(void *argument)
{
	cclf_comm comm = *(cclf_comm *)argument;
	int rank, size;
	float data[4] = {0};
	OK(cclf_comm_rank(comm, &rank, &size));
	/* Rank 0 sums, the other one gathers: both hear of it, and go on together. */
	cclf_call call = {.operation = rank == 0 ? CCLF_ALLREDUCE : CCLF_GATHER, .type = CCLF_FLOAT32,
		.reduction = CCLF_SUM, .count = 2, .src = data, .dst = data};
	int error = cclf_run(comm, &call);
	CHECK(rank != 0 || (error == CCLF_ERROR_CALL && (cclf_error_bits() & CCLF_BIT_COLLECTIVE_MISMATCH)), "%d, bits %08x",
		error, cclf_error_bits());
	error = cclf_run(comm, &(cclf_call){.operation = CCLF_BARRIER});
	CHECK(error == CCLF_ERROR_BROKEN || error == CCLF_ERROR_CALL, "%d", error);
	CHECK(cclf_error_bits() & CCLF_BIT_COLLECTIVE_MISMATCH, "bits %08x", cclf_error_bits());
	OK(cclf_recover(comm));
	call.operation = CCLF_ALLREDUCE;
	OK(cclf_run(comm, &call));
	CHECK(strstr(cclf_error_text(), "barrier"), "the text stays");
	return NULL;
}

static void *other_thread(void *unused)
{
	CHECK(cclf_error_text()[0] == 0, "the error of another thread");
	return unused;
}

int main(int argc, char **argv)
{
	const char *text = argc > 1 ? argv[1] : "u55c_tcp";
	cclf_world world = 0;
	cclf_comm comm, made;
	int n, type, bytes;
	float data[8] = {0};

	FAILS(HANDLE, "no world was opened", cclf_close(1));
	FAILS(BUILD, "compiled with the header of 0000000000000001", cclf_open(1, NULL, &world));
	FAILS(WORLD, "neither the program nor CCLFORGE_WORLD", cclf_open(CCLF_BUILD, NULL, &world));
	FAILS(ARGUMENT, "world is NULL", cclf_open(CCLF_BUILD, NULL, NULL));
	FAILS(WORLD, "\"nix:1\"; there are a platform by its name", cclf_open(0, &(cclf_options){.world = "nix:1"}, &world));
	FAILS(OPEN, "u99", cclf_open(CCLF_BUILD, &(cclf_options){.world = "u99"}, &world));
	FAILS(ARGUMENT, "-1 ranks", cclf_open(CCLF_BUILD, &(cclf_options){.world = text, .ranks = -1}, &world));
	FAILS(WORLD, "100000", cclf_open(CCLF_BUILD, &(cclf_options){.world = text, .ranks = 100000}, &world));
	FAILS(OPEN, "no_such", cclf_open(0, &(cclf_options){.world = text, .variables = "{no_such = 1}"}, &world));
	setenv("CCLFORGE_SIZE", "2", 1); /* which Go does not see by itself */
	FAILS(OPEN, "CCLFORGE_RANK", cclf_open(CCLF_BUILD, &(cclf_options){.world = text}, &world));
	unsetenv("CCLFORGE_SIZE");
	CHECK(world == 0, "%ld", (long)world);
	setenv("CCLFORGE_WORLD", text, 1);
	OK(cclf_open(CCLF_BUILD, &(cclf_options){.ranks = 1}, &world));

	pthread_t thread;
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);

	FAILS(RANK, "1 of the 1", cclf_comm_world(world, 1, &comm));
	FAILS(RANK, "-1", cclf_comm_world(world, -1, &comm));
	OK(cclf_comm_world(world, 0, &comm));
	FAILS(HANDLE, "no such handle", cclf_local(comm, &n));
	FAILS(HANDLE, "no such handle", cclf_recover(world));
	FAILS(HANDLE, "no such handle", cclf_restart(comm));
	FAILS(HANDLE, "no such handle", cclf_wait(&world));
	FAILS(ARGUMENT, "rank is NULL", cclf_comm_rank(comm, NULL, &n));
	FAILS(RANK, "5", cclf_comm_create(comm, 1, (int[]){5}, &made));
	FAILS(RANK, "-3 ranks", cclf_comm_create(comm, -3, (int[]){0}, &made));
	FAILS(TYPE, "\"int3\"", cclf_type(comm, "int3", &type, &bytes));
	OK(cclf_type(comm, "float64", &type, &bytes));
	CHECK(type == CCLF_FLOAT64 && bytes == 8, "%d of %d bytes", type, bytes);

	char *memory, *same;
	FAILS(ARGUMENT, "memory 9", cclf_alloc(comm, 9, 4, (void **)&memory));
	FAILS(COUNT, "bytes", cclf_alloc(comm, CCLF_DEVICE, (size_t)-1, (void **)&memory));
	CHECK(memory == NULL, "%p", memory);
	FAILS(UNSUPPORTED, "host memory", cclf_alloc(comm, CCLF_HOST, 4, (void **)&memory));
	OK(cclf_alloc(comm, CCLF_DEVICE, 100, (void **)&memory));
	FAILS(ARGUMENT, "overlap", cclf_register(comm, memory + 50, 100));
	FAILS(COUNT, "0 bytes", cclf_register(comm, data, 0));
	FAILS(ARGUMENT, "memory is NULL", cclf_register(comm, NULL, 4));
	FAILS(ARGUMENT, "nothing was allocated", cclf_free(comm, memory + 1));
	FAILS(ARGUMENT, "nothing was allocated", cclf_to_device(comm, data, 4));
	FAILS(COUNT, "101 bytes", cclf_to_device(comm, memory, 101));

	cclf_call good = {.operation = CCLF_ALLREDUCE, .type = CCLF_FLOAT32, .reduction = CCLF_SUM, .count = 25, .src = memory,
		.dst = memory}, c;
	cclf_request request, again;
	OK(cclf_run(comm, &good));
#define WRONG(error, part, field, v) (c = good, c.field = v, ({ FAILS(error, part, cclf_run(comm, &c)); \
	FAILS(error, part, cclf_start(comm, &c, &request)); FAILS(error, part, cclf_prepare(comm, &c, &request)); }))
	WRONG(ARGUMENT, "operation", operation, 0);
	WRONG(ARGUMENT, "operation", operation, 1000);
	WRONG(TYPE, "number 0", type, 0);
	WRONG(TYPE, "number 99", type, 99);
	WRONG(TYPE, "bfloat16", type, CCLF_BFLOAT16);
	WRONG(TYPE, "number 99", result_type, 99);
	WRONG(TYPE, "", wire_type, CCLF_INT64);
	WRONG(REDUCTION, "number 0", reduction, 0);
	WRONG(REDUCTION, "number -7", reduction, -7);
	WRONG(REDUCTION, "prod", reduction, CCLF_PROD);
	WRONG(COUNT, "104 bytes", count, 26);
	WRONG(COUNT, "4294967296", count, UINT64_C(1) << 32);
	WRONG(OPTION, "flags", flags, 1u << 30);
	WRONG(OPTION, "WithTag", flags, CCLF_TAGGED);
	WRONG(OPERAND, "missing", src, NULL);
	WRONG(OPERAND, "missing", dst, NULL);
	WRONG(ALIGNMENT, "float32", src, memory + (c.count = 1));
	WRONG(COUNT, "dst", dst, memory + 4);
	c = good;
	c.count = 1;
	c.src = c.dst = data;
	c.flags = CCLF_FROM_DEVICE;
	FAILS(OPTION, "neither allocated nor registered", cclf_run(comm, &c));
	c.flags = CCLF_TO_DEVICE;
	FAILS(OPTION, "neither allocated nor registered", cclf_run(comm, &c));
	good.operation = CCLF_BCAST;
	WRONG(RANK, "1 of 1", peer, 1);
	WRONG(RANK, "-1 of 1", peer, -1);
	good.operation = CCLF_ALLREDUCE;
	OK(cclf_run(comm, &good));

	OK(cclf_prepare(comm, &good, &request));
	again = request;
	OK(cclf_wait(&request)); /* it has no call */
	OK(cclf_restart(request));
	FAILS(BUSY, "not waited for", cclf_restart(request));
	FAILS(BUSY, "not waited for", cclf_request_free(&request));
	OK(cclf_wait(&request));
	OK(cclf_request_free(&request));
	CHECK(request == 0, "%ld", (long)request);
	FAILS(HANDLE, "no such handle", cclf_restart(again));
	OK(cclf_start(comm, &good, &request));
	FAILS(ARGUMENT, "not prepared", cclf_restart(request));
	OK(cclf_wait(&request));
	OK(cclf_wait(&request));

	/* A receive that nobody sends to holds its memory, and ends with the world. */
	c = (cclf_call){.operation = CCLF_RECV, .type = CCLF_FLOAT32, .count = 4, .dst = memory};
	OK(cclf_start(comm, &c, &request));
	FAILS(BUSY, "in use", cclf_free(comm, memory));
	OK(cclf_test(&request, &n));
	CHECK(n == 0 && request != 0, "%d", n);
	same = memory;
	OK(cclf_close(world));
	FAILS(HANDLE, "no such handle", cclf_wait(&request));
	FAILS(HANDLE, "no such handle", cclf_free(comm, same));
	FAILS(HANDLE, "no such handle", cclf_close(world));

	broken = world_of(text, 2, NULL);
	on_all(broken, lonely);
	OK(cclf_close(broken));
}
