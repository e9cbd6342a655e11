/* The integrator of a scene file. */
#include "scene_json/scene_parse.h"

#include <math.h>

static const char* const integrator_keys[] = {"scheme",
                                              "alpha",
                                              "beta",
                                              "theta_q",
                                              "theta_v",
                                              "two_stage",
                                              "newton",
                                              "newton_tolerance",
                                              "geometric_stiffness",
                                              "guard",
                                              "hard_row_damping",
                                              "closing_time",
                                              "mass_damping",
                                              "primal",
                                              "stepper",
                                              "ka",
                                              "kb",
                                              "time_constant",
                                              "ratio",
                                              "project_positions",
                                              "project_velocities",
                                              NULL};

typedef enum scheme {
    SCHEME_IMPLICIT_EULER,
    SCHEME_MIDPOINT,
    SCHEME_THETA,
    SCHEME_EXPLICIT_EULER,
    SCHEME_SYMPLECTIC_EULER,
    SCHEME_PRIMAL,
    SCHEME_ACCELERATION,
    SCHEME_SDIRK2
} scheme;
static const char* const scheme_names[] = {"implicit_euler", "midpoint",         "theta",
                                           "explicit_euler", "symplectic_euler", "primal",
                                           "acceleration",   "sdirk2",           NULL};

/* A scheme other than theta fixes both factors: a file may repeat them, not contradict them. */
static bool parse_fixed_factor(const json_node* n, const char* key, const char* scheme_name, double fixed) {
    double given = fixed;
    return json_number_member(n, key, (json_range){0, 1}, &given) &&
           (given == fixed ||
            json_fail_member(n, key, "is %g, but scheme '%s' has %g; use 'theta'", given, scheme_name, fixed));
}

static bool refuse_members(const json_node* n, const char* const* keys, const char* why) {
    json_node member;
    for (; *keys != NULL; keys++) {
        if (json_find(n, *keys, &member)) {
            return json_fail_member(n, *keys, "%s", why);
        }
    }
    return true;
}

static bool parse_theta(const json_node* n, taut_integrator* integrator) {
    json_node alpha, theta;
    if (!json_need(n, "alpha", &alpha) || !json_number(&alpha, (json_range){1e-30, 1}, &integrator->alpha)) {
        return false;
    }
    integrator->beta = integrator->alpha;
    integrator->force_theta_q = integrator->force_theta_v = integrator->alpha;
    integrator->split_forces = json_find(n, "theta_q", &theta) || json_find(n, "theta_v", &theta);
    return json_number_member(n, "beta", (json_range){0, 1}, &integrator->beta) &&
           json_number_member(n, "theta_q", (json_range){0, 1}, &integrator->force_theta_q) &&
           json_number_member(n, "theta_v", (json_range){0, 1}, &integrator->force_theta_v);
}

static bool parse_primal(const json_node* n, taut_integrator* integrator) {
    static const char* const keys[] = {"a", "b", "c", "e", "g", NULL};
    static const json_range positive = {1e-6, 1e6}, factor = {0, 1e6};
    taut_primal* primal = &integrator->primal;
    json_node object;
    integrator->formulation = TAUT_FORMULATION_PRIMAL;
    integrator->beta = 1;
    if (!json_number_member(n, "beta", (json_range){0, 1}, &integrator->beta)) {
        return false;
    }
    return !json_find(n, "primal", &object) ||
           (json_object(&object, keys) && json_number_member(&object, "a", positive, &primal->a) &&
            json_number_member(&object, "b", factor, &primal->b) &&
            json_number_member(&object, "c", positive, &primal->c) &&
            json_number_member(&object, "e", factor, &primal->e) &&
            json_number_member(&object, "g", factor, &primal->g));
}

