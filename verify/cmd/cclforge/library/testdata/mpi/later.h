/* MPI 4.1's functions that ask after several requests and leave them as they are, for an MPI 4.0: those that programs
 * call are in our library, and those that it calls are here. Requests are const, as in the standard. */

#include <mpi.h>
#if MPI_VERSION == 4 && MPI_SUBVERSION == 0
#undef MPI_SUBVERSION
#define MPI_SUBVERSION 1

#define LATER(which, ...) \
	int MPI_Request_get_status_##which(int n, const MPI_Request r[], __VA_ARGS__) __attribute__((weak));
LATER(all, int *flag, MPI_Status s[])
LATER(any, int *index, int *flag, MPI_Status *s)
LATER(some, int *done, int indices[], MPI_Status s[])

static inline int PMPI_Request_get_status_some(int n, const MPI_Request r[], int *done, int indices[], MPI_Status s[])
{
	int flag, code = MPI_SUCCESS, active = 0;

	*done = 0;
	for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
		if (r[i] == MPI_REQUEST_NULL)
			continue;
		active = 1;
		code = PMPI_Request_get_status(r[i], &flag, s == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &s[*done]);
		if (flag)
			indices[(*done)++] = i;
	}
	if (!active)
		*done = MPI_UNDEFINED;
	return code;
}

static inline int PMPI_Request_get_status_any(int n, const MPI_Request r[], int *index, int *flag, MPI_Status *s)
{
	int code = MPI_SUCCESS, active = 0;

	*flag = 0;
	*index = MPI_UNDEFINED;
	for (int i = 0; i < n && !*flag && code == MPI_SUCCESS; i++)
		if (r[i] != MPI_REQUEST_NULL) {
			active = 1;
			code = PMPI_Request_get_status(r[i], flag, s);
			*index = *flag ? i : MPI_UNDEFINED;
		}
	*flag |= !active;
	return code;
}

static inline int PMPI_Request_get_status_all(int n, const MPI_Request r[], int *flag, MPI_Status s[])
{
	int code = MPI_SUCCESS;

	*flag = 1;
	for (int i = 0; i < n && *flag && code == MPI_SUCCESS; i++)
		code = PMPI_Request_get_status(r[i], flag, s == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &s[i]);
	return code;
}
#endif
