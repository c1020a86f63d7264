/* Where ranks of one host meet: memory that all ranks of the world have, which is faster than messages of MPI. A place
 * there belongs to a communicator. */

#ifndef CCLFORGE_MPI_MEETING_H
#define CCLFORGE_MPI_MEETING_H

#include <stdbool.h>
#include <stdint.h>

/* Rank 0 makes the memory, whose name it is told, others take it. Once all have tried, its name goes. */
bool meeting_open(const char *name, bool makes);
void meeting_unlink(const char *name);
void meeting_close(void);

/* A place for so many ranks, which one of them takes and tells the others; 0: there is none left. */
int64_t meeting_place(int ranks);

/* Says for the n-th meeting at a place that a rank has come, and one bit. The next one begins when all have come. */
void meeting_come(int64_t place, int rank, uint64_t n, bool bit);

/* Whether a rank has come to the n-th; if it is, adds its bit. */
bool meeting_has_come(int64_t place, int rank, uint64_t n, bool *bit);

#endif
