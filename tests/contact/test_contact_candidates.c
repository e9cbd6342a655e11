/* Lists of pairs that are kept over substeps (host/cpu/cpu_candidates.h), against walks through the trees: the same
 * contacts in the same places, and the same crossings. */
#define TAUT_REAL double
#include "kernels/stages/contact/cuts.h"

#include "crossing_scenes.h"

#include "host/cpu/cpu_candidates.h"
#include "host/cpu/cpu_cuts.h"
#include "host/cpu/cpu_state.h"
#include "host/world/world_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT  20 /* iterations: what moves is looked at, not how well it is solved */
#define CLOUDS 8

/* What a search has found. */
typedef struct finds {
    uint32_t contacts, *pair, *crossing;
    double* rest;
} finds;

static void release(finds* found) {
    free(found->pair);
    free(found->crossing);
    free(found->rest);
}

/* The contacts of a substep of h, and what would pass through each other where all goes on for `way` of it. */
static finds search(taut_world* world, double h, double way) {
    const taut_plan* plan = &world->plan;
    const taut_fields* f = &plan->fields;
    const size_t finders = (size_t)plan->sizes.touching + plan->sizes.edges + plan->sizes.solids;
    finds out;
    CHECK_OK(cpu_find_contacts(world->state, h, &out.contacts));
    out.pair = phys_array(2 * (size_t)out.contacts + 1, sizeof *out.pair);
    out.rest = phys_array(taut_kind_shapes[TAUT_CONTACT].rest * (size_t)out.contacts + 1, sizeof *out.rest);
    out.crossing = phys_array(finders, sizeof *out.crossing);
    memcpy(out.pair, f->contact_pair, 2 * (size_t)out.contacts * sizeof *out.pair);
    memcpy(out.rest, f->kinds[TAUT_CONTACT].rest,
           taut_kind_shapes[TAUT_CONTACT].rest * (size_t)out.contacts * sizeof *out.rest);
    cpu_keep(world->state);
    for (size_t i = 0; i < 3 * plan->sizes.simple; i++) {
        f->x[i] += f->inverse_mass[i / 3] > 0 ? way * h * f->v[i] : 0;
    }
    cpu_find_crossings(world->state);
    memcpy(out.crossing, f->crossing_other, finders * sizeof *out.crossing);
    cpu_restore(world->state);
    return out;
}

typedef struct comparison {
    size_t contacts, crossings, answered, searches, apart;
    double longest; /* substeps that lists have lasted */
} comparison;

/* With the lists and without; the state stays. */
static void compare(taut_world* world, double h, double way, comparison* sums) {
    contact_candidates* lists = world->state->candidates;
    const taut_sizes* s = &world->plan.sizes;
    finds listed = search(world, h, way);
    sums->answered += lists->answers;
    sums->apart += lists->apart;
    sums->longest = fmax(sums->longest, lists->life);
    world->state->candidates = NULL;
    finds walked = search(world, h, way);
    world->state->candidates = lists;
    CHECK_INT(listed.contacts, walked.contacts);
    CHECK(memcmp(listed.pair, walked.pair, 2 * (size_t)walked.contacts * sizeof *walked.pair) == 0);
    CHECK(memcmp(listed.rest, walked.rest,
                 taut_kind_shapes[TAUT_CONTACT].rest * (size_t)walked.contacts * sizeof *walked.rest) == 0);
    for (size_t i = 0; i < (size_t)s->touching + s->edges + s->solids; i++) {
        CHECK_INT(listed.crossing[i], walked.crossing[i]);
        sums->crossings += walked.crossing[i] != TAUT_NO_NODE;
    }
    sums->contacts += walked.contacts;
    sums->searches++;
    release(&listed);
    release(&walked);
}

/* Sheets that fall, the lower ones slower, onto a ball in the world and the ground. */
static taut_world* falling_sheets(uint64_t seed, double speed) {
    random_state r = {seed};
    crossing_cloud c = crossing_begin(9);
    const double size[3] = {0.1, 0, 0}, ball[3] = {0.02, -0.2, 0.01};
    contact_ground(c.scene, c.material);
    contact_shape(c.scene, TAUT_SHAPE_SPHERE, size, TAUT_WORLD, ball, NULL, c.material);
    for (int i = 0; i < 3; i++) {
        const double at[3] = {0.03 * i, 0.1 + 0.05 * i, 0};
        crossing_add_sheet(&c, &r, 0.1, at);
    }
    crossing_add_rope(&c, 12);
    taut_world* world = crossing_world(&c, TAUT_BACKEND_CPU, LIMIT, false);
    for (uint32_t i = 0; world != NULL && i < 3; i++) {
        const double v[3] = {0.1 * i, -speed * (1 + i), 0};
        crossing_set_velocity(world, c.first[i], crossing_points(&c), v);
    }
    crossing_end(&c);
    return world;
}

static comparison run(uint64_t seed, double speed, double way, size_t room, int steps) {
    taut_world* world = falling_sheets(seed, speed);
    comparison sums = {0};
    const double h = CROSSING_H / 4;
    for (int i = 0; world != NULL && i < steps; i++) {
        contact_candidates* lists = world->state->candidates;
        lists->room = lists->room < room ? lists->room : room;
        compare(world, h, way, &sums);
        CHECK_OK(taut_world_step(world, h));
    }
    taut_world_destroy(world);
    return sums;
}

