// Shows Swift's Mutex to the thread sanitizer, by being preloaded into the tests.
//
// On Linux a Mutex is a futex word. Its fast path is compiled into the caller, where the sanitizer
// sees the atomic operations. The path under contention lives in libswiftSynchronization, which is
// not instrumented: the sanitizer misses that the lock is handed over there, and reports races in
// code that has none. These two functions stand before the library's own and say what happens.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void lock_slow_function(uint32_t thread, SELF void *mutex);
typedef SWIFT void unlock_slow_function(SELF void *mutex);

// Absent in the programs around the tests, which are preloaded too.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

lock_slow_function lock_slow __asm__(LOCK_SLOW);
unlock_slow_function unlock_slow __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    ((lock_slow_function *)dlsym(RTLD_NEXT, LOCK_SLOW))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((unlock_slow_function *)dlsym(RTLD_NEXT, UNLOCK_SLOW))(mutex);
}
