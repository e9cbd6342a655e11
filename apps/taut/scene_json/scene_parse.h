/* Readers of the parts of a scene file, shared between the scene_*.c that read. What they have filled in stays in the
 * scene_file, also on failure, and is freed with it. */
#ifndef TAUT_APP_SCENE_PARSE_H
#define TAUT_APP_SCENE_PARSE_H

#include "scene_json/json_reader.h"
#include "scene_json/scene_file.h"

/* ---- sections, in this order ---------------------------------------------------------------------------------- */

bool parse_settings(const json_node* root, scene_file* s);
/* After all that decides tolerance and substeps. */
bool parse_quality(const json_node* root, scene_file* s);
bool parse_contact(const json_node* root, scene_file* s);
bool parse_objects(const json_node* root, scene_file* s);
bool parse_mappings(const json_node* root, scene_file* s);
bool parse_constraints(const json_node* root, scene_file* s);

bool parse_rigid(const json_node* object, scene_object* o);
bool parse_rod(const json_node* object, scene_object* o);
bool parse_collider(const json_node* object, const scene_file* s, scene_object* o);
bool parse_joint(const json_node* constraint, taut_joint_type type, const scene_file* s, joint_spec* joint);

/* ---- keys: scene_keys.c --------------------------------------------------------------------------------------- */

#define PLACE_KEYS  "translate", "rotate_degrees", "scale"
#define COMMON_KEYS "name", "type", PLACE_KEYS, "contact"

/* Where a name is among objects and mappings, counting through both. */
bool find_object(const scene_file* s, const char* name, size_t* out);
/* "name": unlike all that were read before. */
bool parse_name(const json_node* object, const scene_file* s, char** out);
bool parse_placement(const json_node* object, placement* p);
bool parse_needed_number(const json_node* object, const char* key, json_range range, double* out);
/* "compliance" (default 0) and "damping" (default 0) of the object `n`; sets `given` where either is there. */
#define LAW_KEYS "compliance", "damping", "force", "lower", "upper", "strength"
bool parse_law_keys(const json_node* n, spring_law* law);
/* The same keys in an object of their own. */
bool parse_law(const json_node* object, const char* key, spring_law* law);
#define SURFACE_KEYS "air", "pressure"

/* "air" and "pressure". */
bool parse_surface(const json_node* object, surface_spec* out);
/* An optional array of `width` numbers for all, or `count` of them; *out is left NULL without it. */
bool parse_each(const json_node* object, const char* key, size_t width, size_t count, double** out);
/* Mesh files are found relative to the scene file. */
bool parse_mesh_path(const json_node* n, char** out);

/* The values of "fabric" and "rope", by name; NULL without the key. read_presets.c */
bool parse_fabric(const json_node* object, const taut_fabric** out);
bool parse_rope_kind(const json_node* object, const taut_rope_kind** out);

/* ---- shapes and motion ---------------------------------------------------------------------------------------- */

/* The one key of `object` that names a shape: `known` lists in words those that the object may have. scene_shapes.c */
bool parse_solid(const json_node* object, const char* known, solid_spec* out);
/* "motion" and "centre": scene_keyframes.c */
#define MOTION_KEYS "motion", "centre"
bool parse_motion(const json_node* object, double fps, motion* m);

/* ---- contact: scene_contact.c --------------------------------------------------------------------------------- */

/* "material", "group" and "mask" of the object `n`. */
#define CONTACT_CLASS_KEYS "material", "group", "mask"
bool parse_contact_class(const json_node* n, const scene_file* s, contact_class* out);
/* "contact" of an object that is no collider; of a mapping whose points have places. */
bool parse_touching(const json_node* object, const scene_file* s, scene_object* o);
bool parse_mapped_touching(const json_node* mapping, const scene_file* s, scene_mapping* m);

/* "integrator" of the scene: scene_integrator.c */
bool parse_integrator(const json_node* root, taut_integrator* integrator);
/* Of a scene that has been read, where it does not choose them. */
void default_linearisations(const json_node* root, scene_file* s);
/* More are typing errors. */
#define MAX_SUBSTEPS 10000
/* After those, where it gives none and they have chosen none. */
void default_substeps(const json_node* root, scene_file* s);

/* ---- references: scene_references.c --------------------------------------------------------------------------- */

/* The name of an object or mapping. */
bool parse_object_name(const json_node* n, const scene_file* s, size_t* out);
/* [NAME, vertex] or {"object": NAME, "at": [x, y, z], "body": 0}. */
bool parse_reference(const json_node* n, const scene_file* s, point_reference* out);
/* NAME where the object has one body, or [NAME, body]. */
bool parse_body(const json_node* n, const scene_file* s, point_reference* out);
/* "object" with either "vertices" or "box"; other keys are left to the caller. */
bool parse_selection(const json_node* at, const scene_file* s, selection_spec* out);
/* An array of at least one index. */
bool parse_indices(const json_node* n, size_t* count, uint32_t** out);
/* "x", "y" or "z". */
bool parse_axis(const json_node* n, unsigned* out);
/* The element of an array at `index`, which must be there. */
json_node json_element(const json_node* array, size_t index);

/* NULL where `object` is a mapping or another kind of object. */
const rigid_spec* rigid_of(const scene_file* s, size_t object);

#endif
