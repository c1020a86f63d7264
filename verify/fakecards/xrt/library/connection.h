#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdint.h>

#include "wire.h"

// ask_all has the server do a call: it sends a request and what belongs to it, and takes
// the value, up to room bytes, and a descriptor, where these are wanted. It returns 0, or
// why the call has failed, as an errno, which it leaves as it is.
int ask_all(struct request q, const void *payload, uint64_t *value, void *back, uint32_t room, int *descriptor);

#endif
