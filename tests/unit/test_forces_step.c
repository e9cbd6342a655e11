/* Steps of force elements against dense matrices made from their formulas: every formulation, both methods, particles
 * and mapped points, damped and not, inverted and flat. */
#include "dense_solve.h"
#include "force_system.h"
#include "unguarded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 0.05

/* What a formulation makes of forces: A = inertia M + rho K, A dv = carried M v + pushed f - sigma K v. */
typedef struct formulation {
    const char* name;
    taut_integrator integrator;
    system_factor rho, sigma;
    double viscous, inertia, carried, pushed;
} formulation;

static formulation theta(const char* name, double alpha, double beta, bool split, double theta_q, double theta_v) {
    formulation f = {name, unguarded_world().integrator, {0, 0}, {0, 0}, 0, 1, 0, STEP};
    f.integrator.alpha = alpha;
    f.integrator.beta = beta;
    f.integrator.split_forces = split;
    f.integrator.force_theta_q = theta_q;
    f.integrator.force_theta_v = theta_v;
    const double q = split ? theta_q : alpha, v = split ? theta_v : alpha;
    f.rho = (system_factor){q * beta * STEP * STEP, v * STEP};
    f.sigma = (system_factor){q * STEP * STEP, STEP};
    f.viscous = v * STEP;
    return f;
}

static formulation primal(const char* name, double a, double b, double c, double e, double g) {
    formulation f = theta(name, 1, 1, false, 0, 0);
    f.integrator.formulation = TAUT_FORMULATION_PRIMAL;
    f.integrator.primal = (taut_primal){a, b, c, e, g};
    f.rho = f.sigma = (system_factor){c * STEP * STEP, b * STEP};
    f.viscous = b * STEP;
    f.inertia = a;
    f.carried = e - a;
    f.pushed = e * STEP;
    return f;
}

static formulation accelerations(void) {
    formulation f = theta("accelerations", 1, 1, false, 0, 0);
    CHECK_OK(taut_integrator_preset(TAUT_PRESET_BAUMGARTE, &f.integrator));
    f.rho = (system_factor){0, 0};
    f.sigma = (system_factor){0, STEP};
    f.viscous = 0;
    return f;
}

/* dv of the particles by dense matrices. */
static void reference_step(const force_system* s, const formulation* f, double* dv) {
    double a[SYSTEM_DOFS * SYSTEM_DOFS] = {0}, k[SYSTEM_DOFS * SYSTEM_DOFS] = {0};
    double force[SYSTEM_DOFS], rhs[SYSTEM_DOFS], kv[SYSTEM_DOFS];
    force_system_forces(s, s->x, s->v, force);
    force_system_tangents(s, s->x, s->v, f->rho, f->viscous, a);
    force_system_tangents(s, s->x, s->v, f->sigma, 0, k);
    dense_apply(SYSTEM_DOFS, SYSTEM_DOFS, k, s->v, kv);
    for (int i = 0; i < SYSTEM_DOFS; i++) {
        const double m = s->mass[i / 3], gravity = i % 3 == 1 ? -PHYS_GRAVITY : 0;
        const bool fixed = i / 3 == SYSTEM_FIXED;
        a[(SYSTEM_DOFS + 1) * i] += f->inertia * m;
        rhs[i] = fixed ? 0 : f->carried * m * s->v[i] + f->pushed * (force[i] + m * gravity) - kv[i];
        for (int j = 0; fixed && j < SYSTEM_DOFS; j++) {
            a[SYSTEM_DOFS * i + j] = a[SYSTEM_DOFS * j + i] = i == j;
        }
    }
    CHECK(dense_solve(SYSTEM_DOFS, 1, a, rhs, dv));
}

static taut_world* make_world(taut_backend_kind backend, force_system* s, const taut_integrator* integrator,
                              taut_method method) {
    taut_world_def def = phys_world_def(backend, 1, 1);
    def.integrator = *integrator;
    def.solver.method = method;
    def.solver.tolerance = 1e-13;
    return phys_world(force_system_scene(s), &def);
}

/* What float32 roots may leave of dv, relative. */
#define ROUNDING 2e-6

