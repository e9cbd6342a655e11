/* Bad arguments of the scene's functions: refused with a sentence, and nothing is added. */
#include <math.h>
#include <stdlib.h>

#include "refused.h"

enum { POINTS = 5 };

/* Four corners of a unit tetrahedron and a fifth point that coincides with the first. */
static const double points[3 * POINTS] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
static const double bad_numbers[3] = {NAN, INFINITY, -INFINITY};

static taut_scene* make_scene(void) {
    return refused_scene(POINTS, points);
}

TAUT_PLAIN_TEST(interface_scene, create) {
    taut_scene_def def = taut_default_scene();
    taut_scene* const untouched = (taut_scene*)(void*)&def;
    taut_scene* scene = untouched;
    INVALID(taut_scene_create(NULL, &scene));
    INVALID(taut_scene_create(&def, NULL));
    def.cookie ^= 1;
    UNMADE(taut_scene_create(&def, &scene));
    def.cookie = 0;
    UNMADE(taut_scene_create(&def, &scene));
    CHECK(scene == untouched);
    taut_scene_destroy(NULL);
}

TAUT_PLAIN_TEST(interface_scene, half_an_allocator) {
    taut_scene_def def = taut_default_scene();
    taut_scene* scene = NULL;
    def.allocator.release = (void (*)(void*, size_t, void*))abort;
    CHECK(taut_scene_create(&def, &scene) != TAUT_OK);
    CHECK(scene == NULL);
}

TAUT_PLAIN_TEST(interface_scene, names) {
    CHECK_TEXT(taut_status_name((taut_status)-1), "unknown status");
    CHECK_TEXT(taut_status_name(TAUT_DIVERGED), "TAUT_DIVERGED");
    CHECK_TEXT(taut_kind_name(TAUT_DISTANCE), "distance");
    CHECK_TEXT(taut_kind_name(TAUT_LINEAR), "linear");
    CHECK_TEXT(taut_kind_name(TAUT_KIND_COUNT), "unknown");
    CHECK_TEXT(taut_kind_name((taut_kind)-1), "unknown");
    CHECK_TEXT(taut_stage_name(TAUT_STAGE_EVALUATE), "evaluate");
    CHECK_TEXT(taut_stage_name((taut_stage)99), "unknown");
}

TAUT_PLAIN_TEST(interface_scene, describe_batch) {
    taut_scene* scene = make_scene();
    taut_distance_def links = taut_default_distance();
    taut_target_def targets = taut_default_target();
    taut_batch first, second;
    taut_kind kind = TAUT_KIND_COUNT;
    size_t count = 77;
    links.count = 2;
    links.particles = (uint32_t[]){0, 1, 1, 2};
    targets.count = 3;
    targets.particles = (uint32_t[]){0, 1, 2};
    CHECK_STATUS(taut_scene_add_distances(scene, &links, &first), TAUT_OK);
    CHECK_STATUS(taut_scene_add_targets(scene, &targets, &second), TAUT_OK);
    INVALID(taut_scene_describe_batch(NULL, first, &kind, &count));
    INVALID(taut_scene_describe_batch(scene, (taut_batch){0}, &kind, &count));
    INVALID(taut_scene_describe_batch(scene, (taut_batch){3}, &kind, &count));
    CHECK(kind == TAUT_KIND_COUNT && count == 77);
    CHECK_STATUS(taut_scene_describe_batch(scene, first, &kind, &count), TAUT_OK);
    CHECK(kind == TAUT_DISTANCE && count == 2);
    CHECK_STATUS(taut_scene_describe_batch(scene, second, &kind, NULL), TAUT_OK);
    CHECK_STATUS(taut_scene_describe_batch(scene, second, NULL, &count), TAUT_OK);
    CHECK(kind == TAUT_TARGET && count == 3);
    taut_scene_destroy(scene);
}

/* ---- particles -------------------------------------------------------------------------------------------------- */

