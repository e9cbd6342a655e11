/* taut: large constrained mechanical systems (cloth, ropes, soft bodies, rigid bodies) at interactive rates.
 *
 * Order of calls
 *   taut_scene_create -> taut_scene_add_* (bulk arrays) -> taut_world_create -> taut_world_step, again and again.
 *   The world copies what it needs: the scene may be destroyed once the world exists, or serve several worlds.
 *
 * Units        SI. Angles in radians.
 * Indices      particles (with them centres of bodies and mapped points) are numbered in order of addition, from 0,
 *              through the whole scene; frames likewise, on their own.
 * Failure      every function that can fail returns taut_status; outputs come last and are untouched on failure;
 *              taut_last_error() holds one sentence about the last failure on the calling thread.
 * Threads      one scene or world must not be used by two threads at once; different ones may be.
 * Ownership    inputs are copied before the call returns; views belong to the world and stay where they are until
 *              its destruction; what they show changes with its next step or write.
 * Memory       all host memory comes from the allocator of the scene or world; nothing is allocated after
 *              taut_world_create, but for taut_assembly_create.
 * The library  reads no files, prints nothing, never exits and keeps no mutable globals beyond the error text of
 *              each thread.
 *
 * The formulas are in docs/mathematics.md; symbols below (phi, lam, C, d, h, alpha, beta) are those of that page.
 */
#ifndef TAUT_H
#define TAUT_H

#include "taut/assembly.h"
#include "taut/base.h"
#include "taut/bodies.h"
#include "taut/contact.h"
#include "taut/forces.h"
#include "taut/integrator.h"
#include "taut/mappings.h"
#include "taut/operators.h"
#include "taut/scene.h"
#include "taut/solver.h"
#include "taut/state.h"
#include "taut/world.h"

#endif