/* ka and kb, or a time constant with its ratio. */
static bool parse_acceleration(const json_node* n, taut_integrator* integrator) {
    static const char* const steppers[] = {"symplectic_euler", "rk4", NULL};
    static const char* const rates[] = {"ka", "kb", NULL};
    double time = 0, ratio = 1;
    unsigned stepper = TAUT_STEPPER_SYMPLECTIC_EULER;
    json_node member;
    integrator->formulation = TAUT_FORMULATION_ACCELERATION;
    if (!json_choice_member(n, "stepper", steppers, &stepper)) {
        return false;
    }
    integrator->stepper = (taut_stepper)stepper;
    if (!json_find(n, "time_constant", &member)) {
        return refuse_members(n, (const char* const[]){"ratio", NULL}, "needs time_constant") &&
               json_number_member(n, "ka", (json_range){0, 1e9}, &integrator->baumgarte_velocity) &&
               json_number_member(n, "kb", (json_range){0, 1e18}, &integrator->baumgarte_position);
    }
    return refuse_members(n, rates, "is given by time_constant and ratio already") &&
           json_number_member(n, "time_constant", (json_range){1e-9, 1e9}, &time) &&
           json_number_member(n, "ratio", (json_range){0, 1e6}, &ratio) &&
           taut_integrator_baumgarte(time, ratio, integrator) == TAUT_OK;
}

static bool parse_preset(const json_node* n, scheme chosen, taut_integrator* integrator) {
    static const taut_preset presets[] = {
        [SCHEME_IMPLICIT_EULER] = TAUT_PRESET_IMPLICIT_EULER,
        [SCHEME_MIDPOINT] = TAUT_PRESET_MIDPOINT,
        [SCHEME_EXPLICIT_EULER] = TAUT_PRESET_EXPLICIT_EULER,
        [SCHEME_SYMPLECTIC_EULER] = TAUT_PRESET_SYMPLECTIC_EULER,
        [SCHEME_SDIRK2] = TAUT_PRESET_SDIRK2,
    };
    taut_integrator_preset(presets[chosen], integrator);
    return parse_fixed_factor(n, "alpha", scheme_names[chosen], integrator->alpha) &&
           parse_fixed_factor(n, "beta", scheme_names[chosen], integrator->beta);
}

/* Keys that only some schemes know. */
static bool refuse_others(const json_node* n, scheme chosen) {
    static const char* const thetas[] = {"theta_q", "theta_v", NULL};
    static const char* const primals[] = {"primal", NULL};
    static const char* const accelerations[] = {"stepper", "ka", "kb", "time_constant", "ratio", NULL};
    static const char* const factors[] = {"alpha", "beta", "hard_row_damping", "two_stage", NULL};
    return (chosen == SCHEME_THETA || refuse_members(n, thetas, "belongs to scheme 'theta'")) &&
           (chosen == SCHEME_PRIMAL || refuse_members(n, primals, "belongs to scheme 'primal'")) &&
           (chosen == SCHEME_ACCELERATION || refuse_members(n, accelerations, "belongs to scheme 'acceleration'")) &&
           (chosen != SCHEME_ACCELERATION || refuse_members(n, factors, "does not belong to scheme 'acceleration'"));
}

static bool parse_scheme(const json_node* n, taut_integrator* integrator) {
    unsigned chosen = SCHEME_IMPLICIT_EULER;
    if (!json_choice_member(n, "scheme", scheme_names, &chosen) || !refuse_others(n, (scheme)chosen)) {
        return false;
    }
    switch (chosen) {
    case SCHEME_THETA:
        return parse_theta(n, integrator);
    case SCHEME_PRIMAL:
        return parse_primal(n, integrator);
    case SCHEME_ACCELERATION:
        return parse_acceleration(n, integrator);
    default:
        return parse_preset(n, (scheme)chosen, integrator);
    }
}