static void check_step(taut_backend_kind backend, const formulation* f, bool strained, bool damped) {
    static const taut_method methods[] = {TAUT_METHOD_AUTO, TAUT_METHOD_SCHUR, TAUT_METHOD_CONDENSED};
    for (int m = 0; m < 3; m++) {
        force_system s = force_system_random(5, strained, damped);
        double expected[SYSTEM_DOFS], v[SYSTEM_DOFS], dv[SYSTEM_DOFS];
        taut_world* world = make_world(backend, &s, &f->integrator, methods[m]);
        reference_step(&s, f, expected);
        phys_run(world, 1, STEP);
        CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, SYSTEM_PARTICLES, v));
        for (int i = 0; i < SYSTEM_DOFS; i++) {
            dv[i] = v[i] - s.v[i];
        }
        const double error = dense_max_difference(SYSTEM_DOFS, dv, expected) / dense_max(SYSTEM_DOFS, expected);
        test_note("%s, method %d, %s, %s: dv off by %.3g of its largest", f->name, m,
                  strained ? "strained" : "stretched", damped ? "damped" : "not damped", error);
        CHECK(error < ROUNDING);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

static void check_formulation(taut_backend_kind backend, formulation f) {
    for (int i = 0; i < 4; i++) {
        check_step(backend, &f, i % 2 == 1, i / 2 == 1);
    }
}

TAUT_TEST(forces_step, implicit) {
    check_formulation(backend, theta("implicit Euler", 1, 1, false, 0, 0));
    check_formulation(backend, theta("midpoint", 0.5, 0.5, false, 0, 0));
    check_formulation(backend, theta("theta", 0.7, 0.6, false, 0, 0));
    check_formulation(backend, theta("split", 1, 0.5, true, 0.3, 0.8));
}

TAUT_TEST(forces_step, partly_explicit) {
    check_formulation(backend, theta("positions explicit", 0.5, 0, false, 0, 0));
    check_formulation(backend, theta("symplectic Euler", 1, 1, true, 0, 1));
    check_formulation(backend, theta("velocities explicit", 1, 1, true, 0.5, 0));
}

TAUT_TEST(forces_step, explicit_steps) {
    check_formulation(backend, theta("explicit Euler", 1, 0, true, 0, 0));
    check_formulation(backend, accelerations());
}

TAUT_TEST(forces_step, primal_family) {
    check_formulation(backend, primal("momentum", 1, 1, 1, 1, 1));
    check_formulation(backend, primal("primal", 1.2, 0.8, 0.7, 0.9, 1));
}

/* ---- operators ------------------------------------------------------------------------------------------------------
 */

TAUT_TEST(forces_step, mass_matrix_with_tangents) {
    const formulation f = theta("theta", 0.7, 0.6, false, 0, 0);
    force_system s = force_system_random(7, true, true);
    taut_world* world = make_world(backend, &s, &f.integrator, TAUT_METHOD_AUTO);
    double a[SYSTEM_DOFS * SYSTEM_DOFS] = {0}, in[3 * SYSTEM_POINTS] = {0}, out[3 * SYSTEM_POINTS],
                           back[3 * SYSTEM_POINTS], expected[SYSTEM_DOFS];
    random_state state = {3};
    random_fill(&state, -1, 1, SYSTEM_DOFS, in);
    memset(in + 3 * SYSTEM_FIXED, 0, 3 * sizeof(double));
    force_system_tangents(&s, s.x, s.v, f.rho, f.viscous, a);
    for (int i = 0; i < SYSTEM_DOFS; i++) {
        a[(SYSTEM_DOFS + 1) * i] += s.mass[i / 3];
    }
    dense_apply(SYSTEM_DOFS, SYSTEM_DOFS, a, in, expected);
    memset(expected + 3 * SYSTEM_FIXED, 0, 3 * sizeof(double));
    CHECK_OK(taut_world_linearise(world, STEP));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A, in, out));
    CHECK(dense_max_difference(SYSTEM_DOFS, out, expected) < ROUNDING * dense_max(SYSTEM_DOFS, expected));
    CHECK_OK(taut_world_apply(world, TAUT_OPERATOR_A_INVERSE, out, back));
    CHECK(dense_max_difference(SYSTEM_DOFS, back, in) < 1e-9);
    taut_world_destroy(world);
}

