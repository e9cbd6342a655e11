/* Constraints that come and go while a world runs: grabs, welds, cuts.
 *
 * A world has room for constraints that are added (taut_world_def.reserve), as it has for contacts. Adding and removing
 * allocate nothing and build nothing anew; both take effect with the next step, also in graphs on CUDA that have been
 * captured. A call adds all constraints of its definition or none: TAUT_OUT_OF_CAPACITY if there is too little room,
 * which taut_world_grow_reserve increases.
 *
 * Added constraints are hard or compliant as those of a scene are, act on every point and body of the world (mapped
 * points too), and are part of every solve, saved states and reports. Their rows follow those of the scene in their
 * kind (taut_world_added_rows). Constraints of the scene can be taken away and put back by taut_world_set_present. */
#ifndef TAUT_ADDED_H
#define TAUT_ADDED_H

#include "taut/bodies.h"
#include "taut/scene.h"
#include "taut/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A constraint, or a weld, that was added to a world. 0: none. The id of one that was removed stays invalid: the next
 * one in its place has another, until the place has been taken 16 million times. */
typedef struct taut_added {
    uint64_t id; /* valid in the world that it was added to, and in those that load a state saved with it */
} taut_added;

/* ---- a grab --------------------------------------------------------------------------------------------------- */

/* Drags a point: pulls it towards `position` (3 values, m), where the hand is at the end of the next step. With
 * grab->id 0 the hand begins where the point is, by a target with this compliance (m/N; 0: hard, so that it goes
 * through what stands still), and `grab` receives its id; else that hand moves on, whatever `point` and `compliance`
 * are. One call per step drags; the hand rests where there is none. Waits for the device in the first call. A world
 * without room for a target gets room for four, as by taut_world_grow_reserve, which allocates and makes views invalid:
 * reserve targets where that must not be. */
TAUT_API taut_status taut_world_grab(taut_world* world, uint32_t point, const double position[3], double compliance,
                                     taut_added* grab);
/* Lets go of what taut_world_grab holds, and sets grab->id to 0. */
TAUT_API taut_status taut_world_release(taut_world* world, taut_added* grab);

/* ---- adding and removing -------------------------------------------------------------------------------------- */

/* Each takes the definition of the scene's function of that name. `added` (may be NULL) receives the ids, `count` of
 * them. Distances without rest lengths, and targets without targets, take the current ones; the call then waits for
 * the device. */
TAUT_API taut_status taut_world_add_distances(taut_world* world, const taut_distance_def* def, taut_added* added);
/* Adds attachments: two points become one, or keep an offset. Unless def->contact, the owners of the points do not
 * collide with each other while the attachment is there: of a point on a body (its centre, or mapped from it alone) the
 * body, else the point with the edges and faces at it. */
TAUT_API taut_status taut_world_add_attachments(taut_world* world, const taut_attachment_def* def, taut_added* added);
/* Adds targets. */
TAUT_API taut_status taut_world_add_targets(taut_world* world, const taut_target_def* def, taut_added* added);

/* Welds: each holds two bodies as they now are to each other. They touch again when it is removed; what overlaps then
 * comes apart at `recovery` of its materials at most. */
typedef struct taut_weld_def {
    uint32_t cookie;
    uint32_t bytes;
    size_t count;
    const taut_body* bodies;       /* count x 2 */
    double translation_compliance; /* m/N; default 0 */
    double rotation_compliance;    /* rad/(N m); default 0 */
    double damping;                /* s; default 0 */
    bool contact;                  /* true: the two bodies may collide; default false: they do not while welded, nor do
                                      any two bodies that hard welds and fixed joints hold together */
} taut_weld_def;

TAUT_DEFAULT(taut_weld_def, taut_default_weld, TAUT_DEFINITION_WELD)
/* Adds welds. Waits for the device. */
TAUT_API taut_status taut_world_add_welds(taut_world* world, const taut_weld_def* def, taut_added* added);

/* Sets where added targets are at the end of the next step, count x 3, m. They move along straight lines, then rest. */
TAUT_API taut_status taut_world_move_added(taut_world* world, size_t count, const taut_added* targets,
                                           const double* positions);
/* Removes constraints that were added. All ids must be valid and differ; else nothing is removed. */
TAUT_API taut_status taut_world_remove(taut_world* world, size_t count, const taut_added* added);
/* Whether a constraint that was added is still there. */
TAUT_API bool taut_world_has_added(const taut_world* world, taut_added added);
/* The rows of an added constraint in TAUT_FIELD_VIOLATIONS and TAUT_FIELD_MULTIPLIERS. Of a weld `rows` are those of
 * the translations, and `rotations` (may be NULL) receives the others; else it is empty. */
TAUT_API taut_status taut_world_added_rows(const taut_world* world, taut_added added, taut_range* rows,
                                           taut_range* rotations);

/* ---- cutting what the scene has ------------------------------------------------------------------------------- */

/* Takes constraints [first, first + count) of a batch of the scene away (false), or puts them back (true), with their
 * parameters and without the forces that they had. Needs no room. TAUT_INVALID_ARGUMENT for force elements. */
TAUT_API taut_status taut_world_set_present(taut_world* world, taut_batch batch, size_t first, size_t count,
                                            bool present);
/* Tells which of constraints [first, first + count) are there: count values. */
TAUT_API taut_status taut_world_read_present(taut_world* world, taut_batch batch, size_t first, size_t count,
                                             bool* present);

/* ---- room ----------------------------------------------------------------------------------------------------- */

/* The room of a world, and what is left of it. Either may be NULL. */
TAUT_API taut_status taut_world_room(const taut_world* world, taut_reserve* room, taut_reserve* left);
/* Increases the room; no kind may get less. Allocates, moves the memory of the world (views become invalid), keeps the
 * state and all ids, and waits for the device. A world that began without room may solve parts of the scene by
 * different systems: what would join two of these is refused when it is added. TAUT_INVALID_ARGUMENT for Gauss-Seidel
 * and for more than 96 rows of the direct method. */
TAUT_API taut_status taut_world_grow_reserve(taut_world* world, const taut_reserve* room);

#ifdef __cplusplus
}
#endif

#endif
