/* What the programs of the tests of the C library have in common. */

#include <cclforge.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(e, ...) \
	do { \
		if (!(e)) { \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #e); \
			fprintf(stderr, __VA_ARGS__); \
			fprintf(stderr, " (%s)\n", cclf_error_text()); \
			exit(1); \
		} \
	} while (0)

#define OK(e) CHECK((e) == 0, "must succeed")

static inline cclf_world world_of(const char *text, int ranks, const char *variables)
{
	cclf_world world;
	OK(cclf_open(CCLF_BUILD, &(cclf_options){.world = text, .ranks = ranks, .variables = variables,
		.timeout_ms = 60000}, &world));
	return world;
}

/* Runs a function on all ranks of this process, a thread each. */
static inline void on_all(cclf_world world, void *(*function)(void *))
{
	int n;
	OK(cclf_local(world, &n));
	cclf_comm comms[n];
	pthread_t threads[n];
	for (int i = 0; i < n; i++) {
		OK(cclf_comm_world(world, i, &comms[i]));
		CHECK(pthread_create(&threads[i], NULL, function, &comms[i]) == 0, "thread %d", i);
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}
