// What goes over the socket, in the byte order of the machine, which both ends share:
// a request of a fixed size, and what belongs to it; a reply, and what belongs to it.
#ifndef WIRE_H
#define WIRE_H

#include <stdint.h>

enum {
    WIRE_MAGIC = 0x54525843,
    WIRE_VERSION = 1,
    WIRE_UUID = 16,
    WIRE_NAME = 4096,    // bytes of a name at most
    WIRE_FILE = 1 << 30, // bytes of an .xclbin at most
};

struct request {
    uint32_t magic, function;
    uint64_t arguments[4];
    uint32_t bytes, zero; // bytes behind it
};

struct reply {
    uint32_t magic;
    int32_t  error; // an errno, 0 for success
    uint64_t value;
    uint32_t bytes; // behind it
    uint32_t descriptor; // 1: one comes along
};

// Functions by number.
enum {
    F_HELLO, // the process's id, the version
    F_PROBE,
    F_DEVICE_OPEN,
    F_DEVICE_OPEN_BY_BDF,
    F_DEVICE_CLOSE,
    F_DEVICE_LOAD_XCLBIN,
    F_DEVICE_LOAD_XCLBIN_UUID,
    F_DEVICE_GET_XCLBIN_UUID,
    F_DEVICE_TO_XCL,
    F_BO_ALLOC,
    F_BO_FREE,
    F_BO_SYNC,
    F_BO_MAP,
    F_BO_ADDRESS,
    F_IP_NAME_TO_INDEX,
    F_OPEN_CONTEXT,
    F_CLOSE_CONTEXT,
    F_REG_READ,
    F_REG_WRITE,
};

#endif
