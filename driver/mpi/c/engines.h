/* The engines of this process, through libcclforge. */

#ifndef CCLFORGE_MPI_ENGINES_H
#define CCLFORGE_MPI_ENGINES_H

#include "collectives.h"

#include <cclforge.h>

/* The element type in which data are only moved, and its bytes. */
extern int engines_word, engines_word_bytes;

/* Finds out whether engines serve a communicator. All its ranks call it. */
void engines_comm(struct ccl_comm *c);

/* NULL if the platform has the operation on words, or else why not. */
const char *engines_operation(int operation);

/* NULL if engines reduce elements of MPI's type, with the type and the function that are theirs, or else why not. */
const char *engines_reduction(int operation, MPI_Datatype type, MPI_Op op, int *own_type, int *function,
                              size_t *bytes);

/* Makes a call and waits until it is done. */
int engines_run(struct ccl_comm *c, const cclf_call *call);

/* Sends bytes to a rank and receives others, at the same time; no bytes, or -1: none. */
int engines_exchange(struct ccl_comm *c, int to, const char *out, size_t out_bytes, int from, char *in,
                     size_t in_bytes);

/* An error of MPI with this text. */
int engines_error(const char *text);

#endif