TAUT_PLAIN_TEST(contact_candidates, lists_find_what_walks_find) {
    for (uint64_t seed = 1; seed <= CLOUDS; seed++) {
        const comparison slow = run(seed, 0.2, 1, SIZE_MAX, 24);
        test_note("cloud %d: %zu contacts, %zu crossings, lists last %g, answer %zu of %zu", (int)seed, slow.contacts,
                  slow.crossings, slow.longest, slow.answered, slow.searches);
        CHECK(slow.contacts > 300);
        CHECK(slow.longest >= 4);
        CHECK(slow.answered * 10 > slow.searches * 9);
    }
    const comparison fast = run(2, 3, 1, SIZE_MAX, 16);
    test_note("fast: %zu contacts, %zu crossings, %zu searches with boxes of surfaces", fast.contacts, fast.crossings,
              fast.apart);
    CHECK(fast.contacts > 300 && fast.crossings > 0);
    CHECK(2 * fast.apart > fast.searches);
}

/* Of what is fine, lists are for fewer substeps: nearly all would be too long, since they reach as far as things fall.
 */
TAUT_PLAIN_TEST(contact_candidates, of_fine_sheets_are_short) {
    const double at[3] = {0, 0.3, 0}, h = 1.0 / 60;
    random_state r = {1};
    crossing_cloud c = crossing_begin(60);
    size_t longs = 0;
    contact_ground(c.scene, c.material);
    crossing_add_sheet(&c, &r, 0.1, at);
    taut_world* world = crossing_world(&c, TAUT_BACKEND_CPU, LIMIT, false);
    crossing_end(&c);
    REQUIRE(world != NULL);
    for (int i = 0; i < 6; i++) {
        CHECK_OK(taut_world_step(world, h));
    }
    const contact_candidates* lists = world->state->candidates;
    const size_t finders = (size_t)world->plan.sizes.touching + world->plan.sizes.edges;
    for (size_t i = 0; i < finders; i++) {
        longs += lists->count[i] == CANDIDATES_MOST;
    }
    test_note("%zu of %zu lists are too long, for %g substeps", longs, finders, lists->horizon);
    CHECK(longs * 16 <= finders);
    CHECK(lists->horizon < 8);
    taut_world_destroy(world);
}

/* What moves farther than it was expected to. */
TAUT_PLAIN_TEST(contact_candidates, what_leaves_its_reach_walks) {
    const comparison far = run(3, 3, 20, SIZE_MAX, 16);
    test_note("far: %zu contacts, %zu crossings, answer %zu of %zu", far.contacts, far.crossings, far.answered,
              far.searches);
    CHECK(far.crossings > 0);
    CHECK(far.answered < far.searches);
}

TAUT_PLAIN_TEST(contact_candidates, finders_without_room_walk) {
    const comparison few = run(1, 0.2, 1, 500, 24);
    CHECK(few.contacts > 300);
}

/* What cannot move is not found by what cannot move either: a sheet is held with the rope that it lies on, and let go.
 */
TAUT_PLAIN_TEST(contact_candidates, what_is_held_is_listed_anew) {
    const double h = CROSSING_H / 4;
    taut_world* world = falling_sheets(1, 1);
    comparison held = {0}, free = {0};
    uint32_t points[113];
    REQUIRE(world != NULL);
    for (uint32_t i = 0; i < 113; i++) {
        points[i] = i < 100 ? i : 200 + i;
    }
    for (int i = 0; i < 28; i++) {
        const bool holds = i >= 18 && i % 4 < 2;
        CHECK_OK(taut_world_set_fixed(world, 113, points, holds));
        if (i >= 18) {
            compare(world, h, 1, holds ? &held : &free);
        }
        CHECK_OK(taut_world_step(world, h));
    }
    test_note("%zu contacts while it is held, %zu while it is not", held.contacts, free.contacts);
    CHECK(held.contacts < free.contacts);
    taut_world_destroy(world);
}

/* Edges that walk together go through the triangles that each of them goes through alone. */
TAUT_PLAIN_TEST(contact_candidates, cuts_of_edges_together) {
    taut_world* world = falling_sheets(1, 1);
    random_state r = {9};
    uint32_t sum = 0, largest = 0;
    REQUIRE(world != NULL);
    const taut_plan* plan = &world->plan;
    uint32_t* counts = phys_array(plan->sizes.edges, sizeof *counts);
    for (size_t i = 0; i < 3 * plan->sizes.simple; i++) {
        plan->fields.x[i] += random_in(&r, -0.1, 0.1);
    }
    CHECK_OK(cpu_find_overlaps(world->state));
    for (size_t group = 0; group < cpu_cut_groups(plan); group++) {
        sum += cpu_cuts_of_edges(plan, group, true, counts);
    }
    CHECK_INT(sum, plan->fields.contact_count[TAUT_CONTACTS_CUTS]);
    for (size_t edge = 0; edge < plan->sizes.edges; edge++) {
        CHECK_INT(counts[edge], cuts_of_edge(&plan->fields, &plan->sizes, edge));
        largest = counts[edge] > largest ? counts[edge] : largest;
    }
    CHECK(sum > 100 && largest > 1);
    free(counts);
    taut_world_destroy(world);
}
