/* What engines did, and what MPI did in their place. Nothing is counted unless CCLFORGE_STATS asks for it. */

#ifndef CCLFORGE_MPI_STATISTICS_H
#define CCLFORGE_MPI_STATISTICS_H

#include <mpi.h>
#include <stddef.h>

void statistics_done(const char *collective, MPI_Datatype type, size_t bytes);
void statistics_fallback(const char *collective, const char *why);

/* Prints a table to the error output: MPI may be ended already. */
void statistics_print(void);

#endif