/* A scene that says how many linearisations a step has gets no others. */
static bool parse_newton(const json_node* n, taut_integrator* integrator) {
    json_node own;
    integrator->further = json_find(n, "newton", &own) ? 0 : integrator->further;
    if (!json_integer_member(n, "newton", 1, 1000, &integrator->newton) ||
        !json_number_member(n, "newton_tolerance", (json_range){1e-15, 1}, &integrator->newton_tolerance) ||
        !json_bool_member(n, "two_stage", &integrator->two_stage)) {
        return false;
    }
    if (integrator->newton > 1 && integrator->formulation != TAUT_FORMULATION_THETA) {
        return json_fail_member(n, "newton", "is %u, but this scheme has one linearisation a step", integrator->newton);
    }
    if (integrator->two_stage && integrator->formulation != TAUT_FORMULATION_THETA) {
        return json_fail_member(n, "two_stage", "does not belong to this scheme");
    }
    if (integrator->newton > 1 && integrator->split_forces && !integrator->two_stage) {
        return json_fail_member(n, "newton", "is %u, which needs one theta for forces and constraints, or two_stage",
                                integrator->newton);
    }
    return true;
}

static bool parse_projections(const json_node* n, taut_integrator* integrator) {
    return json_integer_member(n, "project_positions", 0, 100, &integrator->project_positions) &&
           json_bool_member(n, "project_velocities", &integrator->project_velocities);
}

bool parse_integrator(const json_node* root, taut_integrator* integrator) {
    static const char* const stiffness_names[] = {"none", "full", NULL};
    json_node n;
    if (!json_find(root, "integrator", &n)) {
        return true;
    }
    unsigned stiffness = 1;
    if (!json_object(&n, integrator_keys) || !parse_scheme(&n, integrator) || !parse_newton(&n, integrator) ||
        !parse_projections(&n, integrator) ||
        !json_choice_member(&n, "geometric_stiffness", stiffness_names, &stiffness)) {
        return false;
    }
    integrator->geometric_stiffness = stiffness ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE;
    /* Below 1 a hard row would oscillate from step to step; without implicit positions it has no law. */
    integrator->hard_row_damping = integrator->alpha < 1 || integrator->beta == 0 ? 1 : 0;
    return json_bool_member(&n, "guard", &integrator->guard) &&
           json_number_member(&n, "hard_row_damping", json_not_negative, &integrator->hard_row_damping) &&
           json_number_member(&n, "closing_time", json_not_negative, &integrator->closing_time) &&
           json_number_member(&n, "mass_damping", json_not_negative, &integrator->mass_damping);
}

/* Colliders that move meet others. */
static bool is_met(const scene_object* o) {
    const collider_spec* c = &o->as.collider;
    return o->touching.given || (o->type == OBJECT_COLLIDER && (c->on_body || c->path.count > 0));
}

static bool touches_something(const scene_file* s) {
    bool touches = false;
    for (size_t i = 0; i < s->object_count; i++) {
        touches = touches || is_met(&s->objects[i]);
    }
    for (size_t i = 0; i < s->mapping_count; i++) {
        touches = touches || s->mappings[i].touching.given;
    }
    return touches;
}

static bool is_elastic(const scene_file* s) {
    bool elastic = false;
    for (size_t i = 0; i < s->object_count; i++) {
        elastic = elastic || s->objects[i].type == OBJECT_CLOTH || s->objects[i].type == OBJECT_SOFT;
    }
    return elastic;
}

/* What keeps a length or a joint as it turns. */
static bool has_links(const scene_file* s) {
    bool found = false;
    for (size_t i = 0; i < s->object_count; i++) {
        found = found || s->objects[i].type == OBJECT_ROPE || s->objects[i].type == OBJECT_ROD;
    }
    for (size_t i = 0; i < s->constraint_count; i++) {
        const constraint_type type = s->constraints[i].type;
        found = found || type == CONSTRAINT_DISTANCE || type == CONSTRAINT_ATTACH || type == CONSTRAINT_JOINT;
    }
    return found;
}

static bool has_solids(const scene_file* s) {
    bool found = false;
    for (size_t i = 0; i < s->object_count; i++) {
        found = found || s->objects[i].type == OBJECT_SOFT;
    }
    return found;
}

