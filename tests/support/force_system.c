#include "force_system.h"

#include "phys_frames.h"

#include <math.h>
#include <string.h>

/* Nodes of the elements, mapped points 6 and 7 among them, and the parents of those. */
static const uint32_t nodes_of[SYSTEM_ELEMENTS][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 4, 5, 6},
                                                      {0, 5, 7, 0}, {5, 0, 0, 0}, {6, 0, 0, 0}};
static const uint32_t parents_of[2][3] = {{0, 1, 5}, {1, 2, 4}};
static const force_subject subjects[SYSTEM_ELEMENTS] = {COROTATIONAL, NEO_HOOKEAN, ST_VENANT_KIRCHHOFF,
                                                        SURFACE,      ATTRACTION,  ATTRACTION};

/* All points from the particles. */
static void follow(const force_system* s, const double* particles, double* points) {
    memcpy(points, particles, SYSTEM_DOFS * sizeof(double));
    for (int m = 0; m < 2; m++) {
        for (int a = 0; a < 3; a++) {
            points[SYSTEM_DOFS + 3 * m + a] = 0;
            for (int p = 0; p < 3; p++) {
                points[SYSTEM_DOFS + 3 * m + a] += s->weights[m][p] * particles[3 * parents_of[m][p] + (uint32_t)a];
            }
        }
    }
}

/* d(point)/d(particle), a number. */
static double weight_of(const force_system* s, uint32_t point, uint32_t particle) {
    if (point < SYSTEM_PARTICLES) {
        return point == particle;
    }
    for (int p = 0; p < 3; p++) {
        if (parents_of[point - SYSTEM_PARTICLES][p] == particle) {
            return s->weights[point - SYSTEM_PARTICLES][p];
        }
    }
    return 0;
}

static force_case at(const force_system* s, int e, const double* x, const double* v) {
    force_case c = s->elements[e].c;
    double points[2][3 * SYSTEM_POINTS];
    follow(s, x, points[0]);
    follow(s, v, points[1]);
    for (int i = 0; i < c.f->nodes; i++) {
        memcpy(c.x + 3 * i, points[0] + 3 * nodes_of[e][i], 3 * sizeof(double));
        memcpy(c.v + 3 * i, points[1] + 3 * nodes_of[e][i], 3 * sizeof(double));
    }
    return c;
}

/* The rest shape of a solid for stretches about s[0], s[1], s[2] along the axes. */
static void rest_of_solid(force_case* c, const double stretch[3], random_state* state) {
    for (int i = 0; i < 12; i++) {
        c->shape[i] = c->x[i] / stretch[i % 3] + random_in(state, -0.02, 0.02);
    }
    c->young = random_in(state, 50, 100);
    c->poisson = random_in(state, 0.1, 0.4);
    forces_f64.solid_rest(c->shape, c->young, c->poisson, (int)c->what, c->rest);
}

static const double stretched[3] = {1.1, 1.2, 1.3};
/* Inverted away from the crease, nearly flat, compressed. */
static const double strained_by[3][3] = {{1.1, 1, -0.5}, {1.2, 0.9, 0.05}, {0.7, 0.8, 0.6}};

force_system force_system_random(uint64_t seed, bool strained, bool damped) {
    static const double corners[SYSTEM_DOFS] = {0, 0, 0, 1, 0, 0.1, 0.2, 1, 0, 0.3, 0.2, 1, 1, 1, 0.9, 0.9, 1, -0.8};
    force_system s = {.strained = strained, .weights = {{0.5, 0.25, 0.25}, {-0.5, 0.625, 0.875}}};
    random_state state = {seed};
    for (int i = 0; i < SYSTEM_DOFS; i++) {
        s.x[i] = corners[i] + random_in(&state, -0.1, 0.1);
        s.v[i] = i / 3 == SYSTEM_FIXED ? 0 : random_in(&state, -1, 1);
    }
    random_fill(&state, 0.5, 2, SYSTEM_PARTICLES, s.mass);
    for (int e = 0; e < SYSTEM_ELEMENTS; e++) {
        s.elements[e].c = force_case_random(subjects[e], 3 * e, &state);
        memcpy(s.elements[e].nodes, nodes_of[e], sizeof nodes_of[e]);
        force_case now = at(&s, e, s.x, s.v);
        if (now.what < SURFACE) {
            rest_of_solid(&now, strained ? strained_by[e] : stretched, &state);
            s.elements[e].damping = damped ? random_in(&state, 0.01, 0.1) : 0;
        }
        s.elements[e].c = now;
    }
    return s;
}

/* ---- the scene ----------------------------------------------------------------------------------------------------
 */

static void add_points(const force_system* s, taut_scene* scene) {
    taut_combinations_def def = taut_default_combinations();
    const uint32_t fixed = SYSTEM_FIXED;
    def.count = 2;
    def.arity = 3;
    def.parents = parents_of[0];
    def.weights = s->weights[0];
    CHECK_OK(taut_scene_add_combinations(scene, &def, NULL));
    phys_fix(scene, 1, &fixed);
}

