/* The inside of the multilevel preconditioner of the Schur complement on the CPU: the partition into lines, and the
 * operator that is made of them. */
#include "line_scenes.h"
#include "small_scenes.h"

#include "host/compile/lines.h"
#include "host/cpu/cpu_precondition.h"
#include "host/world/world_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- partition --------------------------------------------------------------------------------------------------- */

static bool shares(const topology* t, uint32_t member, uint32_t node) {
    for (uint32_t e = t->member_begin[member]; e < t->member_begin[member + 1]; e++) {
        if (t->member_node[e] == node) {
            return true;
        }
    }
    return false;
}

/* Number within the line of the groups that a node meets: no more than two, one after the other. */
static void check_node(const topology* t, const line_partition* p, uint32_t line, uint32_t node) {
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t g = p->line_begin[line]; g < p->line_begin[line + 1]; g++) {
        for (uint32_t i = p->groups.begin[g]; i < p->groups.begin[g + 1]; i++) {
            if (shares(t, p->groups.member[i], node)) {
                least = g < least ? g : least;
                most = g > most ? g : most;
            }
        }
    }
    CHECK(least == UINT32_MAX || most - least <= 1);
}

static void check_partition(const topology* t, const line_partition* p, const bool* has_factor_rows,
                            const uint8_t* left_out) {
    uint32_t* times = phys_array(t->member_count + 1, sizeof *times);
    for (uint32_t g = 0; g < p->groups.block_count; g++) {
        uint32_t unknowns = 0;
        for (uint32_t i = p->groups.begin[g]; i < p->groups.begin[g + 1]; i++) {
            times[p->groups.member[i]]++;
            unknowns += taut_kind_unknowns(topology_kind(t, p->groups.member[i]), has_factor_rows);
        }
        CHECK(unknowns > 0 && unknowns <= TAUT_LINE_GROUP);
    }
    for (uint32_t m = 0; m < t->member_count; m++) {
        const bool has_unknowns = taut_kind_unknowns(topology_kind(t, m), has_factor_rows) > 0;
        CHECK_INT(times[m], has_unknowns && (left_out == NULL || !left_out[m]));
    }
    for (uint32_t line = 0; line < p->line_count; line++) {
        for (uint32_t node = 0; node < scene_node_count(t->scene); node++) {
            if (scene_node_inverse_mass(t->scene, node) > 0) {
                check_node(t, p, line, node);
            }
        }
    }
    free(times);
}

/* Takes the scene; returns the number of lines, or 0. */
static uint32_t partition(taut_scene* scene, bool factor_rows, bool subset) {
    bool has_factor_rows[TAUT_KIND_COUNT];
    taut_allocator allocator;
    topology t = {0};
    line_partition p = {0};
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        has_factor_rows[k] = factor_rows && taut_kind_shapes[k].factor_rows > 0;
    }
    CHECK_OK(taut_allocator_resolve(&(taut_allocator){0}, &allocator));
    CHECK_OK(topology_make(scene, &allocator, &t));
    uint8_t* left_out = phys_array(t.member_count + 1, 1);
    for (uint32_t m = 0; m < t.member_count; m++) {
        left_out[m] = m % 5 == 3;
    }
    CHECK_OK(lines_make(&t, &allocator, TAUT_LINE_GROUP, has_factor_rows, subset ? left_out : NULL, &p));
    check_partition(&t, &p, has_factor_rows, subset ? left_out : NULL);
    const uint32_t lines = p.line_count;
    line_partition_free(&allocator, &p);
    topology_free(&allocator, &t);
    taut_scene_destroy(scene);
    free(left_out);
    return lines;
}

static taut_scene* mixed(void) {
    oracle_scene description = {0};
    taut_scene* scene = NULL;
    scene_mixed(&description, 1e-5, 0);
    CHECK_OK(oracle_scene_build(&description, &scene));
    oracle_scene_free(&description);
    return scene;
}

TAUT_PLAIN_TEST(lines_inside, partition) {
    for (int i = 0; i < 4; i++) {
        const bool factor_rows = i % 2 == 0, subset = i / 2 == 1;
        test_note("roots %d, subset %d", factor_rows, subset);
        partition(mixed(), factor_rows, subset);
        partition(line_scene_net(9), factor_rows, subset);
        partition(line_scene_tied(8, 30), factor_rows, subset);
        partition(line_scene_branch(30), factor_rows, subset);
        partition(line_scene_loop(30), factor_rows, subset);
        partition(line_scene_rod(12), factor_rows, subset);
    }
    test_note(NULL);
}

/* Ropes, rods and the like are one line; a net has one for each thread, and the line of a rope tied to it reaches into
 * it a little. */
TAUT_PLAIN_TEST(lines_inside, number_of_lines) {
    CHECK_INT(partition(line_scene_chain(1, 0, 0), true, false), 1);
    CHECK_INT(partition(line_scene_chain(100, 0, 0), true, false), 1);
    CHECK_INT(partition(line_scene_bending(100, 1e-2), true, false), 1);
    CHECK_INT(partition(line_scene_branch(30), true, false), 1);
    CHECK_INT(partition(line_scene_loop(31), true, false), 1);
    CHECK_INT(partition(line_scene_rod(30), true, false), 1);
    CHECK_INT(partition(line_scene_net(12), true, false), 24);
    CHECK_INT(partition(line_scene_net(12), false, false), 24);
    CHECK(partition(line_scene_tied(12, 60), true, false) <= 25);
}

