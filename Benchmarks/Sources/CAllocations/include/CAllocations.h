#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// How often the calling thread has allocated memory since it began.
///
/// Counted by this module's own `malloc`, `calloc`, `realloc` and `posix_memalign`, which the
/// linker puts before the C library's.
int64_t callocations_count(void);

#endif