/* What a pin that moves does is known by the force at the end of a step: too roughly for the guard. */
static bool has_moving_pins(const scene_file* s) {
    bool moving = false;
    for (size_t i = 0; i < s->constraint_count; i++) {
        const scene_constraint* c = &s->constraints[i];
        moving = moving || (c->type == CONSTRAINT_PIN && pin_moves(&c->as.pin));
    }
    return moving;
}

/* Solids that swing are twice as far off with one linearisation, which the stretch of their tetrahedra does not tell.
 * Sheets tell, and are linearised further where they ask for it; but with alpha < 1 the stretch of a step stays for
 * some more. */
#define ELASTIC_LINEARISATIONS 3
#define ELASTIC_TOLERANCE      1e-3

static bool wants_linearisations(const scene_file* s, bool centred) {
    return is_elastic(s) && (centred || has_solids(s) || has_moving_pins(s));
}

/* One linearisation is off by a^2/8 of a link that turns by a, which a scheme that damps little makes energy of: up to
 * where the guard takes it back by shorter steps and damping. A swing of 10 J then has 2 J after 10 s, and 9.98 J with
 * two linearisations, for less time; the third one counts where several links turn over. */
#define LINK_LINEARISATIONS 3
#define LEAST_DAMPING_ALPHA (2.0 / 3) /* above it the scheme takes more than linearisations do */

static bool is_lively(const taut_integrator* i) {
    return i->formulation == TAUT_FORMULATION_THETA && i->alpha < LEAST_DAMPING_ALPHA && i->beta > 0;
}

/* s, with a hundredth for frames of 1/59.94 and 1/29.97 s: in longer substeps what moves goes by much of its own size,
 * cloth stretches, ropes slip, and what swings loses its energy. */
#define LONGEST_SUBSTEP (1.01 / 60)

static double frame_substeps(const scene_file* s) {
    return fmin(ceil(1 / (s->fps * LONGEST_SUBSTEP)), MAX_SUBSTEPS);
}

/* Steps of second order follow a sheet of the length L whose stretching, of the speed c = (young/(density (1 -
 * poisson^2)))^(1/2), goes no further than 2 L in a substep h: half the period 4 L / c of the slowest one. Of faster
 * sheets implicit Euler takes the motion that steps do not follow, up to 0.75 of the largest stretch e of a fall. So
 * its frames are within 2 percentage points up to e = 2.5 %. Second order misses the part min(c h / L, 1.2) / 7.5 of
 * the load that stretches, and so e (1 - e) times that of e: 0.02 at most with h <= 0.15 L / (c e (1 - e)). Above 1.2 L
 * a taut sheet that bounces gains energy, too, and the guard makes shorter parts. What folds takes a substep for each
 * 0.2 % by which it would stretch as it hangs from an edge, up to four. */
#define CROSSINGS            2.0
#define MOST_CROSSINGS       1.2
#define STRETCH_OF_EULER     0.025
#define STRETCH_CROSSED      0.15
#define STRETCH_OF_A_SUBSTEP 2e-3
#define MOST_SUBSTEPS        4
#define STAGE_LINEARISATIONS 2

/* A mesh, which is not read yet, counts as a square metre of so many cells a side. */
#define MESH_CELLS 64

static double sheet_length(const cloth_spec* c) {
    return c->mesh ? 1 : fmax(c->grid.size[0], c->grid.size[1]);
}

/* The smaller side of the sheet over that of its cells. */
static double sheet_cells(const cloth_spec* c) {
    const double* size = c->grid.size;
    return c->mesh ? MESH_CELLS : fmin(size[0], size[1]) / fmin(size[0] / c->grid.cells[0], size[1] / c->grid.cells[1]);
}

static double hanging_stretch(const scene_file* s, const cloth_spec* c) {
    const double* g = s->world.gravity;
    return c->density * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * sheet_length(c) / (2 * c->young);
}

/* e of a fall from two corners: that of the cell at a pin, which bears the whole weight, of n cells y = 4 n
 * hanging_stretch where that is small; as forces turn, y / (1 + y), within a fifth. */
static double fall_stretch(double hanging, double cells) {
    return 4 * cells * hanging / (1 + 4 * cells * hanging);
}