static void add_solid(taut_scene* scene, system_element* e) {
    taut_solid_def def = taut_default_solid();
    def.count = 1;
    def.particles = e->nodes;
    def.rest = e->c.shape;
    def.young = e->c.young;
    def.poisson = e->c.poisson;
    def.elasticity = (taut_elasticity)e->c.what;
    def.damping = e->damping;
    CHECK_OK(taut_scene_add_solids(scene, &def, &e->batch));
}

static void add_surface(taut_scene* scene, system_element* e) {
    const double* rest = e->c.rest;
    taut_surface_def def = taut_default_surface();
    def.count = 1;
    def.particles = e->nodes;
    def.areas = rest + 4;
    def.pressure = rest[0];
    memcpy(def.traction, rest + 1, sizeof def.traction);
    def.drag = rest[5];
    def.friction = rest[6];
    memcpy(def.wind, rest + 7, sizeof def.wind);
    CHECK_OK(taut_scene_add_surfaces(scene, &def, &e->batch));
}

static void add_attraction(taut_scene* scene, system_element* e) {
    taut_attraction_def def = taut_default_attraction();
    def.count = 1;
    def.particles = e->nodes;
    memcpy(def.centre, e->c.rest, sizeof def.centre);
    def.strength = e->c.rest[3];
    def.softening = e->c.rest[4];
    def.masses = e->c.rest + 5;
    CHECK_OK(taut_scene_add_attractions(scene, &def, &e->batch));
}

taut_scene* force_system_scene(force_system* s) {
    taut_scene* scene = phys_empty_scene();
    taut_particles_def particles = taut_default_particles();
    particles.count = SYSTEM_PARTICLES;
    particles.positions = s->x;
    particles.velocities = s->v;
    particles.masses = s->mass;
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    add_points(s, scene);
    for (int e = 0; e < SYSTEM_ELEMENTS; e++) {
        system_element* element = &s->elements[e];
        (element->c.what == SURFACE      ? add_surface
         : element->c.what == ATTRACTION ? add_attraction
                                         : add_solid)(scene, element);
    }
    return scene;
}

/* ---- dense matrices -----------------------------------------------------------------------------------------------
 */

double force_system_forces(const force_system* s, const double* x, const double* v, double* out) {
    double energy = 0;
    memset(out, 0, SYSTEM_DOFS * sizeof(double));
    for (int e = 0; e < SYSTEM_ELEMENTS; e++) {
        const force_case c = at(s, e, x, v);
        double f[FORCE_DOFS];
        energy += c.f->load(c.x, c.v, c.rest, f);
        for (int i = 0; i < c.dofs * SYSTEM_PARTICLES; i++) {
            const uint32_t p = (uint32_t)(i / c.dofs), k = (uint32_t)(i % c.dofs);
            out[3 * p + k % 3] += weight_of(s, nodes_of[e][k / 3], p) * f[k];
        }
    }
    return energy;
}

/* out += factor J^T m J of element e, m of its nodes' coordinates */
static void add_element(const force_system* s, int e, int dofs, double factor, const double* m, double* out) {
    for (uint32_t i = 0; i < SYSTEM_DOFS; i++) {
        for (uint32_t j = 0; j < SYSTEM_DOFS; j++) {
            for (uint32_t a = i % 3; a < (uint32_t)dofs; a += 3) {
                for (uint32_t b = j % 3; b < (uint32_t)dofs; b += 3) {
                    out[SYSTEM_DOFS * i + j] += factor * weight_of(s, nodes_of[e][a / 3], i / 3) *
                                                weight_of(s, nodes_of[e][b / 3], j / 3) * m[(uint32_t)dofs * a + b];
                }
            }
        }
    }
}

void force_system_tangents(const force_system* s, const double* x, const double* v, system_factor factor,
                           double viscous, double* out) {
    for (int e = 0; e < SYSTEM_ELEMENTS; e++) {
        const force_case c = at(s, e, x, v);
        double gamma[FORCE_DOFS * FORCE_DOFS];
        force_gamma(&c, 1, gamma);
        add_element(s, e, c.dofs, c.f->order == 2 ? viscous : factor.plain + factor.damped * s->elements[e].damping,
                    gamma, out);
    }
}

void force_system_stiffness(const force_system* s, const double* x, const double* v, double* out) {
    memset(out, 0, SYSTEM_DOFS * SYSTEM_DOFS * sizeof(double));
    for (int e = 0; e < SYSTEM_ELEMENTS; e++) {
        force_case c = at(s, e, x, v);
        double tangent[FORCE_DOFS * FORCE_DOFS];
        for (int a = 0; c.f->order == 2 && a < 3; a++) { /* curvature is that at rest: in the wind that it feels */
            c.rest[7 + a] -= (c.v[a] + c.v[3 + a] + c.v[6 + a]) / 3;
        }
        for (int j = 0; j < c.dofs; j++) {
            double unit[FORCE_DOFS] = {0}, column[FORCE_DOFS];
            unit[j] = 1;
            c.f->curvature(c.x, c.rest, unit, column);
            for (int i = 0; i < c.dofs; i++) {
                tangent[c.dofs * i + j] = -column[i];
            }
        }
        add_element(s, e, c.dofs, 1, tangent, out);
    }
}
