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

/* ---- programs and libraries of different versions ---------------------------------------------------------------
 *
 * A program that was built with the headers of one version runs with the library of a later version with the same
 * TAUT_VERSION_MAJOR (before 1.0: the same TAUT_VERSION_MINOR), because of these rules:
 *
 * - Values of enumerations never change; new ones are appended. Enumerators TAUT_*_COUNT grow. Arrays in structs have a
 *   fixed length (TAUT_KIND_ROOM, TAUT_STAGE_ROOM).
 * - Members of definitions (taut_*_def) are only appended. `bytes` says how many the program's header knows; the
 *   library gives the others their defaults. A program with a later header than the library is refused with
 *   TAUT_INVALID_DEFINITION if it has set a member that the library does not know.
 * - Reports (taut_step_info, taut_choice, taut_device_info, taut_block, taut_contact) are likewise appended to. The
 *   functions that fill them pass the size that the program's header knows to functions named *_sized, and the library
 *   writes no more than that. What the library does not know is 0.
 * - Settings inside of definitions (taut_integrator, taut_solver, taut_contact_settings) have members `reserved` for
 *   what later versions add. They must be 0.
 * - All other structs never change.
 *
 * Programs that load the functions by name call taut_default_definition and the functions *_sized: the functions
 * without that suffix are inline. */

/* Definitions, by the cookie that each begins with. */
typedef enum taut_definition {
    TAUT_DEFINITION_SCENE = 0x7a070001,           /* taut_scene_def */
    TAUT_DEFINITION_PARTICLES = 0x7a070002,       /* taut_particles_def */
    TAUT_DEFINITION_WORLD = 0x7a070003,           /* taut_world_def */
    TAUT_DEFINITION_BODIES = 0x7a070004,          /* taut_bodies_def */
    TAUT_DEFINITION_JOINTS = 0x7a070005,          /* taut_joints_def */
    TAUT_DEFINITION_RODS = 0x7a070006,            /* taut_rods_def */
    TAUT_DEFINITION_MATERIAL = 0x7a070007,        /* taut_material_def */
    TAUT_DEFINITION_CONTACT_POINTS = 0x7a070008,  /* taut_contact_points_def */
    TAUT_DEFINITION_COLLIDERS = 0x7a070009,       /* taut_colliders_def */
    TAUT_DEFINITION_COLLIDER_MESH = 0x7a07000a,   /* taut_collider_mesh_def */
    TAUT_DEFINITION_CONTACT_SURFACE = 0x7a07000b, /* taut_contact_surface_def */
    TAUT_DEFINITION_LIMITS = 0x7a07000c,          /* taut_limits_def */
    TAUT_DEFINITION_MOTORS = 0x7a07000d,          /* taut_motors_def */
    TAUT_DEFINITION_BODY_POINTS = 0x7a070010,     /* taut_body_points_def */
    TAUT_DEFINITION_COMBINATIONS = 0x7a070011,    /* taut_combinations_def */
    TAUT_DEFINITION_LINEAR_MAP = 0x7a070012,      /* taut_linear_map_def */
    TAUT_DEFINITION_SKINNED = 0x7a070013,         /* taut_skinned_def */
    TAUT_DEFINITION_NORMS = 0x7a070014,           /* taut_norms_def */
    TAUT_DEFINITION_WELD = 0x7a070020,            /* taut_weld_def */
    TAUT_DEFINITION_DISTANCE = 0x7a070100,        /* taut_distance_def */
    TAUT_DEFINITION_ATTACHMENT = 0x7a070101,      /* taut_attachment_def */
    TAUT_DEFINITION_TARGET = 0x7a070102,          /* taut_target_def */
    TAUT_DEFINITION_BEND = 0x7a070103,            /* taut_bend_def */
    TAUT_DEFINITION_MEMBRANE = 0x7a070104,        /* taut_membrane_def */
    TAUT_DEFINITION_TET_VOLUME = 0x7a070105,      /* taut_tet_volume_def */
    TAUT_DEFINITION_TET_STRAIN = 0x7a070106,      /* taut_tet_strain_def */
    TAUT_DEFINITION_ALIGNMENT = 0x7a070109,       /* taut_alignment_def */
    TAUT_DEFINITION_SEGMENT = 0x7a07010a,         /* taut_segment_def */
    TAUT_DEFINITION_SOLID = 0x7a07010d,           /* taut_solid_def */
    TAUT_DEFINITION_SURFACE = 0x7a07010e,         /* taut_surface_def */
    TAUT_DEFINITION_ATTRACTION = 0x7a07010f,      /* taut_attraction_def */
    TAUT_DEFINITION_LINEAR = 0x7a070110           /* taut_linear_def */
} taut_definition;

/* Sets a definition of `size` bytes to its defaults, `cookie` and `bytes` included; what the library does not know of
 * it is 0. For bindings: C and C++ programs call the taut_default_* functions. */
TAUT_API void taut_default_definition(taut_definition definition, size_t size, void* out);

/* Defines the function `name`, which returns a definition with its defaults. */
#define TAUT_DEFAULT(type, name, definition)                                                                           \
    static inline type name(void) {                                                                                    \
        type out;                                                                                                      \
        taut_default_definition(definition, sizeof out, &out);                                                         \
        return out;                                                                                                    \
    }

/* The version of the library at run time, "MAJOR.MINOR.PATCH". */
TAUT_API const char* taut_version(void);

/* Result of a call. */
typedef enum taut_status {
    TAUT_OK = 0,                  /* success */
    TAUT_INVALID_ARGUMENT = 1,    /* a null pointer, an index that does not exist, or a value outside its range */
    TAUT_INVALID_DEFINITION = 2,  /* a definition that no taut_default_* function made, or whose members contradict
                                     each other */
    TAUT_OUT_OF_MEMORY = 3,       /* the allocator returned NULL; the call has released all memory that it had
                                     allocated */
    TAUT_BACKEND_UNAVAILABLE = 4, /* the library was built without the requested backend, or no device is present */
    TAUT_DIVERGED = 5,            /* a step produced a state that is not finite or exceeds speed_limit; the world
                                     keeps the last valid state */
    TAUT_OUT_OF_CAPACITY = 6,     /* a step needed more contacts than the capacity of the world, which keeps the last
                                     valid state; or a call has added nothing, because the reserve is too small */
    TAUT_DEVICE_FAULT = 7,        /* the device reported an error; the only valid call on the world is
                                     taut_world_destroy */
    TAUT_STOPPED = 8              /* taut_world_stop has ended a step, of which the world has made a part */
} taut_status;

/* The name of a status, such as "TAUT_OK"; never NULL. */
TAUT_API const char* taut_status_name(taut_status status);

/* One sentence about the last failure on the calling thread; "" without a failure. It does not name the call. The text
 * is valid until the next failure on the same thread. */
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
    TAUT_LOG_INFO = 0,   /* a choice that the library made, and its reason */
    TAUT_LOG_WARNING = 1 /* something that may differ from what the user expects */
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
