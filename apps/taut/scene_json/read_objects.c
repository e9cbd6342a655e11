#include "base/array.h"
#include "scene_json/scene_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t max_objects = 10000;

/* ---- grids ---------------------------------------------------------------------------------------------------- */

static bool parse_grid(const json_node* n, size_t dimensions, grid_spec* grid) {
    static const char* const keys[] = {"size", "cells", NULL};
    json_node size, cells;
    double counts[3] = {0};
    double vertices = 1;
    if (!json_object(n, keys) || !json_need(n, "size", &size) ||
        !json_numbers(&size, dimensions, json_positive, grid->size) || !json_need(n, "cells", &cells) ||
        !json_numbers(&cells, dimensions, (json_range){1, SCENE_MAX_PARTICLES}, counts)) {
        return false;
    }
    for (size_t a = 0; a < dimensions; a++) {
        if (counts[a] != floor(counts[a])) {
            return json_fail(&cells, "must be whole numbers");
        }
        grid->cells[a] = (uint32_t)counts[a];
        vertices *= counts[a] + 1;
    }
    return vertices <= SCENE_MAX_PARTICLES ||
           json_fail(&cells, "make %.0f vertices, more than %u", vertices, SCENE_MAX_PARTICLES);
}

static bool parse_mesh_or_grid(const json_node* object, size_t dimensions, char** path, grid_spec* shape) {
    json_node mesh, grid;
    const bool has_mesh = json_find(object, "mesh", &mesh);
    const bool has_grid = json_find(object, "grid", &grid);
    if (has_mesh == has_grid) {
        return json_fail(object, "needs either 'mesh' or 'grid'");
    }
    return has_mesh ? parse_mesh_path(&mesh, path) : parse_grid(&grid, dimensions, shape);
}

/* ---- particles ------------------------------------------------------------------------------------------------ */

static bool parse_masses(const json_node* object, particles_spec* p) {
    json_node n;
    p->mass = 1;
    if (!json_find(object, "masses", &n)) {
        return true;
    }
    if (json_is_number(&n)) {
        return json_number(&n, json_positive, &p->mass);
    }
    p->masses = array_new(p->count, sizeof *p->masses, object->document->r);
    return p->masses && json_numbers(&n, p->count, json_positive, p->masses);
}

static bool parse_velocities(const json_node* object, particles_spec* p) {
    json_node n;
    size_t count = 0;
    if (!json_find(object, "velocities", &n)) {
        return true;
    }
    return json_points(&n, 0, &p->velocities, &count) &&
           (count == p->count ||
            json_fail(&n, "must hold %zu elements as 'positions' does, holds %zu", p->count, count));
}

static bool parse_particles(const json_node* object, scene_object* o) {
    static const char* const keys[] = {COMMON_KEYS, "positions", "masses", "velocities", NULL};
    json_node n;
    particles_spec* p = &o->as.particles;
    return json_object(object, keys) && json_need(object, "positions", &n) &&
           json_points(&n, 1, &p->positions, &p->count) && parse_masses(object, p) && parse_velocities(object, p);
}

/* ---- cloth ---------------------------------------------------------------------------------------------------- */

static bool parse_cloth_bend(const json_node* object, const taut_fabric* fabric, cloth_spec* c) {
    static const char* const keys[] = {LAW_KEYS, "rest", NULL};
    static const char* const rests[] = {"mesh", "flat", NULL};
    json_node n;
    unsigned rest = 0;
    if (fabric) {
        c->bend = (spring_law){.given = true,
                               .compliance = 1 / fabric->bending,
                               .lower = -INFINITY,
                               .upper = INFINITY,
                               .strength = INFINITY};
    }
    if (!json_find(object, "bend", &n)) {
        return true;
    }
    bool ok = json_object(&n, keys) && parse_law_keys(&n, &c->bend) && json_choice_member(&n, "rest", rests, &rest);
    c->bend.given = true;
    c->bend_flat = rest == 1;
    return ok;
}

/* The key that has chosen the model; where none has, it is "membrane" and no key is refused. */
static const char* model_chooser(const json_node* object) {
    json_node n;
    return json_find(object, "model", &n) ? "model" : json_find(object, "stretch", &n) ? "stretch" : "shear";
}

