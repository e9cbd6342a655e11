/* Rows between two bodies in the axes of a joint: of joints themselves, of limits and of motors. Include with TAUT_REAL
 * double. */
#ifndef TAUT_SCENE_JOINT_ROWS_H
#define TAUT_SCENE_JOINT_ROWS_H

#include "host/scene/scene_frames.h"
#include "kernels/formulas/kinds.h"

/* Where a definition has its joints; `name` is that of what they are, for messages. */
typedef struct scene_joint_places {
    const char* name;
    size_t count;
    const taut_body* bodies;    /* count x 2 */
    const double* positions;    /* or NULL */
    const double* anchors;      /* or NULL; neither: at the centres of mass */
    const double* orientations; /* or NULL */
} scene_joint_places;

/* A joint in the axes of its two bodies. */
typedef struct scene_joint {
    uint32_t frame[2];
    double anchor[2][3];
    double axes[2][4]; /* orientation of the joint's axes */
} scene_joint;

taut_status scene_check_joint_places(const scene_joint_places* places);
/* Joint i of them. One with the world may add a body that stands for it. */
taut_status scene_place_joint(taut_scene* scene, const scene_joint_places* places, size_t i, scene_joint* j);

/* Adds a row for the offset of the attachment points along an axis, */
taut_status scene_add_prismatic(taut_scene* scene, const scene_joint* j, int axis, double rest, double compliance,
                                double damping);
/* and one for a rotation: its values are one of those below. */
taut_status scene_add_turn(taut_scene* scene, const scene_joint* j, const double values[angular_REST],
                           double compliance, double damping);

/* The cosine between an axis of the first body and one of the second. */
void scene_cosine_row(const scene_joint* j, int first, int second, double rest, double values[angular_REST]);
/* A component of the rotation vector between the axes. */
void scene_component_row(const scene_joint* j, int axis, double rest, double values[angular_REST]);
/* The angle of y of the second body about x of the first, from y of the first. */
void scene_angle_row(const scene_joint* j, double rest, double values[angular_REST]);
/* The twist about x. */
void scene_twist_row(const scene_joint* j, double rest, double values[angular_REST]);

#endif
