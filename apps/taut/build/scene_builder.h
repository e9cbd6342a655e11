/* What the parts of scene_build share: the scene under construction and failure at a place of the file. */
#ifndef TAUT_APP_SCENE_BUILDER_H
#define TAUT_APP_SCENE_BUILDER_H

#include "build/scene_build.h"
#include "mesh/mesh.h"

/* A collider that is a two-sided surface: convex bodies meet it as a collider mesh where the library takes it as one.
 */
typedef struct collider_sheet {
    bool is;
    bool has_mesh, has_surface; /* what bodies meet, and what all others do */
    uint32_t mesh;
    double thickness; /* m */
} collider_sheet;

typedef struct scene_builder {
    const scene_file* file;
    built_scene* built;
    const char* list;       /* "materials", "objects", ... */
    size_t index;           /* in that list, of what is being built */
    uint32_t* holder;       /* per point of objects and mappings: what holds it, see pins.c */
    uint32_t* frame_holder; /* per frame of objects */
    uint32_t* materials;    /* the library's numbers of the default material and of those in the file */
    mesh* meshes;           /* per object, of colliders: read, and taken when they are built */
    collider_sheet* sheets; /* per object */
    report* r;
} scene_builder;

/* 'FILE: objects[INDEX]MEMBER: cause'; member is "" or starts with a dot. Returns false. */
bool build_fail(scene_builder* b, const char* member, const char* format, ...) __attribute__((format(printf, 3, 4)));
/* True for TAUT_OK, of a call whose batches come from `member`; otherwise fails with the library's own sentence. */
bool build_check(scene_builder* b, const char* member, taut_status status);
/* What a law says of a batch that was added with it: a force field, or constraints. */
bool build_form(scene_builder* b, const char* member, const spring_law* law, taut_batch batch);

/* ---- objects: each adds its points and constraints and describes itself to the exporters ---------------------- */

bool build_particles(scene_builder* b, const scene_object* o, built_object* out);
bool build_cloth(scene_builder* b, const scene_object* o, built_object* out);
bool build_rope(scene_builder* b, const scene_object* o, built_object* out);
bool build_soft(scene_builder* b, const scene_object* o, built_object* out);
bool build_rigid(scene_builder* b, const scene_object* o, built_object* out);
bool build_rod(scene_builder* b, const scene_object* o, built_object* out);
bool build_collider(scene_builder* b, const scene_object* o, built_object* out);
bool build_animated(scene_builder* b, const scene_object* o, built_object* out);

/* Fails where `more` vertices are too many for a scene. */
bool build_room(scene_builder* b, size_t more);

/* A copy of an object's own points where its placement puts them. NULL after setting the report. */
double (*build_placed(scene_builder* b, const placement* place, size_t count, const double (*points)[3]))[3];

/* Moves a mesh where the placement puts it; triangles and tetrahedra stay right-handed. */
void build_place_mesh(const placement* place, mesh* m);

/* Adds particles and fills in first_point and point_count of `out`. A vertex without mass is refused: it would fly
 * off at the first force. */
bool build_body(scene_builder* b, const taut_particles_def* def, built_object* out);
/* Adds the vertices of a mesh as fixed particles. */
bool build_fixed(scene_builder* b, const mesh* m, taut_range* range);

/* Distance constraints between `pairs` of vertices counted from `first`, rest at the current distance L. With `areas`
 * (m^2) a spring stands for a sheet of this area, which has the width A/L, and has the compliance law.compliance L^2/A;
 * without (NULL) it stands for a line, and has law.compliance L. */
bool build_springs(scene_builder* b, const char* member, uint32_t first, size_t count, const uint32_t (*pairs)[2],
                   const double* areas, const spring_law* law);

/* Force elements on triangles of vertices counted from `first`, where the file asks for them. */
bool build_surface(scene_builder* b, const surface_spec* s, uint32_t first, const mesh* m);

/* Orientation of body i of a rigid object at the start: by the turn of the object and its own. */
void build_body_turn(const scene_object* o, size_t i, double out[4]);

/* Copies vertex indices, counted from `first` instead of 0. NULL after setting the report. */
uint32_t* build_indices(scene_builder* b, uint32_t first, size_t count, const uint32_t* vertices);

/* ---- points of objects ---------------------------------------------------------------------------------------- */

/* The particle of a vertex of an object, checked against the object's size. */
bool build_vertex(scene_builder* b, const char* member, size_t object, uint32_t vertex, uint32_t* out);
/* The particle of a reference: a vertex, or a new point on a body. Lengths are refused unless allowed. */
bool build_point(scene_builder* b, const char* member, const point_reference* at, bool lengths, uint32_t* out);
/* A body, and body `i` of an object. */
taut_body body_at(const scene_builder* b, const point_reference* at);
taut_body body_of_object(const built_object* o, size_t i);
/* Remembers nodes that are in no object; `member` as for build_fail, or NULL: the world. */
bool build_unnamed(scene_builder* b, const char* member, unnamed_nodes nodes);

typedef struct selection {
    size_t count;
    uint32_t* particles;
} selection;

/* Whether a point is in the box of a selection. */
bool build_inside(const double x[3], const double box[2][3]);
/* `member` is that of the object with "vertices" and "box". The particles are the caller's, also on failure. */
bool build_selection(scene_builder* b, const char* member, const selection_spec* spec, selection* out);

/* ---- contact -------------------------------------------------------------------------------------------------- */

/* Before the first object. */
bool build_materials(scene_builder* b);
/* What of a built object touches, and what of it is touched. */
bool build_contact(scene_builder* b, const scene_object* o, const built_object* out);
bool build_mapped_contact(scene_builder* b, const scene_mapping* m, const built_object* out);
/* Adds colliders; `def` tells their shape, how many, and where. `first` may be NULL. */
bool build_colliders(scene_builder* b, const contact_class* how, taut_colliders_def* def, uint32_t* first);
/* Gives colliders that are no planes skins where the scene has surfaces. */
bool build_skins(scene_builder* b, uint32_t first, size_t count);

/* ---- colliders that are two-sided surfaces: those with a thickness, and open meshes ----------------------------- */

/* Reads the meshes of all colliders, and finds which are two-sided. Before the first object. */
bool build_read_colliders(scene_builder* b);
/* The mesh of the collider that is being built, which is the caller's from here on. */
mesh build_take_mesh(scene_builder* b);
void build_free_meshes(scene_builder* b);
/* Makes the points from `first` on, which are where `m` has its own, a surface of the collider being built. */
bool build_sheet(scene_builder* b, const collider_spec* c, const mesh* m, size_t first);
/* Adds the surface with what carries it: the world, or a frame in whose axes it stands. */
bool build_carried_sheet(scene_builder* b, const collider_spec* c, const mesh* m, taut_body body);

/* ---- mappings and constraints --------------------------------------------------------------------------------- */

bool build_mapping(scene_builder* b, const scene_mapping* m, built_object* out);

/* What objects hold of their own: fixed bodies, colliders, and clamped ends of rods. Before the first pin. */
bool build_holds(scene_builder* b);
bool build_pin(scene_builder* b, const pin_spec* pin);
/* A fixed body that moves by itself; the path must outlive the built scene. */
bool build_moving_body(scene_builder* b, const motion* path, uint32_t point, uint32_t frame);
bool build_distance(scene_builder* b, const pair_spec* pair);
bool build_attach(scene_builder* b, const pair_spec* pair);
bool build_linear(scene_builder* b, const linear_spec* linear);
bool build_joint(scene_builder* b, const joint_spec* joint);

#endif
