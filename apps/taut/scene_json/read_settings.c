#include "scene_json/scene_parse.h"

/* Frames beyond these are typing errors. */
static const uint64_t max_frames = 100000000;

/* m/s: below it things sleep where a scene says no other speed. */
#define SLEEP_SPEED 0.05

static const char* const solver_keys[] = {
    "method",   "preconditioner", "cycle",      "tolerance",        "max_iterations",
    "proximal", "warm_start",     "block_size", "chebyshev_degree", "require_convergence",
    NULL};

/* ---- solver --------------------------------------------------------------------------------------------------- */

static bool parse_method(const json_node* n, taut_solver* solver) {
    static const char* const names[] = {
        "auto", "schur_pcg", "condensed_pcg", "gauss_seidel", "direct", "projected_gradient", NULL};
    static const taut_method values[] = {TAUT_METHOD_AUTO,         TAUT_METHOD_SCHUR,  TAUT_METHOD_CONDENSED,
                                         TAUT_METHOD_GAUSS_SEIDEL, TAUT_METHOD_DIRECT, TAUT_METHOD_PROJECTED_GRADIENT};
    unsigned chosen = 0;
    if (!json_choice_member(n, "method", names, &chosen)) {
        return false;
    }
    solver->method = values[chosen];
    return true;
}

/* Keys of earlier versions. */
static bool parse_gone(const json_node* n) {
    json_node gone;
    return !json_find(n, "smoothed_aggregates", &gone) ||
           json_fail(&gone, "is gone: prolongators are always smoothed; leave it out, with the default cycle");
}

static bool parse_cycle(const json_node* n, taut_solver* solver) {
    static const char* const names[] = {"auto", "additive", "v", NULL};
    static const taut_cycle values[] = {TAUT_CYCLE_AUTO, TAUT_CYCLE_ADDITIVE, TAUT_CYCLE_V};
    unsigned chosen = 0;
    if (!json_choice_member(n, "cycle", names, &chosen)) {
        return false;
    }
    solver->cycle = values[chosen];
    return true;
}

static bool parse_preconditioner(const json_node* n, taut_solver* solver) {
    static const char* const names[] = {"auto", "none", "jacobi", "block", "chebyshev", "multilevel", NULL};
    static const taut_preconditioner values[] = {TAUT_PRECONDITIONER_AUTO,      TAUT_PRECONDITIONER_NONE,
                                                 TAUT_PRECONDITIONER_JACOBI,    TAUT_PRECONDITIONER_BLOCK,
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
           (parse_gone(&n) && json_object(&n, solver_keys) && parse_method(&n, solver) &&
            parse_preconditioner(&n, solver) && parse_cycle(&n, solver) &&
            json_number_member(&n, "tolerance", (json_range){1e-15, 0.999}, &solver->tolerance) &&
            json_integer_member(&n, "max_iterations", 1, UINT32_MAX, &solver->max_iterations) &&
            json_number_member(&n, "proximal", json_any, &solver->proximal) &&
            json_bool_member(&n, "warm_start", &solver->warm_start) &&
            json_integer_member(&n, "block_size", 1, 256, &solver->block_size) &&
            json_integer_member(&n, "chebyshev_degree", 1, 64, &solver->chebyshev_degree) &&
            json_bool_member(&n, "require_convergence", &s->require_convergence));
}

bool parse_quality(const json_node* root, scene_file* s) {
    const char* names[TAUT_QUALITY_COUNT + 1] = {NULL};
    json_node n;
    unsigned chosen = 0;
    for (unsigned i = 0; i < TAUT_QUALITY_COUNT; i++) {
        names[i] = taut_quality_name((taut_quality)i);
    }
    if (!json_find(root, "quality", &n)) {
        return true;
    }
    if (!json_choice(&n, names, &chosen)) {
        return false;
    }
    scene_file_set_quality(s, (taut_quality)chosen);
    return true;
}

static bool parse_budget(const json_node* root, double* seconds) {
    double ms = 0;
    const bool ok = json_number_member(root, "budget_ms", json_positive, &ms);
    *seconds = ms / 1000;
    return ok;
}

/* Said at all, what rests sleeps. */
static bool parse_sleep(const json_node* root, taut_sleep* sleep) {
    static const char* const keys[] = {"speed", "time", NULL};
    json_node n;
    if (!json_find(root, "sleep", &n)) {
        return true;
    }
    sleep->speed = SLEEP_SPEED;
    return json_object(&n, keys) && json_number_member(&n, "speed", json_positive, &sleep->speed) &&
           json_number_member(&n, "time", json_positive, &sleep->time);
}

bool parse_settings(const json_node* root, scene_file* s) {
    return json_vector_member(root, "gravity", s->world.gravity) &&
           json_integer_member(root, "frames", 0, max_frames, &s->frames) &&
           json_number_member(root, "fps", (json_range){1e-6, 1e9}, &s->fps) &&
           json_integer_member(root, "substeps", 1, MAX_SUBSTEPS, &s->world.integrator.substeps) &&
           json_number_member(root, "speed_limit", json_positive, &s->world.speed_limit) &&
           parse_budget(root, &s->budget) && parse_sleep(root, &s->world.sleep) &&
           parse_integrator(root, &s->world.integrator) && parse_solver(root, s);
}
