/* What a scene will cost, estimated before anything is spent. */
#ifndef TAUT_APP_SCENE_COST_H
#define TAUT_APP_SCENE_COST_H

#include "build/scene_build.h"

/* Bytes that a world of the scene takes, measured on the CPU: contacts apart, but for those of bodies, and without
 * vertices of mesh files where `built` is NULL. */
double scene_memory(const scene_file* file, const built_scene* built);
/* Bytes beyond those that are reserved for contacts of bodies, and mostly never written. */
double scene_room(const scene_file* file, const built_scene* built);

/* Bytes of so many contacts, measured on the CPU. */
double contact_memory(double contacts);

/* Pairs of a point and a face of contact surfaces whose boxes, as large as their radii, overlap at the start: a search
 * examines each of them, whether it is a contact or not. Estimated from samples; an upper bound where that is at most
 * `few`. */
typedef struct near_pairs {
    double pairs;
    double points; /* of contact surfaces */
} near_pairs;

near_pairs scene_near_pairs(const scene_file* file, const built_scene* built, double few);

#endif
