// A program that uses XRT's functions by their names in a library: which, and what
// it does, are its arguments.
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_XRT
#include <xrt.h>
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <experimental/xrt-next.h>
#else
#include "declarations.h"
#endif

#define FUNCTION(name) __typeof__(name) *name##_ = (__typeof__(name) *)dlsym(library, #name)

static void *library;

static void must(bool good, const char *what) {
    if (good) return;
    printf("%s failed: %s\n", what, strerror(errno));
    exit(1);
}

#define SAY(call) (errno = 0, say(#call, (long long)(intptr_t)(call)))
static void say(const char *what, long long result) { printf("%s = %lld, errno %d\n", what, result, errno); }

// nothing is what there is without cards.
static void nothing(void) {
    FUNCTION(xclProbe);
    FUNCTION(xrtDeviceOpen);
    FUNCTION(xrtDeviceOpenByBDF);
    FUNCTION(xrtDeviceClose);
    FUNCTION(xrtDeviceLoadXclbinUUID);
    FUNCTION(xrtDeviceGetXclbinUUID);
    FUNCTION(xrtDeviceToXclDevice);
    FUNCTION(xrtBOAlloc);
    FUNCTION(xrtBOFree);
    FUNCTION(xrtBOSync);
    FUNCTION(xrtBOMap);
    FUNCTION(xrtBOAddress);
    FUNCTION(xclIPName2Index);
    FUNCTION(xclOpenContext);
    FUNCTION(xclCloseContext);
    FUNCTION(xclRegRead);
    FUNCTION(xclRegWrite);
    xuid_t   uuid = {0};
    uint32_t word;
    void    *none = (void *)5;
    printf("xclProbe() = %u\n", xclProbe_()); // errno is what happened to be there
    printf("xrtDeviceOpen(0) = %p\n", xrtDeviceOpen_(0));
    printf("xrtDeviceOpenByBDF(\"0000:65:00.1\") = %p\n", xrtDeviceOpenByBDF_("0000:65:00.1"));
    SAY(xrtDeviceClose_(none));
    SAY(xrtDeviceClose_(NULL));
    SAY(xrtDeviceLoadXclbinUUID_(none, uuid));
    SAY(xrtDeviceGetXclbinUUID_(none, uuid));
    SAY(xrtDeviceToXclDevice_(none));
    SAY(xrtBOAlloc_(none, 4096, 0, 0));
    SAY(xrtBOFree_(none));
    SAY(xrtBOFree_(NULL));
    SAY(xrtBOSync_(none, XCL_BO_SYNC_BO_TO_DEVICE, 1, 0));
    SAY(xrtBOMap_(none));
    SAY(xrtBOAddress_(none));
    printf("xclIPName2Index = %d\n", xclIPName2Index_(NULL, "a:b"));
    printf("xclOpenContext = %d\n", xclOpenContext_(NULL, uuid, 0, false));
    printf("xclCloseContext = %d\n", xclCloseContext_(NULL, uuid, 0));
    printf("xclRegRead = %d\n", xclRegRead_(NULL, 0, 0, &word));
    printf("xclRegWrite = %d\n", xclRegWrite_(NULL, 0, 0, 1));
}

// hold takes a kernel and a buffer of the first card, and keeps them until its input
// ends; then it gives them back, or not.
static void hold(const char *kernel, bool back) {
    FUNCTION(xrtDeviceOpen);
    FUNCTION(xrtDeviceClose);
    FUNCTION(xrtDeviceGetXclbinUUID);
    FUNCTION(xrtDeviceToXclDevice);
    FUNCTION(xrtBOAlloc);
    FUNCTION(xrtBOFree);
    FUNCTION(xrtBOMap);
    FUNCTION(xclIPName2Index);
    FUNCTION(xclOpenContext);
    FUNCTION(xclCloseContext);
    xuid_t          uuid;
    xrtDeviceHandle card = xrtDeviceOpen_(0);
    must(card, "open");
    must(!xrtDeviceGetXclbinUUID_(card, uuid), "uuid");
    xclDeviceHandle xcl = xrtDeviceToXclDevice_(card);
    int             unit = xclIPName2Index_(xcl, kernel);
    must(unit >= 0, "index");
    int error = xclOpenContext_(xcl, uuid, (unsigned)unit, false);
    if (error) {
        printf("xclOpenContext = %d\n", error);
        exit(3);
    }
    xrtBufferHandle buffer = xrtBOAlloc_(card, 1 << 20, 0, 0);
    must(buffer, "alloc");
    must(xrtBOMap_(buffer), "map");
    printf("ready\n");
    fflush(stdout);
    char c;
    while (read(0, &c, 1) > 0) continue;
    if (!back) return;
    must(!xrtBOFree_(buffer), "free");
    must(!xclCloseContext_(xcl, uuid, (unsigned)unit), "close the context");
    must(!xrtDeviceClose_(card), "close");
}

// child has a child of its own use the card that the parent has open.
static void child(void) {
    FUNCTION(xclProbe);
    FUNCTION(xrtDeviceOpen);
    FUNCTION(xrtDeviceClose);
    xrtDeviceHandle card = xrtDeviceOpen_(0);
    must(card, "open");
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        printf("the child finds %u cards, and its parent's handle is %s\n", xclProbe_(), xrtDeviceClose_(card) ? "not its own" : "closed");
        must(xrtDeviceOpen_(0), "open in the child");
        fflush(stdout);
        _exit(0);
    }
    must(pid > 0, "fork");
    must(waitpid(pid, NULL, 0) == pid, "wait");
    must(!xrtDeviceClose_(card), "close in the parent");
    printf("the parent has closed its own\n");
}

int main(int n, char **arguments) {
    if (n < 3 || !(library = dlopen(arguments[1], RTLD_NOW))) {
        printf("no library: %s\n", n < 3 ? "none given" : dlerror());
        return 2;
    }
    if (!strcmp(arguments[2], "nothing")) nothing();
    if (!strcmp(arguments[2], "hold")) hold(arguments[3], true);
    if (!strcmp(arguments[2], "abandon")) hold(arguments[3], false);
    if (!strcmp(arguments[2], "child")) child();
    fflush(stdout);
    _exit(0); // without what libraries do at the end
}
