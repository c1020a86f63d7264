/* The engines of this process, through libcclforge. Functions that return a text return NULL if all is well; the text
 * is that of the thread, until its next call. */

#ifndef CCLFORGE_MPI_ENGINES_H
#define CCLFORGE_MPI_ENGINES_H

#include "collectives.h"

#include <cclforge.h>

/* The element type in which data are only moved, and its bytes. */
extern int engines_word, engines_word_bytes;

/* Whether engines serve a communicator; if not, it says why. Waits for the answers of all ranks. */
bool engines_serve(struct ccl_comm *c);

/* Gives back what a communicator has of the engines, and the communicator. */
void engines_comm_end(struct ccl_comm *c);

/* NULL if the platform has the operation on words, or else why not. */
const char *engines_operation(int operation);

/* NULL if engines reduce elements of MPI's type, with the type and the function that are theirs, or else why not. */
const char *engines_reduction(int operation, MPI_Datatype type, MPI_Op op, int *own_type, int *function,
                              size_t *bytes);

/* Says that this rank has come to a call of a communicator. */
const char *engines_arrive(struct ccl_comm *c, uint64_t number);

/* Waits until all ranks have come to a call, and says to which. */
const char *engines_arrived(int64_t *id, uint64_t *number);

/* Makes a call and waits until it is done. */
const char *engines_run(struct ccl_comm *c, const cclf_call *call);

/* Sends bytes to a rank and receives others, at the same time; no bytes, or -1: none. */
const char *engines_exchange(struct ccl_comm *c, int to, const char *out, size_t out_bytes, int from, char *in,
                             size_t in_bytes);

/* An error of MPI with this text. */
int engines_error(const char *text);

#endif
