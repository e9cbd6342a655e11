#include "build/scene_warnings.h"

#include "base/vector.h"
#include "build/scene_survey.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double large = 20;    /* m: of cloth, soft bodies, and shapes from files */
static const double uneven = 200;  /* times the shortest edge: the longest one of a cloth */
static const double larger = 1000; /* m: millimetres rather than centimetres, where gravity does not say which */
static const double far_stretched = 0.25;
static const double locks = 0.49;      /* Poisson's ratio: tetrahedra bend too little above */
static const double far_apart = 2;     /* sizes of a collider and of the body that carries it */
static const double evaluations = 5e6; /* solid angles for a pair of objects */

typedef struct teller {
    scene_warn* warn;
    void* user;
} teller;

static void tell(const teller* to, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void tell(const teller* to, const char* format, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    to->warn(to->user, sentence);
}

/* ---- sizes ---------------------------------------------------------------------------------------------------- */

/* What people have at home is smaller; ropes, planes and the ground are not. */
static bool has_usual_size(const scene_object* o) {
    return o->type == OBJECT_CLOTH || o->type == OBJECT_SOFT ||
           (o->type == OBJECT_RIGID && o->as.rigid.solid.shape == SOLID_MESH);
}

/* Units of a metre that earth's gravity is told in: 100 centimetres, 1,000 millimetres; 1: metres, or another gravity.
 */
static double units_of_gravity(const scene_file* file) {
    const double gravity = sqrt(vector_dot(file->world.gravity, file->world.gravity));
    for (double per_metre = 100; per_metre <= 1000; per_metre *= 10) {
        if (fabs(gravity / per_metre - 9.8) < 0.1) {
            return per_metre;
        }
    }
    return 1;
}

static void warn_of_stretch(const scene_file* file, size_t i, const object_survey* s, const teller* to) {
    if (s->hangs && s->stretch > far_stretched) {
        tell(to, "objects[%zu] '%.80s' stretches by %.3g %% where it hangs by its own weight: %s", i,
             file->objects[i].name, 100 * s->stretch, "make it stiffer or lighter, if that is not meant");
    }
}

static void warn_of_slivers(const scene_file* file, size_t i, const object_survey* s, const teller* to) {
    if (file->objects[i].type == OBJECT_CLOTH && s->edges[0] > 0 && s->edges[1] > uneven * s->edges[0]) {
        tell(to, "objects[%zu] '%.80s' has edges of %.3g to %.3g m: triangles as narrow as that %s", i,
             file->objects[i].name, s->edges[0], s->edges[1],
             "can be stretched to several times their width; merge their vertices, or mesh it more evenly");
    }
}

static void warn_of_locking(const scene_file* file, size_t i, const teller* to) {
    const scene_object* o = &file->objects[i];
    if (o->type == OBJECT_SOFT && o->as.soft.poisson > locks) {
        tell(to, "objects[%zu] '%.80s' has a \"poisson\" of %g: above %g tetrahedra lock, and %s", i, o->name,
             o->as.soft.poisson, locks, "bend by a third to two thirds of what they should; with 0.45 they do not");
    }
}

/* `units`: of gravity. */
static bool warn_of_size(const scene_file* file, size_t i, const object_survey* s, double units, const teller* to) {
    const scene_object* o = &file->objects[i];
    const double length = survey_length(s);
    const bool millimetres = units > 1 ? units > 100 : length > larger;
    if (length > large) {
        tell(to, "objects[%zu] '%.80s' is %.4g m long: where its numbers are in %s, give it \"scale\": %g", i, o->name,
             length, millimetres ? "millimetres" : "centimetres", millimetres ? 0.001 : 0.01);
    }
    return length > large;
}

static size_t warn_of_gravity(const scene_file* file, double units, const teller* to) {
    const double* g = file->world.gravity;
    if (units > 1) {
        tell(to, "gravity is %.4g m/s^2: on earth it is 9.81, in metres", sqrt(vector_dot(g, g)));
    }
    return units > 1;
}

void warn_of_units(const scene_file* file, const built_scene* built, size_t most, scene_warn* warn, void* user) {
    const teller to = {warn, user};
    const double units = units_of_gravity(file);
    size_t told = most > 0 ? warn_of_gravity(file, units, &to) : 0;
    for (size_t i = 0; i < file->object_count && told < most; i++) {
        if (has_usual_size(&file->objects[i])) {
            const object_survey s = scene_survey(file, built, i);
            told += warn_of_size(file, i, &s, units, &to);
        }
    }
}

void warn_of_sizes(const scene_file* file, const object_survey* surveys, scene_warn* warn, void* user) {
    const teller to = {warn, user};
    const double units = units_of_gravity(file);
    warn_of_gravity(file, units, &to);
    for (size_t i = 0; i < file->object_count; i++) {
        if (has_usual_size(&file->objects[i])) {
            warn_of_size(file, i, &surveys[i], units, &to);
        }
    }
    for (size_t i = 0; i < file->object_count; i++) {
        warn_of_stretch(file, i, &surveys[i], &to);
        warn_of_slivers(file, i, &surveys[i], &to);
        warn_of_locking(file, i, &to);
    }
}

void warn_of_scheme(const scene_file* file, scene_warn* warn, void* user) {
    const teller to = {warn, user};
    const taut_integrator* i = &file->world.integrator;
    if (file->loses_energy) {
        tell(&to,
             "integrator: with an alpha of %.3g and one linearisation a step, %s does not last: give \"newton\": 3%s",
             i->alpha, "the energy of links and joints that turn",
             i->split_forces ? ", with \"two_stage\": true or without theta_q and theta_v"
                             : ", which is not the default where something can touch");
    }
}

/* ---- bodies without contact ------------------------------------------------------------------------------------ */

/* Whether a constraint names the object. */
static bool holds(const scene_constraint* c, size_t object) {
    bool named = false;
    switch (c->type) {
    case CONSTRAINT_PIN:
        return c->as.pin.at.object == object;
    case CONSTRAINT_JOINT:
        for (int i = 0; i < 2; i++) {
            named = named || (!c->as.joint.world[i] && c->as.joint.bodies[i].object == object);
        }
        return named;
    case CONSTRAINT_LINEAR:
    case CONSTRAINT_SPEED:
        for (size_t i = 0; i < c->as.linear.count; i++) {
            named = named || c->as.linear.terms[i].point.object == object;
        }
        return named;
    default:
        return c->as.pair.ends[0].object == object || c->as.pair.ends[1].object == object;
    }
}

/* Neither held nor carrying a collider: it falls through all that others lie on. */
static bool is_untouchable(const scene_file* file, size_t object) {
    const scene_object* o = &file->objects[object];
    bool free = o->type == OBJECT_RIGID && !o->as.rigid.fixed && !o->touching.given;
    for (size_t i = 0; free && i < file->constraint_count; i++) {
        free = !holds(&file->constraints[i], object);
    }
    for (size_t i = 0; free && i < file->object_count; i++) {
        const scene_object* other = &file->objects[i];
        free =
            other->type != OBJECT_COLLIDER || !other->as.collider.on_body || other->as.collider.body.object != object;
    }
    return free && file->mapping_count == 0;
}

void warn_of_untouchable(const scene_file* file, scene_warn* warn, void* user) {
    const teller to = {warn, user};
    size_t first = file->object_count, count = 0, others = 0;
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        const bool free = is_untouchable(file, i);
        first = count == 0 && free ? i : first;
        count += free;
        others += o->type == OBJECT_COLLIDER || o->touching.given;
    }
    if (count > 0 && others > 0) {
        tell(&to,
             "%zu object%s of bodies touch%s nothing, as objects[%zu] '%.80s': give %s \"contact\": {}, if that is "
             "not meant",
             count, count == 1 ? "" : "s", count == 1 ? "es" : "", first, file->objects[first].name,
             count == 1 ? "it" : "them");
    }
}