TAUT_TEST(forces_step, assembled_forces_and_stiffness) {
    const formulation f = theta("theta", 1, 1, false, 0, 0);
    force_system s = force_system_random(7, true, true);
    taut_world* world = make_world(backend, &s, &f.integrator, TAUT_METHOD_AUTO);
    taut_assembly* assembly = NULL;
    taut_array forces;
    double expected[SYSTEM_DOFS], stiffness[SYSTEM_DOFS * SYSTEM_DOFS], worst = 0;
    CHECK_OK(taut_assembly_create(world, &assembly));
    CHECK_OK(taut_assembly_vector(assembly, TAUT_VECTOR_F, &forces));
    force_system_forces(&s, s.x, s.v, expected);
    force_system_stiffness(&s, s.x, s.v, stiffness);
    for (int i = 0; i < SYSTEM_DOFS; i++) {
        expected[i] -= i % 3 == 1 ? s.mass[i / 3] * PHYS_GRAVITY : 0;
    }
    CHECK(dense_max_difference(SYSTEM_DOFS, forces.data, expected) < 1e-12 * dense_max(SYSTEM_DOFS, expected));
    double* k = dense_of(assembly, TAUT_MATRIX_K);
    for (int i = 0; i < SYSTEM_DOFS * SYSTEM_DOFS; i++) {
        worst = fmax(worst, fabs(k[3 * SYSTEM_POINTS * (i / SYSTEM_DOFS) + i % SYSTEM_DOFS] + stiffness[i]));
    }
    CHECK(worst < 1e-12 * dense_max(SYSTEM_DOFS * SYSTEM_DOFS, stiffness));
    free(k);
    taut_assembly_destroy(assembly);
    taut_world_destroy(world);
}

/* ---- Newton ---------------------------------------------------------------------------------------------------------
 */

/* |M dv - h f(x_t, v_t) + h d K(x_t) v_t|, relative to h f, for x_t = x + theta h (v + beta dv), v_t = v + theta dv. */
static double exact_residual(const force_system* s, double alpha, double beta, const double* v1) {
    double x[SYSTEM_DOFS], v[SYSTEM_DOFS], k[SYSTEM_DOFS * SYSTEM_DOFS] = {0}, f[SYSTEM_DOFS], kv[SYSTEM_DOFS];
    double worst = 0, scale = 0;
    for (int i = 0; i < SYSTEM_DOFS; i++) {
        const double dv = v1[i] - s->v[i];
        x[i] = s->x[i] + alpha * STEP * (s->v[i] + beta * dv);
        v[i] = s->v[i] + alpha * dv;
    }
    force_system_forces(s, x, v, f);
    force_system_tangents(s, x, v, (system_factor){0, 1}, 0, k);
    dense_apply(SYSTEM_DOFS, SYSTEM_DOFS, k, v, kv);
    for (int i = 0; i < SYSTEM_DOFS; i++) {
        const double m = s->mass[i / 3], force = f[i] - kv[i] - (i % 3 == 1 ? m * PHYS_GRAVITY : 0);
        scale = fmax(scale, fabs(STEP * force));
        worst = i / 3 == SYSTEM_FIXED ? worst : fmax(worst, fabs(m * (v1[i] - s->v[i]) - STEP * force));
    }
    return worst / scale;
}

static double newton_residual(taut_backend_kind backend, taut_integrator integrator, uint32_t newton, bool strained,
                              bool damped) {
    force_system s = force_system_random(11, strained, damped);
    double v[SYSTEM_DOFS];
    integrator.newton = newton;
    integrator.newton_tolerance = 1e-13;
    taut_world* world = make_world(backend, &s, &integrator, TAUT_METHOD_AUTO);
    phys_run(world, 1, STEP);
    CHECK_OK(taut_world_read(world, TAUT_FIELD_VELOCITIES, 0, SYSTEM_PARTICLES, v));
    taut_world_destroy(world);
    return exact_residual(&s, integrator.alpha, integrator.beta, v);
}

TAUT_TEST(forces_step, newton_solves_the_exact_step) {
    const formulation schemes[] = {theta("implicit Euler", 1, 1, false, 0, 0),
                                   theta("midpoint", 0.5, 0.5, false, 0, 0)};
    for (int i = 0; i < 16; i++) {
        taut_integrator integrator = schemes[i % 2].integrator;
        integrator.two_stage = i / 8 == 1;
        const bool strained = i / 2 % 2 == 1, damped = i / 4 % 2 == 1;
        const double once = newton_residual(backend, integrator, 1, strained, damped);
        const double solved = newton_residual(backend, integrator, 60, strained, damped);
        test_note("%s, %s, %s, %s: residual %.3g, then %.3g", schemes[i % 2].name,
                  integrator.two_stage ? "two stages" : "one stage", strained ? "strained" : "stretched",
                  damped ? "damped" : "not damped", once, solved);
        CHECK(once > 1e-4);
        CHECK(solved < (damped ? ROUNDING : 1e-9)); /* the damping force has the tangent in float32 */
    }
}
