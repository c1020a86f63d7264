/* What engines did, and what MPI did in their place. Nothing is counted unless CCLFORGE_STATS asks for it. */

#ifndef CCLFORGE_MPI_STATISTICS_H
#define CCLFORGE_MPI_STATISTICS_H

#include <mpi.h>
#include <stddef.h>

/* What a type is called here, while it is one. */
void statistics_name(MPI_Datatype type, char name[MPI_MAX_OBJECT_NAME]);

void statistics_done(const char *collective, const char *type, size_t bytes);
void statistics_fallback(const char *collective, const char *why);

/* Prints a table to the error output: MPI may be ended already. */
void statistics_print(void);

#endif
