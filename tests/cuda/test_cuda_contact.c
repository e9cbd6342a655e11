/* Contacts in graphs of the user's: every launch finds them anew, changes between launches reach them, and room that
 * ends is told. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "contact_scenes.h"
#include "cuda_calls.h"

#define H      0.01
#define RADIUS 0.1

enum { BALLS = 4, MOST = 32 };

#define REQUIRE_CUDA(call) CHECK_INT(call, cudaSuccess)

/* One world on a stream of the user's, and one of the same scene that is stepped plainly. */
typedef struct setup {
    taut_scene* scene;
    cudaStream_t stream;
    taut_world *world, *plain;
} setup;

/* Balls over the ground and one another, which touch it one after the other. */
static taut_scene* make_scene(void) {
    taut_scene* scene = phys_empty_scene();
    const uint32_t material = contact_material(scene, 0.4, 0);
    contact_ground(scene, material);
    for (int i = 0; i < BALLS; i++) {
        phys_body at = contact_at(0.15 * i, 0.101 + 0.012 * i + 0.12 * (i % 2), 0.02 * i);
        at.v[0] = 0.2 * i;
        at.v[1] = -0.3;
        const taut_body ball = contact_ball(scene, &at, 1 + i, RADIUS, material);
        contact_shape(scene, TAUT_SHAPE_SPHERE, (const double[]){RADIUS, 1, 1}, ball, NULL, NULL, material);
    }
    return scene;
}

static bool setup_open(setup* s, uint32_t capacity) {
    taut_world_def def = contact_world_def(TAUT_BACKEND_CUDA);
    *s = (setup){.scene = make_scene()};
    def.contact.capacity = MOST;
    REQUIRE_CUDA(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    if (!CHECK_OK(taut_world_create(s->scene, &def, &s->plain))) {
        return false;
    }
    def.cuda_stream = s->stream;
    def.contact.capacity = capacity;
    return CHECK_OK(taut_world_create(s->scene, &def, &s->world));
}

static void setup_close(setup* s) {
    taut_world_destroy(s->world);
    taut_world_destroy(s->plain);
    taut_scene_destroy(s->scene);
    REQUIRE_CUDA(cudaStreamDestroy(s->stream));
    test_note(NULL);
}

/* Contacts of both, and everything that moves, so close, and their forces bit by bit where that is 0; `contacts` (may
 * be NULL) receives how many. */
static void check_same(const setup* s, double close, size_t* contacts) {
    static const taut_field fields[] = {TAUT_FIELD_POSITIONS, TAUT_FIELD_VELOCITIES, TAUT_FIELD_ORIENTATIONS,
                                        TAUT_FIELD_ANGULAR_VELOCITIES};
    double a[4 * BALLS] = {0}, b[4 * BALLS] = {0};
    taut_contact first[MOST], second[MOST];
    size_t count[2] = {0, 1};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        CHECK_OK(taut_world_read(s->world, fields[i], 0, BALLS, a));
        CHECK_OK(taut_world_read(s->plain, fields[i], 0, BALLS, b));
        CHECK_NEAR(phys_farthest(a, b, 4 * BALLS), 0, close);
    }
    CHECK_OK(taut_world_read_contacts(s->world, MOST, first, &count[0]));
    CHECK_OK(taut_world_read_contacts(s->plain, MOST, second, &count[1]));
    CHECK_INT(count[0], count[1]);
    for (size_t i = 0; i < count[0] && i < count[1]; i++) {
        CHECK_INT(first[i].point, second[i].point);
        CHECK_INT(first[i].collider, second[i].collider);
        CHECK(close > 0 || memcmp(first[i].force, second[i].force, sizeof first[i].force) == 0);
    }
    if (contacts != NULL) {
        *contacts = count[0];
    }
}

static cudaGraphExec_t capture(const setup* s, cudaGraph_t* source) {
    cudaGraphExec_t graph = NULL;
    CHECK_OK(taut_world_sync(s->world));
    REQUIRE_CUDA(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeGlobal));
    CHECK_OK(taut_world_step(s->world, H));
    REQUIRE_CUDA(cudaStreamEndCapture(s->stream, source));
    REQUIRE_CUDA(cudaGraphInstantiate(&graph, *source, 0));
    return graph;
}

static void launch(const setup* s, cudaGraphExec_t graph) {
    REQUIRE_CUDA(cudaGraphLaunch(graph, s->stream));
    CHECK_OK(taut_world_note_steps(s->world, 1));
}

static void drop(cudaGraphExec_t graph, cudaGraph_t source) {
    REQUIRE_CUDA(cudaGraphExecDestroy(graph));
    REQUIRE_CUDA(cudaGraphDestroy(source));
}

