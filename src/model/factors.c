#include "model/backend.h"

#include <math.h>
#include <string.h>

/* Shifts of the condensed system where the user gives none, relative to J M^-1 J^T. The less of it, the fewer outer
 * outer iterations are needed, which repeat what an outer iteration has done, and the worse conditioned is H. Jacobi
 * needs it of all stiff rows. The multilevel preconditioner stands stiffness better than the outer loop does, to the
 * end of float32. */
#define JACOBI_PROXIMAL     1e-5
#define MULTILEVEL_PROXIMAL 1e-6
#define MULTILEVEL_SOFT     1e-11

static void set_shift(const taut_settings* settings, taut_factors* factors) {
    const bool multilevel = settings->condensed_preconditioner == TAUT_PRECONDITIONER_MULTILEVEL;
    const double automatic = multilevel ? MULTILEVEL_PROXIMAL : JACOBI_PROXIMAL;
    factors->condensed_proximal = settings->solver.proximal > 0 ? settings->solver.proximal : automatic;
    factors->condensed_soft = multilevel ? MULTILEVEL_SOFT : factors->condensed_proximal;
}

/* Constraint forces at positions x + theta_q h (v + beta dv) and velocities v + theta_v dv. */
static taut_law theta_law(double h, double theta_q, double theta_v, double beta, double hard_row_damping) {
    const double plain = theta_q * beta * h * h;
    const double floor =
        plain > 0 || hard_row_damping > 1 ? hard_row_damping : 1; /* without it a hard row has no law */
    return (taut_law){.damped = theta_v * h,
                      .plain = plain,
                      .phi = h,
                      .rate_damped = h,
                      .rate = theta_q * h * h,
                      .ahead = theta_q * h,
                      .least_damping = floor * h,
                      .by_change = theta_q == 1 && theta_v == 1 && beta == 1};
}

static taut_law primal_law(double h, const taut_primal* p) {
    return (taut_law){
        .damped = p->b * h, .plain = p->c * h * h, .phi = p->g * h, .rate_damped = p->b * h, .rate = p->c * h * h};
}

static taut_law acceleration_law(double h, double velocity, double position) {
    return (taut_law){.plain = 1, .phi = h * position, .rate = h * velocity, .bias = h, .soft = TAUT_SOFT_EXPLICIT};
}

/* Rows of velocities: the law of constraints without phi. A hard one has no damping time; any will do. */
static taut_law velocity_law(taut_law law, double h) {
    law.velocities = true;
    law.by_change = false;
    law.phi = law.ahead = 0;
    if (law.damped > 0) {
        law.plain = law.rate = 0;
        law.least_damping = law.least_damping > 0 ? law.least_damping : h;
    }
    return law;
}

/* Contacts are taken at x + h v' and v' whatever the formulation. Between the ends of a step they would let go and
 * catch again; at x' = x + h (v + beta dv) what arrives would leave as fast with beta = 1/2. With beta = 0 x' is given,
 * and they are taken a step later, at x' + h v'. */
static taut_law contact_law(double h, double beta) {
    const double rate = beta > 0 ? h * h : 2 * h * h;
    return (taut_law){.damped = h, .plain = h * h, .phi = h, .rate_damped = h, .rate = rate};
}

/* Force elements follow the law of force fields. */
static taut_tangent tangent_of(const taut_law* law) {
    return (taut_tangent){
        .plain = law->plain, .damped = law->damped, .rate = law->rate, .rate_damped = law->rate_damped};
}

/* `staged`: a part is two stages, the second of which does not begin where phi was noted. */
static void set_theta(const taut_integrator* scheme, bool staged, double h, taut_factors* f) {
    const double theta_q = scheme->split_forces ? scheme->force_theta_q : scheme->alpha;
    const double theta_v = scheme->split_forces ? scheme->force_theta_v : scheme->alpha;
    f->law[TAUT_LAW_CONSTRAINT] = theta_law(h, scheme->alpha, scheme->alpha, scheme->beta, scheme->hard_row_damping);
    f->law[TAUT_LAW_CONSTRAINT].by_change = f->law[TAUT_LAW_CONSTRAINT].by_change && !staged;
    f->law[TAUT_LAW_FORCE] = theta_law(h, theta_q, theta_v, scheme->beta, 0);
    f->law[TAUT_LAW_VELOCITY] = velocity_law(f->law[TAUT_LAW_CONSTRAINT], h);
    f->inertia = 1 + theta_v * h * scheme->mass_damping;
    f->carried = -h * scheme->mass_damping;
    f->pushed = h;
    f->explicit_factor_rows = scheme->beta == 0;
    f->factor_rate = f->explicit_factor_rows ? 0 : 1 / scheme->beta;
    f->tangent = tangent_of(&f->law[TAUT_LAW_FORCE]);
    for (int i = 0; i < TAUT_LAW_CONTACT; i++) { /* explicit: the factor of that term */
        f->factor_scale[i] = f->explicit_factor_rows ? f->law[i].rate : f->law[i].plain;
    }
}

