/* taut: simulation of large constrained mechanical systems (cloth, ropes, soft bodies, rigid bodies) at interactive
 * rates. This header includes all others.
 *
 * Order of calls
 *   taut_scene_create -> taut_scene_add_* (arrays of elements) -> taut_world_create -> taut_world_step, repeatedly.
 *   A world copies the data that it needs. The scene may be destroyed once the world exists, and several worlds may be
 *   created from one scene.
 *
 * Units        SI. Angles in radians.
 * Indices      particles, centres of bodies and mapped points share one numbering from 0, in the order of addition
 *              to the scene; frames have a numbering of their own.
 * Arrays       where a call has a count beside an array, an array of 0 elements may be NULL.
 *              taut_scene_add_* and taut_world_add_* need at least one element.
 * Failure      every function that can fail returns taut_status. Output parameters come last, and a failure leaves
 *              them unchanged. taut_last_error() returns one sentence about the last failure on the calling thread.
 * Threads      two threads must not use one scene or one world at the same time. They may use different ones.
 * Waiting      a call on the CPU backend returns when its work is done. On CUDA these wait for the device: creating,
 *              growing and destroying a world; taut_world_sync and taut_world_info; what copies to the host
 *              (taut_world_read and taut_world_read_*, taut_world_count_intersections, taut_world_save, the queries,
 *              taut_assembly_create, the operators and projections of operators.h); and what reads before it writes,
 *              because the device writes to the same array: taut_world_set_bounds, taut_world_set_rest_values of
 *              drives, taut_world_add_* and taut_world_grab where they take a current position, and taut_world_write
 *              where the numbers of the world differ from those of the scene. All other calls enqueue work and
 *              return: taut_world_step, taut_world_poll, taut_world_view, and what sets parameters, targets and
 *              forces. They wait only for room in a buffer of 1 MiB, through which what they send passes.
 * Ownership    a function copies its inputs before it returns. A world owns its views, which stay valid until the
 *              world is destroyed or taut_world_grow_* moves its memory. Steps and writes change the values in a view.
 * Memory       the allocator of the scene or world provides all host memory. After taut_world_create only
 *              taut_assembly_create, taut_gradients_create and taut_world_grow_* allocate memory.
 * The library  reads no files, prints nothing, never exits the process, and has no mutable global data except the
 *              error text of each thread.
 *
 * base.h says which programs run with which versions of the library ("programs and libraries of different versions").
 *
 * docs/mathematics.md states the formulas and defines the symbols of these headers (phi, lam, C, d, h, alpha, beta).
 */
#ifndef TAUT_H
#define TAUT_H

#include "taut/added.h"
#include "taut/assembly.h"
#include "taut/base.h"
#include "taut/bodies.h"
#include "taut/contact.h"
#include "taut/events.h"
#include "taut/fabrics.h"
#include "taut/forces.h"
#include "taut/gradients.h"
#include "taut/integrator.h"
#include "taut/mappings.h"
#include "taut/operators.h"
#include "taut/queries.h"
#include "taut/save.h"
#include "taut/scene.h"
#include "taut/solver.h"
#include "taut/state.h"
#include "taut/world.h"

#endif
