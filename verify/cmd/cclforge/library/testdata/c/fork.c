/* A process forks before it opens a world: parent and child have worlds. After that a child has none. */

#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

static void *sum(void *argument)
{
	int one = 1, all, rank, size;
	cclf_comm comm = *(cclf_comm *)argument;
	OK(cclf_comm_rank(comm, &rank, &size));
	OK(cclf_run(comm, &(cclf_call){.operation = CCLF_ALLREDUCE, .type = CCLF_INT32, .reduction = CCLF_SUM, .count = 1,
		.src = &one, .dst = &all}));
	CHECK(all == size, "%d", all);
	return NULL;
}

int main(void)
{
	int status;
	/* The library is loaded, and has said something. */
	CHECK(cclf_close(1) == CCLF_ERROR_HANDLE, "no world");
	/* Engines are found beside the library, wherever the process is. */
	CHECK(chdir("/") == 0, "chdir");
	pid_t before = fork();
	cclf_world world = world_of("u55c_tcp", 2, NULL), none = 7;
	on_all(world, sum);
	if (before) {
		CHECK(waitpid(before, &status, 0) == before && status == 0, "the first child: %x", status);
		pid_t after = fork();
		if (after == 0) {
			cclf_comm comm;
			CHECK(cclf_open(CCLF_BUILD, NULL, &none) == CCLF_ERROR_FORKED, "a second world");
			CHECK(cclf_comm_world(world, 0, &comm) == CCLF_ERROR_FORKED, "the parent's world");
			_exit(0);
		}
		CHECK(waitpid(after, &status, 0) == after && status == 0, "the second child: %x", status);
		on_all(world, sum);
	}
	OK(cclf_close(world));
}