/* Keys that mean something in the other model only would otherwise be ignored without a word. */
static bool refuse_keys(const json_node* object, const char* const* keys, const char* model, const char* chosen) {
    json_node n;
    for (size_t i = 0; keys[i]; i++) {
        if (json_find(object, keys[i], &n)) {
            return json_fail(&n, "belongs to model '%s', and '%s' chooses '%s': leave out one of the two", model,
                             model_chooser(object), chosen);
        }
    }
    return true;
}

/* What stretches like it, where the file names no fabric. */
#define DEFAULT_FABRIC "cotton"

/* Springs of an isotropic sheet: threads of its Young's modulus, diagonals of its shear modulus E/(2 (1 + nu)), which
 * is 1/(2 compliance). */
static void fabric_springs(const taut_fabric* fabric, cloth_spec* c) {
    c->stretch = (spring_law){.given = true, .lower = -INFINITY, .upper = INFINITY, .strength = INFINITY};
    c->shear = c->stretch;
    c->stretch.compliance = 1 / fabric->young;
    c->shear.compliance = (1 + fabric->poisson) / fabric->young;
}

static bool parse_cloth_material(const json_node* object, const taut_fabric* fabric, cloth_spec* c) {
    static const char* const membrane_only[] = {"young", "poisson", "damping", NULL};
    static const char* const edges_only[] = {"stretch", "shear", NULL};
    const taut_fabric* stretches_like = fabric ? fabric : taut_fabric_find(DEFAULT_FABRIC);
    c->poisson = stretches_like->poisson;
    c->young = stretches_like->young;
    if (c->membrane) {
        return refuse_keys(object, edges_only, "edges", "membrane") &&
               json_number_member(object, "young", json_positive, &c->young) &&
               json_number_member(object, "poisson", (json_range){-0.999, 0.999}, &c->poisson) &&
               json_number_member(object, "damping", json_not_negative, &c->damping);
    }
    if (fabric) {
        fabric_springs(fabric, c);
    }
    return refuse_keys(object, membrane_only, "membrane", "edges") && parse_law(object, "stretch", &c->stretch) &&
           parse_law(object, "shear", &c->shear);
}

static bool parse_density(const json_node* object, bool named, double preset, double* out) {
    *out = preset;
    return named ? json_number_member(object, "density", json_positive, out)
                 : parse_needed_number(object, "density", json_positive, out);
}

static bool parse_cloth(const json_node* object, scene_object* o) {
    static const char* const keys[] = {COMMON_KEYS, "mesh",  "grid",    "density", "model",  "stretch",    "shear",
                                       "bend",      "young", "poisson", "damping", "fabric", SURFACE_KEYS, NULL};
    static const char* const models[] = {"edges", "membrane", NULL};
    cloth_spec* c = &o->as.cloth;
    json_node n;
    unsigned model = !json_find(object, "stretch", &n) && !json_find(object, "shear", &n);
    if (!json_object(object, keys) || !json_choice_member(object, "model", models, &model)) {
        return false;
    }
    const taut_fabric* fabric = NULL;
    c->membrane = model == 1;
    return parse_mesh_or_grid(object, 2, &c->mesh, &c->grid) && parse_fabric(object, &fabric) &&
           parse_density(object, fabric != NULL, fabric ? fabric->density : 0, &c->density) &&
           parse_cloth_material(object, fabric, c) && parse_cloth_bend(object, fabric, c) &&
           parse_surface(object, &c->surface);
}

/* ---- rope and soft body --------------------------------------------------------------------------------------- */

/* Of a rope of this diameter: the mass of a metre and the compliance of one. */
static bool parse_rope_preset(const json_node* object, const taut_rope_kind* kind, rope_spec* rope) {
    json_node n;
    double diameter = 0;
    if (!kind) {
        return !json_find(object, "diameter", &n) || json_fail(&n, "goes with 'rope', which names a kind of rope");
    }
    if (!parse_needed_number(object, "diameter", (json_range){1e-6, 10}, &diameter)) {
        return false;
    }
    rope->density = kind->density * diameter * diameter;
    rope->stretch = (spring_law){.given = true,
                                 .compliance = 1 / (kind->stiffness * diameter * diameter),
                                 .lower = -INFINITY,
                                 .upper = INFINITY,
                                 .strength = INFINITY};
    return true;
}

