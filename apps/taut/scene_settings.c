#include "scene_parse.h"

/* Frames and substeps beyond these are typing errors. */
static const uint64_t max_frames = 100000000;
static const uint64_t max_substeps = 10000;

static const char* const integrator_keys[] = {"scheme",           "alpha", "beta", "geometric_stiffness", "newton",
                                              "hard_row_damping", NULL};
static const char* const solver_keys[] = {
    "method",     "preconditioner", "cycle",      "smoothed_aggregates", "tolerance",           "max_iterations",
    "proximal",   "warm_start",     "block_size", "chebyshev_degree",    "require_convergence", NULL};

/* ---- integrator ----------------------------------------------------------------------------------------------- */

typedef enum scheme { SCHEME_IMPLICIT_EULER, SCHEME_MIDPOINT, SCHEME_THETA } scheme;
static const char* const scheme_names[] = {"implicit_euler", "midpoint", "theta", NULL};

/* A scheme other than theta fixes both factors: a file may repeat them, not contradict them. */
static bool parse_fixed_factor(const json_node* n, const char* key, const char* scheme_name, double fixed) {
    double given = fixed;
    return json_number_member(n, key, (json_range){0, 1}, &given) &&
           (given == fixed ||
            json_fail_member(n, key, "is %g, but scheme '%s' has %g; use 'theta'", given, scheme_name, fixed));
}

static bool parse_theta(const json_node* n, taut_integrator* integrator) {
    json_node alpha;
    if (!json_need(n, "alpha", &alpha) || !json_number(&alpha, (json_range){1e-30, 1}, &integrator->alpha)) {
        return false;
    }
    integrator->beta = integrator->alpha;
    return json_number_member(n, "beta", (json_range){0, 1}, &integrator->beta);
}

static bool parse_scheme(const json_node* n, taut_integrator* integrator) {
    unsigned chosen = SCHEME_IMPLICIT_EULER;
    if (!json_choice_member(n, "scheme", scheme_names, &chosen)) {
        return false;
    }
    if (chosen == SCHEME_THETA) {
        return parse_theta(n, integrator);
    }
    const double factor = chosen == SCHEME_MIDPOINT ? 0.5 : 1;
    integrator->alpha = integrator->beta = factor;
    return parse_fixed_factor(n, "alpha", scheme_names[chosen], factor) &&
           parse_fixed_factor(n, "beta", scheme_names[chosen], factor);
}

static bool parse_newton(const json_node* n) {
    uint32_t newton = 1;
    return json_integer_member(n, "newton", 1, 1000, &newton) &&
           (newton == 1 ||
            json_fail_member(n, "newton", "%u Newton iterations are not available in this version, only 1", newton));
}

static bool parse_integrator(const json_node* root, taut_integrator* integrator) {
    static const char* const stiffness_names[] = {"none", "full", NULL};
    json_node n;
    if (!json_find(root, "integrator", &n)) {
        return true;
    }
    unsigned stiffness = 1;
    if (!json_object(&n, integrator_keys) || !parse_scheme(&n, integrator) || !parse_newton(&n) ||
        !json_choice_member(&n, "geometric_stiffness", stiffness_names, &stiffness)) {
        return false;
    }
    integrator->geometric_stiffness = stiffness ? TAUT_GEOMETRIC_FULL : TAUT_GEOMETRIC_NONE;
    /* Below 1 a hard row would oscillate from step to step. */
    integrator->hard_row_damping = integrator->alpha < 1 ? 1 : 0;
    return json_number_member(&n, "hard_row_damping", json_not_negative, &integrator->hard_row_damping);
}

/* ---- solver --------------------------------------------------------------------------------------------------- */

static bool parse_method(const json_node* n, taut_solver* solver) {
    static const char* const names[] = {"auto", "schur_pcg", "condensed_pcg", "gauss_seidel", "direct", NULL};
    static const taut_method values[] = {TAUT_METHOD_AUTO, TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED,
                                         TAUT_METHOD_GAUSS_SEIDEL, TAUT_METHOD_DIRECT};
    unsigned chosen = 0;
    if (!json_choice_member(n, "method", names, &chosen)) {
        return false;
    }
    solver->method = values[chosen];
    return true;
}

static bool parse_cycle(const json_node* n, taut_solver* solver) {
    static const char* const names[] = {"auto", "additive", "v", "k", NULL};
    static const taut_cycle values[] = {TAUT_CYCLE_AUTO, TAUT_CYCLE_ADDITIVE, TAUT_CYCLE_V, TAUT_CYCLE_K};
    unsigned chosen = 0;
    if (!json_choice_member(n, "cycle", names, &chosen)) {
        return false;
    }
    solver->cycle = values[chosen];
    return json_bool_member(n, "smoothed_aggregates", &solver->smoothed_aggregates);
}

static bool parse_preconditioner(const json_node* n, taut_solver* solver) {
    static const char* const names[] = {"auto", "none", "jacobi", "block", "chebyshev", "multilevel", NULL};
    static const taut_preconditioner values[] = {TAUT_PRECONDITIONER_AUTO, TAUT_PRECONDITIONER_NONE,
                                                 TAUT_PRECONDITIONER_JACOBI, TAUT_PRECONDITIONER_BLOCK,
                                                 TAUT_PRECONDITIONER_CHEBYSHEV, TAUT_PRECONDITIONER_MULTILEVEL};
    unsigned chosen = 0;
    if (!json_choice_member(n, "preconditioner", names, &chosen)) {
        return false;
    }
    solver->preconditioner = values[chosen];
    return true;
}

static bool parse_solver(const json_node* root, scene_file* s) {
    json_node n;
    taut_solver* solver = &s->world.solver;
    return !json_find(root, "solver", &n) ||
           (json_object(&n, solver_keys) && parse_method(&n, solver) && parse_preconditioner(&n, solver) &&
            parse_cycle(&n, solver) &&
            json_number_member(&n, "tolerance", (json_range){1e-15, 0.999}, &solver->tolerance) &&
            json_integer_member(&n, "max_iterations", 1, UINT32_MAX, &solver->max_iterations) &&
            json_number_member(&n, "proximal", json_any, &solver->proximal) &&
            json_bool_member(&n, "warm_start", &solver->warm_start) &&
            json_integer_member(&n, "block_size", 1, 256, &solver->block_size) &&
            json_integer_member(&n, "chebyshev_degree", 1, 64, &solver->chebyshev_degree) &&
            json_bool_member(&n, "require_convergence", &s->require_convergence));
}

bool parse_settings(const json_node* root, scene_file* s) {
    return json_vector_member(root, "gravity", s->world.gravity) &&
           json_integer_member(root, "frames", 0, max_frames, &s->frames) &&
           json_number_member(root, "fps", (json_range){1e-6, 1e9}, &s->fps) &&
           json_integer_member(root, "substeps", 1, max_substeps, &s->world.integrator.substeps) &&
           json_number_member(root, "speed_limit", json_positive, &s->world.speed_limit) &&
           parse_integrator(root, &s->world.integrator) && parse_solver(root, s);
}
