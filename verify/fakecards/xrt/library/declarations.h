// What the functions are, where XRT's headers are not installed.
#ifndef DECLARATIONS_H
#define DECLARATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char xuid_t[16];
typedef void         *xrtDeviceHandle;
typedef void         *xrtBufferHandle;
typedef void         *xclDeviceHandle;
typedef uint64_t      xrtBufferFlags;
typedef uint32_t      xrtMemoryGroup;
struct axlf;

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE };

#define XCL_BO_FLAGS_DEV_ONLY (1U << 28)
#define XCL_BO_FLAGS_HOST_ONLY (1U << 29)

#pragma GCC visibility push(default)
xrtDeviceHandle xrtDeviceOpen(unsigned int index);
xrtDeviceHandle xrtDeviceOpenByBDF(const char *bdf);
int             xrtDeviceClose(xrtDeviceHandle device);
int             xrtDeviceLoadXclbin(xrtDeviceHandle device, const struct axlf *file);
int             xrtDeviceLoadXclbinUUID(xrtDeviceHandle device, const xuid_t uuid);
int             xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out);
xclDeviceHandle xrtDeviceToXclDevice(xrtDeviceHandle device);
xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, size_t size, xrtBufferFlags flags, xrtMemoryGroup group);
int             xrtBOFree(xrtBufferHandle buffer);
int             xrtBOSync(xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t size, size_t offset);
void           *xrtBOMap(xrtBufferHandle buffer);
uint64_t        xrtBOAddress(xrtBufferHandle buffer);
unsigned int    xclProbe(void);
int             xclIPName2Index(xclDeviceHandle device, const char *name);
int             xclOpenContext(xclDeviceHandle device, const xuid_t uuid, unsigned int ip, bool shared);
int             xclCloseContext(xclDeviceHandle device, const xuid_t uuid, unsigned int ip);
int             xclRegRead(xclDeviceHandle device, uint32_t ip, uint32_t offset, uint32_t *data);
int             xclRegWrite(xclDeviceHandle device, uint32_t ip, uint32_t offset, uint32_t data);
#pragma GCC visibility pop

#endif