/* ---- operator ---------------------------------------------------------------------------------------------------- */

typedef struct subject {
    taut_world* world;
    size_t n;
    float *a, *b, *c, *d;
} subject;

/* Takes the scene; the world has made two steps and is linearised. */
static subject open_subject(taut_scene* scene, taut_geometric_stiffness geometric) {
    taut_world_def def = taut_default_world();
    subject s = {0};
    def.backend = TAUT_BACKEND_CPU;
    def.threads = 1;
    def.integrator.geometric_stiffness = geometric;
    def.solver.method = TAUT_METHOD_SCHUR;
    def.solver.preconditioner = TAUT_PRECONDITIONER_MULTILEVEL;
    def.solver.max_iterations = 50;
    s.world = phys_world(scene, &def);
    phys_run(s.world, 2, 0.01);
    CHECK_OK(taut_world_linearise(s.world, 0.01));
    s.n = s.world->plan.sizes.unknowns;
    s.a = phys_array(s.n, sizeof(float));
    s.b = phys_array(s.n, sizeof(float));
    s.c = phys_array(s.n, sizeof(float));
    s.d = phys_array(s.n, sizeof(float));
    return s;
}

static void close_subject(subject* s) {
    taut_world_destroy(s->world);
    free(s->a);
    free(s->b);
    free(s->c);
    free(s->d);
}

/* Each value of the size that its row's has. */
static void fill(const subject* s, uint32_t seed, bool residual, float* out) {
    const float* inverse = s->world->plan.fields.inverse_shifted;
    uint32_t state = seed;
    for (size_t i = 0; i < s->n; i++) {
        state = state * 1664525u + 1013904223u;
        const double value = (double)(state >> 8) / (1 << 23) - 1;
        out[i] = (float)(inverse[i] <= 0 ? 0
                         : residual      ? value / sqrt((double)inverse[i])
                                         : value * sqrt((double)inverse[i]));
    }
}

static double dot(const subject* s, const float* a, const float* b) {
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

/* B is symmetric and positive definite. */
static void check_operator(taut_scene* scene, taut_geometric_stiffness geometric) {
    subject s = open_subject(scene, geometric);
    for (uint32_t k = 0; k < 5; k++) {
        fill(&s, 2 * k + 1, true, s.a);
        fill(&s, 2 * k + 2, true, s.b);
        const double aba = precondition_apply(s.world->state, s.a, s.c);
        const double bbb = precondition_apply(s.world->state, s.b, s.d);
        CHECK(aba > 0 && bbb > 0);
        CHECK_NEAR(dot(&s, s.c, s.b), dot(&s, s.a, s.d), 1e-5 * sqrt(aba * bbb));
    }
    close_subject(&s);
}

TAUT_PLAIN_TEST(lines_inside, symmetric_and_positive) {
    for (int g = TAUT_GEOMETRIC_NONE; g <= TAUT_GEOMETRIC_FULL; g++) {
        const taut_geometric_stiffness geometric = (taut_geometric_stiffness)g;
        check_operator(mixed(), geometric);
        check_operator(line_scene_chain(50, 10, 0), geometric);
        check_operator(line_scene_net(9), geometric);
        check_operator(line_scene_tied(8, 30), geometric);
        check_operator(line_scene_loop(30), geometric);
        check_operator(line_scene_rod(12), geometric);
    }
}

/* Where one line is a whole component, B is the inverse of S + E. */
static void check_inverse(taut_scene* scene, taut_geometric_stiffness geometric) {
    subject s = open_subject(scene, geometric);
    fill(&s, 7, false, s.a);
    precondition_multiply(&s.world->plan, s.a, s.b);
    const double size = dot(&s, s.a, s.b);
    precondition_apply(s.world->state, s.b, s.c);
    for (size_t i = 0; i < s.n; i++) {
        s.c[i] -= s.a[i];
    }
    precondition_multiply(&s.world->plan, s.c, s.d);
    CHECK(size > 0);
    CHECK(dot(&s, s.c, s.d) < 1e-6 * size);
    close_subject(&s);
}

TAUT_PLAIN_TEST(lines_inside, inverse_of_a_whole_component) {
    for (int g = TAUT_GEOMETRIC_NONE; g <= TAUT_GEOMETRIC_FULL; g++) {
        const taut_geometric_stiffness geometric = (taut_geometric_stiffness)g;
        check_inverse(line_scene_chain(1, 0, 0), geometric);
        check_inverse(line_scene_chain(64, 0, 1e-6), geometric);
        check_inverse(line_scene_bending(41, 1e-2), geometric);
        check_inverse(line_scene_branch(20), geometric);
        check_inverse(line_scene_loop(33), geometric);
        check_inverse(line_scene_rod(15), geometric);
    }
}
