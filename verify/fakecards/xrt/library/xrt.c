// The functions of XRT that drivers use, for cards that are not there: every call
// goes over a socket to a server that plays the cards, and fails as XRT does. The
// socket is named by CCLFORGE_XRT_SOCKET, or is the file "socket" beside the library.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef WITH_XRT // its headers are there: the compiler compares the functions
#include <xrt.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <experimental/xrt-next.h>
#else
#include "declarations.h"
#endif

#include "connection.h"

static int ask(struct request q, uint64_t *value) { return ask_all(q, NULL, value, NULL, 0, NULL); }

static uint64_t number(const void *handle) { return (uint64_t)(uintptr_t)handle; }
static void    *handle(uint64_t number) { return (void *)(uintptr_t)number; }

static int failed(int error) { // as the functions of the native interface do
    errno = error;
    return -1;
}

static void *nothing(int error) {
    errno = error;
    return NULL;
}

static int tell(struct request q) {
    int error = ask(q, NULL);
    return error ? failed(error) : 0;
}

static void *open_device(struct request q, const char *bdf) {
    uint64_t value;
    int      error = ask_all(q, bdf, &value, NULL, 0, NULL);
    return error ? nothing(error) : handle(value);
}

xrtDeviceHandle xrtDeviceOpen(unsigned int index) { return open_device((struct request){.function = F_DEVICE_OPEN, .arguments = {index}}, NULL); }

xrtDeviceHandle xrtDeviceOpenByBDF(const char *bdf) {
    if (!bdf) return nothing(EINVAL);
    return open_device((struct request){.function = F_DEVICE_OPEN_BY_BDF, .bytes = (uint32_t)strnlen(bdf, WIRE_NAME)}, bdf);
}

int xrtDeviceClose(xrtDeviceHandle device) { return tell((struct request){.function = F_DEVICE_CLOSE, .arguments = {number(device)}}); }

// Where an .xclbin says how many bytes it has, and what it begins with.
enum { LENGTH_AT = 304, HEADER = 456 };
#ifdef WITH_XRT
_Static_assert(offsetof(struct axlf, m_header.m_length) == LENGTH_AT, "the length stands elsewhere");
_Static_assert(offsetof(struct axlf, m_sections) == HEADER, "the header has another size");
#endif

int xrtDeviceLoadXclbin(xrtDeviceHandle device, const struct axlf *file) {
    uint64_t bytes = 8;
    if (!file) return failed(EINVAL);
    if (!memcmp(file, "xclbin2", 8)) memcpy(&bytes, (const char *)file + LENGTH_AT, sizeof bytes);
    if (bytes != 8 && (bytes < HEADER || bytes > WIRE_FILE)) return failed(EINVAL);
    int error = ask_all((struct request){.function = F_DEVICE_LOAD_XCLBIN, .arguments = {number(device)}, .bytes = (uint32_t)bytes}, file, NULL, NULL, 0, NULL);
    return error ? failed(error) : 0;
}

int xrtDeviceLoadXclbinUUID(xrtDeviceHandle device, const xuid_t uuid) {
    struct request q = {.function = F_DEVICE_LOAD_XCLBIN_UUID, .arguments = {number(device)}, .bytes = WIRE_UUID};
    int            error = ask_all(q, uuid, NULL, NULL, 0, NULL);
    return error ? failed(error) : 0;
}

int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out) {
    unsigned char uuid[WIRE_UUID] = {0};
    int error = ask_all((struct request){.function = F_DEVICE_GET_XCLBIN_UUID, .arguments = {number(device)}}, NULL, NULL, uuid, sizeof uuid, NULL);
    if (error) return failed(error);
    memcpy(out, uuid, sizeof uuid);
    return 0;
}

xclDeviceHandle xrtDeviceToXclDevice(xrtDeviceHandle device) {
    return open_device((struct request){.function = F_DEVICE_TO_XCL, .arguments = {number(device)}}, NULL);
}

// Buffers whose memory is in this process, too.
struct buffer {
    struct buffer *next;
    uint64_t       id;
    size_t         size;
    int            file; // that both sides have in memory; -1 for none
    void          *map;
    pid_t          owner; // a forked child has no buffers
};

static pthread_mutex_t buffers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct buffer  *buffers;

xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, size_t size, xrtBufferFlags flags, xrtMemoryGroup group) {
    struct buffer *b = calloc(1, sizeof *b);
    if (!b) return nothing(ENOMEM);
    b->file = -1;
    b->size = size;
    b->owner = getpid();
    struct request q = {.function = F_BO_ALLOC, .arguments = {number(device), size, flags, group}};
    int            error = ask_all(q, NULL, &b->id, NULL, 0, &b->file);
    if (error) {
        free(b);
        return nothing(error);
    }
    pthread_mutex_lock(&buffers_lock);
    b->next = buffers;
    buffers = b;
    pthread_mutex_unlock(&buffers_lock);
    return handle(b->id);
}

int xrtBOFree(xrtBufferHandle buffer) {
    int error = ask((struct request){.function = F_BO_FREE, .arguments = {number(buffer)}}, NULL);
    if (error) return failed(error);
    pthread_mutex_lock(&buffers_lock);
    struct buffer **at = &buffers, *b;
    while ((b = *at) && (b->id != number(buffer) || b->owner != getpid())) at = &b->next;
    if (b) *at = b->next;
    pthread_mutex_unlock(&buffers_lock);
    if (!b) return 0;
    if (b->map) munmap(b->map, b->size);
    if (b->file >= 0) close(b->file);
    free(b);
    return 0;
}

void *xrtBOMap(xrtBufferHandle buffer) {
    int error = ask((struct request){.function = F_BO_MAP, .arguments = {number(buffer)}}, NULL);
    if (error) return nothing(error);
    pthread_mutex_lock(&buffers_lock);
    struct buffer *b = buffers;
    while (b && (b->id != number(buffer) || b->owner != getpid())) b = b->next;
    void *map = b ? b->map : NULL;
    if (b && !map && b->file >= 0) {
        map = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, 0);
        if (map == MAP_FAILED) map = NULL;
        b->map = map;
    }
    pthread_mutex_unlock(&buffers_lock);
    return map;
}

int xrtBOSync(xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t size, size_t offset) {
    return tell((struct request){.function = F_BO_SYNC, .arguments = {number(buffer), (uint64_t)direction, size, offset}});
}

uint64_t xrtBOAddress(xrtBufferHandle buffer) {
    uint64_t value;
    int      error = ask((struct request){.function = F_BO_ADDRESS, .arguments = {number(buffer)}}, &value);
    if (error) return (uint64_t)failed(error);
    return value;
}

unsigned int xclProbe(void) {
    uint64_t value;
    return ask((struct request){.function = F_PROBE}, &value) ? 0 : (unsigned int)value;
}

int xclIPName2Index(xclDeviceHandle device, const char *name) {
    uint64_t value;
    if (!name) return -EINVAL;
    struct request q = {.function = F_IP_NAME_TO_INDEX, .arguments = {number(device)}, .bytes = (uint32_t)strnlen(name, WIRE_NAME)};
    int            error = ask_all(q, name, &value, NULL, 0, NULL);
    return error ? -error : (int)value;
}

int xclOpenContext(xclDeviceHandle device, const xuid_t uuid, unsigned int ip, bool shared) {
    struct request q = {.function = F_OPEN_CONTEXT, .arguments = {number(device), ip, shared}, .bytes = WIRE_UUID};
    int            error = ask_all(q, uuid, NULL, NULL, 0, NULL);
    return -error;
}

int xclCloseContext(xclDeviceHandle device, const xuid_t uuid, unsigned int ip) {
    struct request q = {.function = F_CLOSE_CONTEXT, .arguments = {number(device), ip}, .bytes = WIRE_UUID};
    return -ask_all(q, uuid, NULL, NULL, 0, NULL);
}

int xclRegRead(xclDeviceHandle device, uint32_t ip, uint32_t offset, uint32_t *data) {
    uint64_t value;
    int      error = ask((struct request){.function = F_REG_READ, .arguments = {number(device), ip, offset}}, &value);
    if (!error) *data = (uint32_t)value;
    return -error;
}

int xclRegWrite(xclDeviceHandle device, uint32_t ip, uint32_t offset, uint32_t data) {
    return -ask((struct request){.function = F_REG_WRITE, .arguments = {number(device), ip, offset, data}}, NULL);
}