/* ---- insides -------------------------------------------------------------------------------------------------- */

static const contact_class* class_of(const scene_object* o) {
    return o->type == OBJECT_COLLIDER ? &o->as.collider.how : &o->touching.how;
}

static bool is_soft(const scene_object* o) {
    return o->touching.given && o->type != OBJECT_RIGID && o->type != OBJECT_COLLIDER;
}

/* Two-sided surfaces have no inside. */
static bool is_solid(const scene_object* o, const built_object* built) {
    return (o->type == OBJECT_COLLIDER && built->collides) || (o->type == OBJECT_RIGID && o->touching.given);
}

static bool meet(const scene_object* a, const scene_object* b) {
    const contact_class *one = class_of(a), *other = class_of(b);
    return (one->mask & other->group) && (other->mask & one->group);
}

/* NULL: it is not shown, as a plane. */
static const export_object* shown(const frame_points* points, const char* name) {
    for (size_t i = 0; i < points->export_count; i++) {
        if (strcmp(points->exports[i].name, name) == 0) {
            return &points->exports[i];
        }
    }
    return NULL;
}

/* Solid angle of a triangle seen from x (van Oosterom and Strackee 1983):
 * tan(w / 2) = a.(b x c) / (|a||b||c| + a.b |c| + b.c |a| + c.a |b|). */