TAUT_CUDA_TEST(streams, every_launch_finds_its_contacts) {
    setup s;
    if (setup_open(&s, MOST)) {
        cudaGraph_t source = NULL;
        const cudaGraphExec_t graph = capture(&s, &source);
        size_t fewest = MOST, most = 0;
        for (int k = 0; k < 8; k++) {
            size_t count = 0;
            test_note("launch %d", k);
            launch(&s, graph);
            CHECK_OK(taut_world_step(s.plain, H));
            check_same(&s, 0, &count);
            fewest = count < fewest ? count : fewest;
            most = count > most ? count : most;
        }
        test_note("%zu to %zu contacts", fewest, most);
        CHECK(fewest < most && most > BALLS);
        drop(graph, source);
    }
    setup_close(&s);
}

static void change_gravity(taut_world* world) {
    CHECK_OK(taut_world_set_gravity(world, (const double[]){1, -15, 0}));
}

static void lift(taut_world* world) {
    CHECK_OK(taut_world_write(world, TAUT_FIELD_POSITIONS, 1, 1, (const double[]){0.1, 0.6, 0}));
}

static void throw_up(taut_world* world) {
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, 1, 0.1}));
}

static void fix(taut_world* world) {
    CHECK_OK(taut_world_set_fixed(world, 1, (const uint32_t[]){2}, true));
    CHECK_OK(taut_world_set_frames_fixed(world, 1, (const uint32_t[]){2}, true));
}

static void step_otherwise(taut_world* world) {
    CHECK_OK(taut_world_step(world, 0.3 * H));
}

TAUT_CUDA_TEST(streams, changes_reach_contacts_of_a_captured_step) {
    void (*const changes[])(taut_world*) = {change_gravity, lift, throw_up, step_otherwise, fix};
    setup s;
    if (setup_open(&s, MOST)) {
        cudaGraph_t source = NULL;
        const cudaGraphExec_t graph = capture(&s, &source);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            test_note("change %zu", i);
            for (int k = 0; k < 2; k++) {
                launch(&s, graph);
                CHECK_OK(taut_world_step(s.plain, H));
            }
            check_same(&s, 0, NULL);
            changes[i](s.world);
            changes[i](s.plain);
        }
        launch(&s, graph);
        CHECK_OK(taut_world_step(s.plain, H));
        check_same(&s, 0, NULL);
        drop(graph, source);
    }
    setup_close(&s);
}

/* Launches without room change nothing, however many there are, and are told of; with more room, and a graph that is
 * made anew, all goes on as if there had been enough, but for the order of sums, which is that of
 * the room. */
TAUT_CUDA_TEST(streams, launches_without_room_for_contacts) {
    setup s;
    if (setup_open(&s, 2)) {
        taut_step_info info = {0};
        uint64_t good = 0;
        int growths = 0;
        for (int k = 0; k < 6; k++) {
            cudaGraph_t source = NULL;
            const cudaGraphExec_t graph = capture(&s, &source);
            for (int i = 0; i < 3; i++) {
                launch(&s, graph);
            }
            const taut_status status = taut_world_sync(s.world);
            CHECK_OK(taut_world_info(s.world, &info));
            drop(graph, source);
            for (; good < info.step; good++) {
                CHECK_OK(taut_world_step(s.plain, H));
            }
            test_note("round %d: %llu steps", k, (unsigned long long)good);
            if (status != TAUT_OK) {
                CHECK_STATUS(status, TAUT_OUT_OF_CAPACITY);
                CHECK_OK(taut_world_grow_contacts(s.world, info.contacts));
                growths++;
            }
        }
        CHECK(growths > 0 && good > 3);
        check_same(&s, 1e-6, NULL);
    }
    setup_close(&s);
}

/* A step with contacts is one launch of a graph, without a wait, a copy or memory, whatever it finds. */
TAUT_CUDA_TEST(calls, a_step_with_contacts_is_one_graph_launch) {
    setup s;
    if (setup_open(&s, MOST)) {
        CHECK_OK(taut_world_step(s.world, H));
        for (int k = 0; k < 5; k++) {
            test_note("step %d", k);
            cuda_calls_watch();
            CHECK_OK(taut_world_step(s.world, H));
            for (int g = CUDA_LAUNCHES; g < CUDA_QUERIES; g++) {
                CHECK_INT(cuda_calls_in((cuda_group)g), g == CUDA_GRAPH_LAUNCHES ? 1 : 0);
            }
            cuda_calls_ignore();
        }
    }
    setup_close(&s);
}