static void set_primal(const taut_integrator* scheme, double h, taut_factors* f) {
    const taut_primal* p = &scheme->primal;
    f->law[TAUT_LAW_CONSTRAINT] = f->law[TAUT_LAW_FORCE] = primal_law(h, p);
    f->law[TAUT_LAW_VELOCITY] = velocity_law(f->law[TAUT_LAW_CONSTRAINT], h);
    f->inertia = p->a + p->b * h * scheme->mass_damping;
    f->carried = p->e - f->inertia;
    f->pushed = p->e * h;
    f->factor_rate = 1;
    f->factor_scale[TAUT_LAW_CONSTRAINT] = f->factor_scale[TAUT_LAW_FORCE] = p->c * h * h;
    f->tangent = tangent_of(&f->law[TAUT_LAW_FORCE]);
}

/* Batches that are used as forces stand in A where one system makes the step; the stages of RK4 need the forces of
 * their states. */
static void set_acceleration(const taut_integrator* scheme, double h, taut_factors* f) {
    f->law[TAUT_LAW_CONSTRAINT] = acceleration_law(h, scheme->baumgarte_velocity, scheme->baumgarte_position);
    f->law[TAUT_LAW_FORCE] =
        scheme->stepper == TAUT_STEPPER_RK4 ? f->law[TAUT_LAW_CONSTRAINT] : theta_law(h, 1, 1, 1, 0);
    f->law[TAUT_LAW_VELOCITY] = velocity_law(f->law[TAUT_LAW_CONSTRAINT], h);
    f->tangent = (taut_tangent){.rate_damped = h};
    f->alpha = f->beta = 1;
    f->inertia = 1;
    f->carried = -h * scheme->mass_damping;
    f->pushed = h;
    f->turning = TAUT_TURN_BY_TORQUE;
    f->bias = true;
}

/* A projection: no time passes, rows with compliance and forces stay out of it. */
static void set_projection(taut_factors* f, bool positions) {
    const taut_law law = {.plain = 1, .phi = positions, .rate = !positions, .soft = TAUT_SOFT_LEFT_OUT};
    f->law[TAUT_LAW_CONSTRAINT] = f->law[TAUT_LAW_FORCE] = law;
    f->law[TAUT_LAW_VELOCITY] = velocity_law(law, 0);
    f->law[TAUT_LAW_VELOCITY].off = positions;
    f->law[TAUT_LAW_CONTACT].off = true;
    f->alpha = f->beta = 1;
    f->inertia = 1;
    f->turning = TAUT_TURN_NOT;
}

/* What tells the phases of a theta step apart. */
static void set_theta_phase(const taut_integrator* scheme, taut_phase phase, taut_factors* f) {
    const bool free = phase == TAUT_PHASE_FREE || phase == TAUT_PHASE_FREE_RENEW;
    f->law[TAUT_LAW_CONSTRAINT].off = f->law[TAUT_LAW_VELOCITY].off = f->law[TAUT_LAW_CONTACT].off = free;
    f->look_q = free && scheme->split_forces ? scheme->force_theta_q : scheme->alpha;
    f->look_v = free && scheme->split_forces ? scheme->force_theta_v : scheme->alpha;
}

static bool has_explicit_rows(const taut_factors* f) {
    bool any = false;
    for (int i = 0; i < TAUT_LAW_VELOCITY; i++) { /* of velocities, one without a law has no force either */
        any = any || f->law[i].plain == 0 || f->law[i].soft == TAUT_SOFT_EXPLICIT;
    }
    return any;
}

