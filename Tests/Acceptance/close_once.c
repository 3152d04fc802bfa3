// Ends a process that closes a descriptor which is not open, by being preloaded into it.
//
// Such a close does no harm while the process has one thread. With several, the number may have
// become another's file or client in between, which is then cut off without a trace.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int close(int descriptor) {
    int result = (int)syscall(SYS_close, descriptor);
    if (result != 0 && errno == EBADF) {
        static const char message[] = "a descriptor is closed that is not open\n";
        (void)!write(STDERR_FILENO, message, sizeof message - 1);
        abort();
    }
    return result;
}
