/* Status codes, error text, allocators, log callback: what every other header needs. */
#ifndef TAUT_BASE_H
#define TAUT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#if defined(TAUT_BUILD)
#define TAUT_API __declspec(dllexport)
#else
#define TAUT_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TAUT_API __attribute__((visibility("default")))
#else
#define TAUT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the headers. The build reads it from here; nothing else may stand on these lines. */
#define TAUT_VERSION_MAJOR 0
/* The version of the headers. */
#define TAUT_VERSION_MINOR 2
/* The version of the headers. */
#define TAUT_VERSION_PATCH 0

/* "MAJOR.MINOR.PATCH" of the library at run time. */
TAUT_API const char* taut_version(void);

/* How a call ended. */
typedef enum taut_status {
    TAUT_OK = 0,              /* done */
    TAUT_INVALID_ARGUMENT,    /* a null pointer, a bad index, a value outside its range */
    TAUT_INVALID_DEFINITION,  /* a definition that no taut_default_* made, or one that contradicts itself */
    TAUT_OUT_OF_MEMORY,       /* the allocator returned NULL; everything taken so far was given back */
    TAUT_BACKEND_UNAVAILABLE, /* the asked-for backend is not built in, or has no device */
    TAUT_DIVERGED,            /* a step gave a non-finite or absurd state; the last good state is kept */
    TAUT_OUT_OF_CAPACITY,     /* a step needed more contacts than the world has room for; the last good state is kept */
    TAUT_DEVICE_FAULT         /* the device reported an error; the world can only be destroyed */
} taut_status;

/* Name of a status, "TAUT_OK" and so on; never NULL. */
TAUT_API const char* taut_status_name(taut_status status);

/* One sentence about the last failure on the calling thread; "" if none. Valid until the thread's next failure. */
TAUT_API const char* taut_last_error(void);

/* Where memory comes from. `allocate` returns at least `bytes` bytes aligned to `alignment` (a power of two,
 * at most 256) or NULL; `release` gets the same `bytes`. Both NULL: the C library's. Host memory only. */
typedef struct taut_allocator {
    void* (*allocate)(size_t bytes, size_t alignment, void* user); /* takes memory */
    void (*release)(void* memory, size_t bytes, void* user);       /* gives it back */
    void* user;                                                    /* passed to both */
} taut_allocator;

/* How much a message matters. */
typedef enum taut_log_level {
    TAUT_LOG_INFO,   /* what was chosen, and why */
    TAUT_LOG_WARNING /* what may not be as the user expects */
} taut_log_level;

/* Receives one sentence without a line break, on the calling thread. The text is gone after the call. */
typedef void taut_log_fn(taut_log_level level, const char* message, void* user);

/* A compiled scene with all memory in place; world.h creates it. */
typedef struct taut_world taut_world;

/* A contiguous run of indices: first, first + 1, ..., first + count - 1. */
typedef struct taut_range {
    uint32_t first; /* the first index */
    uint32_t count; /* how many indices */
} taut_range;

#ifdef __cplusplus
}
#endif

#endif
