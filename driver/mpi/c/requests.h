/* Requests for collectives that do not block, on MPI's profiling interface: with the functions that start requests and
 * wait for them. */

#ifndef CCLFORGE_MPI_REQUESTS_H
#define CCLFORGE_MPI_REQUESTS_H

#include "collectives.h"

/* A request for an operation, which is started unless it is persistent. Returns an error of MPI; the operation is
 * freed with the request, or now. */
int requests_new(struct ccl_op *op, MPI_Comm comm, bool is_persistent, MPI_Request *request);

/* What a function of MPI returns for a code, which goes to the error handler first. */
int requests_result(MPI_Comm comm, int code);

#endif
