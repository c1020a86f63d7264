#include "meeting.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Ranks of all communicators that have a place: those that are made later meet by MPI. */
#define RANKS 4096

/* The number of a meeting, and the bit below it: of two meetings, as a rank may come to the next one before others have
 * seen that it has come to this. Each rank writes to a cache line of its own. */
struct rank {
	_Alignas(64) _Atomic uint64_t at[2];
};

static struct memory {
	_Alignas(64) _Atomic int64_t taken; /* ranks */
	struct rank ranks[RANKS];
} *memory;

bool meeting_open(const char *name, bool makes)
{
	int file = shm_open(name, makes ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
	void *at = MAP_FAILED;

	/* A file system that is full says so here, not by a signal at the first use. */
	if (file >= 0 && (!makes || posix_fallocate(file, 0, sizeof *memory) == 0))
		at = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	if (at == MAP_FAILED)
		return false;
	memory = at;
	return true;
}

void meeting_unlink(const char *name) { shm_unlink(name); }

void meeting_close(void)
{
	if (memory != NULL)
		munmap(memory, sizeof *memory);
	memory = NULL;
}

int64_t meeting_place(int ranks)
{
	int64_t first;

	if (memory == NULL || memory->taken > RANKS)
		return 0;
	first = atomic_fetch_add(&memory->taken, ranks);
	return first + ranks <= RANKS ? first + 1 : 0;
}

static _Atomic uint64_t *word(int64_t place, int rank, uint64_t n)
{
	return &memory->ranks[place - 1 + rank].at[n % 2];
}

void meeting_come(int64_t place, int rank, uint64_t n, bool bit) { *word(place, rank, n) = n << 1 | bit; }

bool meeting_has_come(int64_t place, int rank, uint64_t n, bool *bit)
{
	uint64_t came = *word(place, rank, n);

	if (came >> 1 != n)
		return false;
	*bit |= came & 1;
	return true;
}