static void set_formulation(const taut_settings* settings, taut_phase phase, double h, taut_factors* f) {
    const taut_integrator* scheme = &settings->integrator;
    switch (scheme->formulation) {
    case TAUT_FORMULATION_PRIMAL:
        f->alpha = 1;
        set_primal(scheme, h, f);
        break;
    case TAUT_FORMULATION_ACCELERATION:
        set_acceleration(scheme, h, f);
        break;
    default:
        set_theta(scheme, settings->staged || scheme->sdirk, h, f);
        break;
    }
    f->law[TAUT_LAW_CONTACT] = contact_law(h, f->beta);
    if (scheme->formulation == TAUT_FORMULATION_THETA) {
        set_theta_phase(scheme, phase, f);
    }
}

/* Whether what pulls at a point has the directions of x + alpha h v, to which geometric stiffness turns it. Gradients,
 * which Newton's method has, do not know that normals follow from velocities. */
static bool slides_ahead(const taut_settings* settings) {
    const taut_integrator* scheme = &settings->integrator;
    return scheme->formulation == TAUT_FORMULATION_THETA && scheme->geometric_stiffness == TAUT_GEOMETRIC_FULL &&
           scheme->newton <= 1 && settings->contact.law == TAUT_CONTACT_CONVEX &&
           settings->piece != TAUT_PIECE_IMPACT && !settings->derived;
}

double taut_undoing_time(const taut_settings* settings) {
    return settings->whole > settings->pace ? settings->whole : settings->pace;
}

taut_integrator taut_of_piece(taut_integrator integrator, const taut_settings* settings, double h) {
    if (settings->whole > h) {
        integrator.hard_row_damping = (1 + integrator.hard_row_damping) * settings->whole / h - 1;
    }
    return integrator;
}

/* Contacts are no softer than in a step so many times as long. */
#define LONGER_CONTACTS 2

static double paced_contacts(const taut_settings* settings, double h) {
    return fmax(h, fmin(settings->steady, LONGER_CONTACTS * h));
}

taut_factors taut_phase_factors(const taut_settings* settings, taut_phase phase, double h) {
    const taut_integrator* scheme = &settings->integrator;
    taut_factors factors = {
        .h = h,
        .sight = settings->sight > 0 ? fmin(h, settings->sight) : h,
        .phase = phase,
        .alpha = scheme->alpha,
        .beta = scheme->beta,
        .reach = scheme->sdirk ? TAUT_SDIRK_REACH : 1,
        .proximal = settings->solver.proximal,
        .slow_impact = settings->contact.restitution_speed,
        .slow_slip = settings->contact.slip_speed,
        .near = settings->contact.margin + settings->touch,
        .convex = settings->contact.friction == TAUT_FRICTION_CONVEX || settings->contact.law == TAUT_CONTACT_CONVEX,
        .regularised = settings->contact.law == TAUT_CONTACT_CONVEX,
        .gives_bounds = settings->contact.law == TAUT_CONTACT_CONVEX && !settings->derived && !taut_projects(phase),
        .passive_forces = settings->passive_forces,
        .rest = fmax(taut_undoing_time(settings) - h, 0),
        .newest = settings->pace > h ? h / settings->pace : 1,
        .due = settings->due > h && !taut_projects(phase) ? h / settings->due : 1,
        .turned = taut_projects(phase) ? h : fmax(settings->turned, h),
        .paced = paced_contacts(settings, h),
        .closing = 1 / (1 + settings->slower),
        .share = settings->share,
        .piece = settings->piece,
        .begins = settings->begins,
        .closing_time = settings->derived ? 0 : scheme->closing_time,
        .softened = settings->softened};
    if (taut_projects(phase)) {
        set_projection(&factors, phase == TAUT_PHASE_POSITIONS);
    } else {
        set_formulation(settings, phase, h, &factors);
    }
    factors.law[TAUT_LAW_ABSENT] = (taut_law){.plain = 1, .off = true};
    if (scheme->geometric_stiffness != TAUT_GEOMETRIC_FULL) {
        factors.factor_scale[TAUT_LAW_CONSTRAINT] = factors.factor_scale[TAUT_LAW_FORCE] = 0;
    }
    factors.ahead = slides_ahead(settings) ? scheme->alpha * h : 0;
    factors.explicit_rows = has_explicit_rows(&factors);
    factors.explicit_tangents =
        factors.tangent.plain == 0 && (factors.tangent.rate > 0 || factors.tangent.rate_damped > 0);
    set_shift(settings, &factors);
    memcpy(factors.gravity, settings->gravity, sizeof factors.gravity);
    return factors;
}

taut_factors taut_step_factors(const taut_settings* settings, double h) {
    return taut_phase_factors(settings, TAUT_PHASE_STEP, h);
}