static double solid_angle(const double x[3], const double p[3], const double q[3], const double s[3]) {
    double a[3], b[3], c[3], n[3];
    vector_between(x, p, a);
    vector_between(x, q, b);
    vector_between(x, s, c);
    vector_cross(b, c, n);
    const double la = sqrt(vector_dot(a, a)), lb = sqrt(vector_dot(b, b)), lc = sqrt(vector_dot(c, c));
    return 2 * atan2(vector_dot(a, n),
                     la * lb * lc + vector_dot(a, b) * lc + vector_dot(b, c) * la + vector_dot(c, a) * lb);
}

/* Winding number: 1 inside of closed surfaces, 0 outside, 1/2 on them. */
static bool is_inside(const export_object* solid, const double (*points)[3], const double x[3]) {
    const double whole = 4 * acos(-1.0);
    double angle = 0;
    for (size_t i = 0; i < solid->triangle_count; i++) {
        const uint32_t* t = solid->triangles[i];
        angle += solid_angle(x, points[t[0]], points[t[1]], points[t[2]]);
    }
    return fabs(angle) > 0.75 * whole;
}

static bool is_in_box(const double box[2][3], const double x[3]) {
    bool in = true;
    for (int a = 0; a < 3; a++) {
        in = in && x[a] > box[0][a] && x[a] < box[1][a];
    }
    return in;
}

/* Of some vertices where there are many; 0 means that none of these is inside. */
static size_t count_inside(const export_object* o, const export_object* solid, const double (*all)[3]) {
    const double(*points)[3] = all + solid->first_point;
    double box[2][3];
    points_box(points, solid->point_count, box);
    const double work = (double)o->point_count * (double)solid->triangle_count;
    const size_t stride = work > evaluations ? (size_t)(work / evaluations) : 1;
    size_t count = 0;
    for (size_t i = 0; i < o->point_count; i += stride) {
        const double* x = all[o->first_point + i];
        count += is_in_box((const double(*)[3])box, x) && is_inside(solid, points, x) ? stride : 0;
    }
    return count;
}

void warn_of_insides(const scene_file* file, const frame_points* points, scene_warn* warn, void* user) {
    const teller to = {warn, user};
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        const export_object* soft = is_soft(o) ? shown(points, o->name) : NULL;
        for (size_t k = 0; soft && k < file->object_count; k++) {
            const scene_object* other = &file->objects[k];
            const export_object* solid =
                is_solid(other, &points->built->objects[k]) && meet(o, other) ? shown(points, other->name) : NULL;
            const size_t count = solid ? count_inside(soft, solid, (const double(*)[3])points->positions) : 0;
            if (count) {
                tell(&to,
                     "%zu of %zu vertices of objects[%zu] '%.80s' are inside '%.80s' at the start: move one of the two",
                     count < soft->point_count ? count : soft->point_count, soft->point_count, i, o->name, other->name);
            }
        }
    }
}

/* ---- colliders on bodies ---------------------------------------------------------------------------------------- */

/* Between two boxes, and the diagonals of both together. */
static double gap_between(const double a[2][3], const double b[2][3], double* sizes) {
    double squared = 0, one = 0, other = 0;
    for (int i = 0; i < 3; i++) {
        const double gap = fmax(fmax(a[0][i] - b[1][i], b[0][i] - a[1][i]), 0);
        squared += gap * gap;
        one += (a[1][i] - a[0][i]) * (a[1][i] - a[0][i]);
        other += (b[1][i] - b[0][i]) * (b[1][i] - b[0][i]);
    }
    *sizes = sqrt(one) + sqrt(other);
    return sqrt(squared);
}

void warn_of_far_colliders(const scene_file* file, const frame_points* points, scene_warn* warn, void* user) {
    const teller to = {warn, user};
    for (size_t i = 0; i < file->object_count; i++) {
        const scene_object* o = &file->objects[i];
        const bool carried = o->type == OBJECT_COLLIDER && o->as.collider.on_body;
        const export_object* shape = carried ? shown(points, o->name) : NULL;
        const export_object* body = carried ? shown(points, file->objects[o->as.collider.body.object].name) : NULL;
        if (shape != NULL && body != NULL) {
            double boxes[2][2][3], sizes;
            points_box((const double(*)[3])points->positions + shape->first_point, shape->point_count, boxes[0]);
            points_box((const double(*)[3])points->positions + body->first_point, body->point_count, boxes[1]);
            const double gap = gap_between((const double(*)[3])boxes[0], (const double(*)[3])boxes[1], &sizes);
            if (gap > far_apart * sizes) {
                tell(&to, "objects[%zu] '%.80s' is carried by '%.80s', %.3g m away from it: %s", i, o->name,
                     file->objects[o->as.collider.body.object].name, gap,
                     o->as.collider.local ? "with \"axes\": \"body\" its place is relative to the centre of mass"
                                          : "its place is in the world, unless it has \"axes\": \"body\"");
            }
        }
    }
}
