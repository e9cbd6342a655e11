/* Status codes, error text, allocators, the log callback and types that several headers share. Every other header
 * includes this one. */
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

/* Major version of the headers. The build reads the three numbers from these lines, which must contain nothing else. */
#define TAUT_VERSION_MAJOR 0
/* Minor version of the headers. */
#define TAUT_VERSION_MINOR 2
/* Patch version of the headers. */
#define TAUT_VERSION_PATCH 0

/* The version of the library at run time, "MAJOR.MINOR.PATCH". */
TAUT_API const char* taut_version(void);

/* Result of a call. */
typedef enum taut_status {
    TAUT_OK = 0,              /* success */
    TAUT_INVALID_ARGUMENT,    /* a null pointer, an index that does not exist, or a value outside its range */
    TAUT_INVALID_DEFINITION,  /* a definition that no taut_default_* function made, or whose members contradict each
                                 other */
    TAUT_OUT_OF_MEMORY,       /* the allocator returned NULL; the call has released all memory that it had allocated */
    TAUT_BACKEND_UNAVAILABLE, /* the library was built without the requested backend, or no device is present */
    TAUT_DIVERGED, /* a step produced a state that is not finite or exceeds speed_limit; the world keeps the last valid
                      state */
    TAUT_OUT_OF_CAPACITY, /* a step needed more contacts than the capacity of the world; the world keeps the last valid
                             state */
    TAUT_DEVICE_FAULT     /* the device reported an error; the only valid call on the world is taut_world_destroy */
} taut_status;

/* The name of a status, such as "TAUT_OK"; never NULL. */
TAUT_API const char* taut_status_name(taut_status status);

/* One sentence about the last failure on the calling thread; "" without a failure. The text is valid until the next
 * failure on the same thread. */
TAUT_API const char* taut_last_error(void);

/* Functions that allocate and release host memory. `allocate` returns at least `bytes` bytes aligned to `alignment` (a
 * power of two, at most 256), or NULL. The library passes to `release` the same `bytes` as to `allocate`. Both NULL:
 * the allocator of the C library. */
typedef struct taut_allocator {
    void* (*allocate)(size_t bytes, size_t alignment, void* user); /* allocates memory */
    void (*release)(void* memory, size_t bytes, void* user);       /* releases memory */
    void* user;                                                    /* passed to both functions */
} taut_allocator;

/* Importance of a message. */
typedef enum taut_log_level {
    TAUT_LOG_INFO,   /* a choice that the library made, and its reason */
    TAUT_LOG_WARNING /* something that may differ from what the user expects */
} taut_log_level;

/* Receives a message: one sentence without a line break, on the calling thread. The text is valid during the call
 * only. */
typedef void taut_log_fn(taut_log_level level, const char* message, void* user);

/* A world: a compiled scene with all memory allocated, which one backend steps; see world.h. */
typedef struct taut_world taut_world;

/* A contiguous range of indices: first, first + 1, ..., first + count - 1. */
typedef struct taut_range {
    uint32_t first; /* the first index */
    uint32_t count; /* number of indices */
} taut_range;

#ifdef __cplusplus
}
#endif

#endif