/* Substeps of second order that a sheet takes; 0: it takes implicit Euler. */
static double sheet_substeps(const scene_file* s, const cloth_spec* c) {
    const double speed = sqrt(c->young / c->density / (1 - c->poisson * c->poisson));
    const double crossings = speed / (sheet_length(c) * s->fps), hanging = hanging_stretch(s, c);
    const double falling = fall_stretch(hanging, sheet_cells(c));
    const bool short_frames = crossings <= CROSSINGS;
    if (!short_frames && (falling <= STRETCH_OF_EULER || crossings > CROSSINGS * frame_substeps(s))) {
        return 0;
    }
    const double folded = fmin(hanging / STRETCH_OF_A_SUBSTEP, MOST_SUBSTEPS);
    const double least = fmax(folded, short_frames ? 1 : crossings / MOST_CROSSINGS);
    const double wanted = falling * (1 - falling) / STRETCH_CROSSED; /* for each L */
    return ceil(fmax(least, wanted > 1 / MOST_CROSSINGS ? crossings * wanted : 0));
}

static uint32_t stage_substeps(const scene_file* s) {
    double most = 0;
    for (size_t i = 0; i < s->object_count; i++) {
        const cloth_spec* c = &s->objects[i].as.cloth;
        const bool membrane = s->objects[i].type == OBJECT_CLOTH && c->membrane;
        most = membrane ? fmax(most, sheet_substeps(s, c)) : most;
    }
    return (uint32_t)fmin(most, MAX_SUBSTEPS);
}

static bool takes_stages(const taut_integrator* i) {
    return i->formulation == TAUT_FORMULATION_THETA && i->alpha == 1 && i->beta == 1 && !i->split_forces && i->guard &&
           i->project_positions == 0 && !i->project_velocities;
}

/* Sheets and solids that are alone, where the scheme is not chosen or is centred. True: they have taken what they want.
 */
static bool default_elastic(const json_node* root, scene_file* s, bool centred) {
    taut_integrator* integrator = &s->world.integrator;
    const uint32_t stages = takes_stages(integrator) && !has_moving_pins(s) ? stage_substeps(s) : 0;
    json_node substeps;
    integrator->sdirk = stages > 0 && !json_find(root, "substeps", &substeps);
    integrator->substeps = integrator->sdirk ? stages : integrator->substeps;
    if (!integrator->sdirk && !wants_linearisations(s, centred)) {
        return false;
    }
    integrator->newton = integrator->sdirk ? STAGE_LINEARISATIONS : ELASTIC_LINEARISATIONS;
    integrator->newton_tolerance = ELASTIC_TOLERANCE;
    return true;
}

void default_linearisations(const json_node* root, scene_file* s) {
    taut_integrator* integrator = &s->world.integrator;
    const double tolerance = integrator->newton_tolerance;
    const bool lively = is_lively(integrator) && has_links(s), splits = integrator->split_forces;
    const bool centred =
        integrator->formulation == TAUT_FORMULATION_THETA && !splits && integrator->alpha < 1 && integrator->beta > 0;
    const bool touches = touches_something(s);
    json_node n, own;
    const bool given = json_find(root, "integrator", &n);
    if (given && (json_find(&n, "newton", &own) || json_find(&n, "two_stage", &own))) {
        return;
    }
    const bool chosen = given && json_find(&n, "scheme", &own) && !centred;
    const bool elastic = !chosen && !touches && default_elastic(root, s, centred);
    s->loses_energy = lively && !elastic && (touches || splits);
    if (lively && !elastic && !s->loses_energy) {
        integrator->newton = LINK_LINEARISATIONS;
    }
    if (given && json_find(&n, "newton_tolerance", &own)) {
        integrator->newton_tolerance = tolerance;
    }
}

void default_substeps(const json_node* root, scene_file* s) {
    json_node n;
    if (!json_find(root, "substeps", &n) && !s->world.integrator.sdirk) {
        s->world.integrator.substeps = (uint32_t)frame_substeps(s);
    }
}