TAUT_PLAIN_TEST(interface_scene, particles) {
    taut_scene* scene = make_scene();
    taut_particles_def def = taut_default_particles();
    taut_range range = {77, 78};
    double x[6] = {0}, v[6] = {0}, m[2] = {1, 1};
    def.count = 2;
    def.positions = x;
    INVALID(taut_scene_add_particles(NULL, &def, &range));
    INVALID(taut_scene_add_particles(scene, NULL, &range));
    def.positions = NULL;
    INVALID(taut_scene_add_particles(scene, &def, &range));
    def.positions = x;
    def.count = 0;
    INVALID(taut_scene_add_particles(scene, &def, &range));
    def.count = SIZE_MAX;
    INVALID(taut_scene_add_particles(scene, &def, &range));
    def.count = 2;
    def.cookie = 0;
    UNMADE(taut_scene_add_particles(scene, &def, &range));
    const taut_particles_def fresh = taut_default_particles();
    def = (taut_particles_def){
        .cookie = fresh.cookie, .bytes = fresh.bytes, .count = 2, .positions = x, .velocities = v, .masses = m};
    static const double absurd[5] = {NAN, INFINITY, -INFINITY, 1e30, -1e30};
    for (int i = 0; i < 5; i++) {
        x[4] = absurd[i];
        INVALID(taut_scene_add_particles(scene, &def, &range));
        x[4] = 0;
        v[5] = absurd[i];
        INVALID(taut_scene_add_particles(scene, &def, &range));
        v[5] = 0;
        m[1] = absurd[i];
        INVALID(taut_scene_add_particles(scene, &def, &range));
        m[1] = 1;
    }
    for (int i = 0; i < 3; i++) {
        m[1] = i == 0 ? 0 : i == 1 ? -1 : 1e-300;
        INVALID(taut_scene_add_particles(scene, &def, &range));
        def.masses = NULL;
        def.mass = m[1];
        INVALID(taut_scene_add_particles(scene, &def, &range));
        def.masses = m;
    }
    CHECK_INT(range.first, 77);
    CHECK_INT(range.count, 78);
    CHECK_INT(taut_scene_particle_count(scene), POINTS);
    m[1] = 1;
    CHECK_OK(taut_scene_add_particles(scene, &def, &range));
    CHECK_INT(range.first, POINTS);
    CHECK_INT(range.count, 2);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(interface_scene, fixed) {
    taut_scene* scene = make_scene();
    uint32_t nodes[2] = {0, POINTS};
    INVALID(taut_scene_set_fixed(NULL, 1, nodes, true));
    INVALID(taut_scene_set_fixed(scene, 2, NULL, true));
    INVALID(taut_scene_set_fixed(scene, 2, nodes, true));
    CHECK_OK(taut_scene_set_fixed(scene, 0, NULL, true));
    CHECK_OK(taut_scene_set_fixed(scene, 1, nodes, true));
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(interface_scene, queries) {
    taut_scene* scene = make_scene();
    CHECK_INT(taut_scene_particle_count(scene), POINTS);
    CHECK_INT(taut_scene_row_count(scene), 0);
    CHECK(memcmp(taut_scene_positions(scene), points, sizeof points) == 0);
    CHECK_INT(taut_scene_particle_count(NULL), 0);
    CHECK_INT(taut_scene_row_count(NULL), 0);
    CHECK(taut_scene_positions(NULL) == NULL);
    taut_scene_destroy(scene);
}

/* ---- constraints: the same list of mistakes for every kind ------------------------------------------------------ */

/* What a kind's definition is filled with; its own add_* below. */
typedef struct inputs {
    size_t count;
    bool good_cookie;
    const uint32_t* particles;
    const double* rest;
    const double* compliances;
    double compliance;
    const double* dampings;
    double damping;
    double poisson;
} inputs;

typedef taut_status add_fn(taut_scene* scene, const inputs* in, taut_batch* batch);

#define ADD(name, plural, rest_field, compliance_array, compliance_scalar, more)                                       \
    static taut_status try_##name(taut_scene* scene, const inputs* in, taut_batch* batch) {                            \
        taut_##name##_def def = taut_default_##name();                                                                 \
        def.cookie += in->good_cookie ? 0 : 1;                                                                         \
        def.count = in->count;                                                                                         \
        def.particles = in->particles;                                                                                 \
        def.rest_field = in->rest;                                                                                     \
        def.compliance_array = in->compliances;                                                                        \
        def.compliance_scalar = in->compliance;                                                                        \
        def.dampings = in->dampings;                                                                                   \
        def.damping = in->damping;                                                                                     \
        more;                                                                                                          \
        return taut_scene_add_##plural(scene, &def, batch);                                                            \
    }
ADD(distance, distances, rest_lengths, compliances, compliance, (void)0)
ADD(attachment, attachments, offsets, compliances, compliance, (void)0)
ADD(target, targets, targets, compliances, compliance, (void)0)
ADD(bend, bends, rest_angles, compliances, compliance, (void)0)
ADD(membrane, membranes, rest, softnesses, softness, def.poisson = in->poisson)
ADD(tet_volume, tet_volumes, rest_volumes, compliances, compliance, (void)0)
ADD(tet_strain, tet_strains, rest, softnesses, softness, def.poisson = in->poisson)

static const struct {
    const char* name;
    add_fn* add;
    size_t nodes, rest;
} kinds[7] = {{"distance", try_distance, 2, 1},     {"attachment", try_attachment, 2, 3},
              {"target", try_target, 1, 3},         {"bend", try_bend, 4, 1},
              {"membrane", try_membrane, 3, 6},     {"tet_volume", try_tet_volume, 4, 1},
              {"tet_strain", try_tet_strain, 4, 12}};

static const double good_rest[7][24] = {
    {1, 1}, {0}, {0}, {0.1, 0.2}, {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, {1, 1}, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                                                                                 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}};

typedef struct attempt {
    taut_scene* scene;
    inputs in;
    uint32_t nodes[8];
    double rest[24], compliances[2], dampings[2];
} attempt;

static void attempt_open(attempt* a, int k) {
    static const uint32_t corners[4] = {0, 1, 2, 3};
    a->scene = make_scene();
    for (size_t i = 0; i < 2 * kinds[k].nodes; i++) {
        a->nodes[i] = corners[i % kinds[k].nodes];
    }
    memcpy(a->rest, good_rest[k], sizeof a->rest);
    a->compliances[0] = a->compliances[1] = a->dampings[0] = a->dampings[1] = 0;
    a->in = (inputs){2, true, a->nodes, a->rest, a->compliances, 0, a->dampings, 0, 0.3};
}

/* Every value of `array`'s second constraint that must be refused. */
static void refuse_values(attempt* a, int k, double* value, bool negative_allowed) {
    const double good = *value;
    for (int i = 0; i < 4; i++) {
        taut_batch batch = {77};
        *value = i < 3 ? bad_numbers[i] : -1;
        if (i < 3 || !negative_allowed) {
            INVALID(kinds[k].add(a->scene, &a->in, &batch));
        }
        CHECK_INT(batch.id, 77);
    }
    *value = good;
}

static void refuse_arrays(attempt* a, int k) {
    taut_batch batch = {77};
    INVALID(kinds[k].add(NULL, &a->in, &batch));
    a->in.particles = NULL;
    INVALID(kinds[k].add(a->scene, &a->in, &batch));
    a->in.particles = a->nodes;
    a->in.count = 0;
    INVALID(kinds[k].add(a->scene, &a->in, &batch));
    a->in.count = SIZE_MAX;
    INVALID(kinds[k].add(a->scene, &a->in, &batch));
    a->in.count = 2;
    a->in.good_cookie = false;
    UNMADE(kinds[k].add(a->scene, &a->in, &batch));
    a->in.good_cookie = true;
    CHECK_INT(batch.id, 77);
}

static void refuse_nodes(attempt* a, int k) {
    taut_batch batch = {77};
    const size_t last = 2 * kinds[k].nodes - 1;
    const uint32_t good = a->nodes[last];
    for (int i = 0; i < 3; i++) {
        a->nodes[last] = i == 0 ? POINTS : i == 1 ? UINT32_MAX : a->nodes[kinds[k].nodes];
        if (i < 2 || kinds[k].nodes > 1) {
            INVALID(kinds[k].add(a->scene, &a->in, &batch));
        }
    }
    a->nodes[last] = good;
    CHECK_INT(batch.id, 77);
}

TAUT_PLAIN_TEST(interface_scene, every_kind) {
    for (int k = 0; k < 7; k++) {
        attempt a;
        taut_batch batch = {77};
        attempt_open(&a, k);
        refuse_arrays(&a, k);
        refuse_nodes(&a, k);
        refuse_values(&a, k, &a.compliances[1], false);
        refuse_values(&a, k, &a.dampings[1], false);
        refuse_values(&a, k, &a.rest[2 * kinds[k].rest - 1],
                      kinds[k].rest == 3 || kinds[k].add == try_bend || kinds[k].add == try_membrane);
        a.in.compliances = a.in.dampings = NULL;
        refuse_values(&a, k, &a.in.compliance, false);
        refuse_values(&a, k, &a.in.damping, false);
        CHECK_INT(taut_scene_row_count(a.scene), 0);
        test_note("%s", kinds[k].name);
        CHECK_OK(kinds[k].add(a.scene, &a.in, &batch));
        CHECK_INT(batch.id, 1);
        CHECK(taut_scene_row_count(a.scene) > 0);
        CHECK_OK(kinds[k].add(a.scene, &a.in, NULL));
        test_note(NULL);
        taut_scene_destroy(a.scene);
    }
}

/* NULL definitions need a call each: their types differ. */
TAUT_PLAIN_TEST(interface_scene, no_definition) {
    taut_scene* scene = make_scene();
    INVALID(taut_scene_add_distances(scene, NULL, NULL));
    INVALID(taut_scene_add_attachments(scene, NULL, NULL));
    INVALID(taut_scene_add_targets(scene, NULL, NULL));
    INVALID(taut_scene_add_bends(scene, NULL, NULL));
    INVALID(taut_scene_add_membranes(scene, NULL, NULL));
    INVALID(taut_scene_add_tet_volumes(scene, NULL, NULL));
    INVALID(taut_scene_add_tet_strains(scene, NULL, NULL));
    INVALID(taut_scene_add_linear(scene, NULL, NULL));
    taut_scene_destroy(scene);
}

/* ---- shapes without a size -------------------------------------------------------------------------------------- */

static void refuse_shape(int k, const uint32_t* nodes, const double* rest, double poisson) {
    taut_scene* scene = make_scene();
    taut_batch batch = {77};
    const inputs in = {.count = 1, .good_cookie = true, .particles = nodes, .rest = rest, .poisson = poisson};
    test_note("%s", kinds[k].name);
    INVALID(kinds[k].add(scene, &in, &batch));
    CHECK_INT(batch.id, 77);
    CHECK_INT(taut_scene_row_count(scene), 0);
    taut_scene_destroy(scene);
}

TAUT_PLAIN_TEST(interface_scene, degenerate_shapes) {
    static const uint32_t same[2] = {0, 4}, inverted[4] = {0, 2, 1, 3}, thin[3] = {0, 1, 4}, flat[4] = {0, 1, 2, 4};
    static const double line[6] = {0, 0, 1, 1, 2, 2}, plane[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const double mirrored[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
    static const uint32_t good[4] = {0, 1, 2, 3};
    refuse_shape(0, same, NULL, 0); /* current length 0 */
    refuse_shape(4, thin, NULL, 0.3);
    refuse_shape(4, good, line, 0.3);
    refuse_shape(5, inverted, NULL, 0);
    refuse_shape(5, flat, NULL, 0);
    refuse_shape(6, inverted, NULL, 0.3);
    refuse_shape(6, flat, NULL, 0.3);
    refuse_shape(6, good, plane, 0.3);
    refuse_shape(6, good, mirrored, 0.3);
    static const double poissons[4] = {-1, 1.001, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        refuse_shape(4, good, NULL, poissons[i]);
        refuse_shape(6, good, NULL, poissons[i]);
    }
    refuse_shape(4, good, NULL, 1);
    refuse_shape(6, good, NULL, 0.51);
    test_note(NULL);
}

/* ---- linear rows ------------------------------------------------------------------------------------------------ */

TAUT_PLAIN_TEST(interface_scene, linear) {
    taut_scene* scene = make_scene();
    taut_linear_def def = taut_default_linear();
    taut_batch batch = {77};
    size_t offsets[3] = {0, 2, 4};
    uint32_t coordinates[4] = {0, 3, 1, 4};
    double weights[4] = {1, -1, 1, -1}, rest[2] = {0, 0}, values[2] = {0, 0};
    def.count = 2;
    def.offsets = offsets;
    def.coordinates = coordinates;
    def.weights = weights;
    def.rest_values = rest;
    def.compliances = values;
    INVALID(taut_scene_add_linear(NULL, &def, &batch));
#define WITH(change, restore)                                                                                          \
    change;                                                                                                            \
    INVALID(taut_scene_add_linear(scene, &def, &batch));                                                               \
    restore
    WITH(def.offsets = NULL, def.offsets = offsets);
    WITH(def.coordinates = NULL, def.coordinates = coordinates);
    WITH(def.weights = NULL, def.weights = weights);
    WITH(def.count = 0, def.count = 2);
    WITH(def.count = SIZE_MAX, def.count = 2);
    WITH(offsets[0] = 1, offsets[0] = 0);
    WITH(offsets[1] = 5, offsets[1] = 2);
    WITH(offsets[2] = SIZE_MAX, offsets[2] = 4);
    WITH(coordinates[3] = 3 * POINTS, coordinates[3] = 4);
    WITH(coordinates[3] = UINT32_MAX, coordinates[3] = 4);
    WITH(coordinates[3] = 1, coordinates[3] = 4);
    WITH(values[1] = -1, values[1] = 0);
    for (int i = 0; i < 3; i++) {
        WITH(weights[3] = bad_numbers[i], weights[3] = -1);
        WITH(rest[1] = bad_numbers[i], rest[1] = 0);
        WITH(values[1] = bad_numbers[i], values[1] = 0);
        WITH(def.damping = bad_numbers[i], def.damping = 0);
    }
    WITH(def.damping = -1, def.damping = 0);
    def.cookie++;
    UNMADE(taut_scene_add_linear(scene, &def, &batch));
    def.cookie--;
    CHECK_INT(batch.id, 77);
    CHECK_INT(taut_scene_row_count(scene), 0);
    CHECK_OK(taut_scene_add_linear(scene, &def, &batch));
    CHECK_INT(taut_scene_row_count(scene), 2);
    taut_scene_destroy(scene);
}