static bool parse_rope(const json_node* object, scene_object* o) {
    static const char* const keys[] = {COMMON_KEYS, "points", "segments", "density", "stretch",
                                       "bend",      "rope",   "diameter", NULL};
    const taut_rope_kind* kind = NULL;
    rope_spec* rope = &o->as.rope;
    json_node points;
    return json_object(object, keys) && json_need(object, "points", &points) &&
           json_points(&points, 2, &rope->points, &rope->count) &&
           json_integer_member(object, "segments", 1, SCENE_MAX_PARTICLES - 1, &rope->segments) &&
           parse_rope_kind(object, &kind) && parse_rope_preset(object, kind, rope) &&
           parse_density(object, kind != NULL, rope->density, &rope->density) &&
           parse_law(object, "stretch", &rope->stretch) && parse_law(object, "bend", &rope->bend);
}

/* Force elements that are stiffer turn too slowly. */
static const double most_young = 1e9;

static bool parse_soft(const json_node* object, scene_object* o) {
    static const char* const keys[] = {COMMON_KEYS, "mesh",   "grid",  "density",    "young", "poisson",
                                       "damping",   "volume", "model", SURFACE_KEYS, NULL};
    static const char* const models[] = {"strain", "corotational", "neo_hookean", "st_venant_kirchhoff", NULL};
    soft_spec* soft = &o->as.soft;
    soft->poisson = 0.3;
    if (!json_object(object, keys) ||
        !json_number_member(object, "poisson", (json_range){-0.999, 0.5}, &soft->poisson) ||
        !parse_needed_number(object, "young", json_positive, &soft->young)) {
        return false;
    }
    unsigned model = soft->young > most_young ? SOFT_STRAIN : SOFT_NEO_HOOKEAN;
    if (!json_choice_member(object, "model", models, &model)) {
        return false;
    }
    soft->model = (soft_model)model;
    return parse_mesh_or_grid(object, 3, &soft->mesh, &soft->grid) &&
           parse_needed_number(object, "density", json_positive, &soft->density) &&
           json_number_member(object, "damping", json_not_negative, &soft->damping) &&
           parse_law(object, "volume", &soft->volume) && parse_surface(object, &soft->surface);
}

/* ---- objects -------------------------------------------------------------------------------------------------- */

static bool parse_object(const json_node* n, scene_object* o, const scene_file* s) {
    typedef bool parser(const json_node* object, scene_object* o);
    static const char* const types[] = {"particles", "cloth", "rope", "soft", "rigid", "rod", "collider", NULL};
    static parser* const parsers[] = {parse_particles, parse_cloth, parse_rope, parse_soft, parse_rigid, parse_rod};
    json_node type_node;
    unsigned type = 0;
    if (!json_is_object(n) || !json_need(n, "type", &type_node) || !json_choice(&type_node, types, &type)) {
        return false;
    }
    o->type = (object_type)type;
    const bool ok =
        o->type == OBJECT_COLLIDER ? parse_collider(n, s, o) : parsers[type](n, o) && parse_touching(n, s, o);
    return ok && parse_name(n, s, &o->name) && parse_placement(n, &o->place);
}

/* Colliders alone do nothing. */
static bool check_objects(const json_node* list, const scene_file* s) {
    for (size_t i = 0; i < s->object_count; i++) {
        if (s->objects[i].type != OBJECT_COLLIDER) {
            return true;
        }
    }
    return json_fail(list, "hold colliders only, so that nothing can move: add an object of another type, such as "
                           "cloth, rope, soft or rigid");
}

bool parse_objects(const json_node* root, scene_file* s) {
    json_node list, n;
    size_t count = 0;
    if (!json_need(root, "objects", &list) || !json_length(&list, 1, &count)) {
        return false;
    }
    if (count > max_objects) {
        return json_fail(&list, "holds %zu objects, more than %zu", count, max_objects);
    }
    s->objects = array_new(count, sizeof *s->objects, root->document->r);
    bool ok = s->objects != NULL;
    for (bool more = json_first(&list, &n); ok && more; more = json_next(&n)) {
        s->object_count++;
        ok = parse_object(&n, &s->objects[n.index], s);
    }
    return ok && check_objects(&list, s);
}
