/* A frame of an interactive program on the GPU: two steps of taut and the copy for the renderer in one CUDA graph of
 * the program's own, launched once a frame. Gravity, forces and the like may change between launches. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <taut/taut.h>

enum { PARTICLES = 41, FRAMES = 60, STEPS = 2 };

static void check(taut_status status) {
    if (status != TAUT_OK) {
        fprintf(stderr, "%s\n", taut_last_error());
        exit(1);
    }
}

static void check_cuda(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

/* A level rope, held at one end. */
static taut_world* make_rope(cudaStream_t stream) {
    double positions[3 * PARTICLES] = {0};
    uint32_t pairs[2 * (PARTICLES - 1)];
    for (uint32_t i = 0; i < 2 * (PARTICLES - 1); i++) {
        pairs[i] = (i + 1) / 2;
    }
    for (uint32_t i = 0; i < PARTICLES; i++) {
        positions[3 * i] = 0.025 * i;
    }
    taut_scene_def scene_def = taut_default_scene();
    taut_scene* scene = NULL;
    check(taut_scene_create(&scene_def, &scene));
    taut_particles_def particles = taut_default_particles();
    particles.count = PARTICLES;
    particles.positions = positions;
    particles.mass = 0.01;
    check(taut_scene_add_particles(scene, &particles, NULL));
    check(taut_scene_set_fixed(scene, 1, (uint32_t[]){0}, true));
    taut_distance_def links = taut_default_distance();
    links.count = PARTICLES - 1;
    links.particles = pairs;
    check(taut_scene_add_distances(scene, &links, NULL));
    taut_world_def def = taut_default_world();
    def.backend = TAUT_BACKEND_CUDA;
    def.cuda_stream = stream;
    taut_world* world = NULL;
    check(taut_world_create(scene, &def, &world));
    taut_scene_destroy(scene);
    return world;
}

int main(void) {
    if (taut_backend_available(TAUT_BACKEND_CUDA) != TAUT_OK) {
        printf("skipped: %s\n", taut_last_error());
        return 0;
    }
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t frame;
    float* drawn; /* stands for the renderer's buffer */
    check_cuda(cudaStreamCreate(&stream));
    check_cuda(cudaMallocHost((void**)&drawn, PARTICLES * 3 * sizeof(float)));
    taut_world* world = make_rope(stream);
    taut_array view; /* stays where it is for the world's life */
    check(taut_world_view(world, TAUT_FIELD_POSITIONS_F32, &view));
    check(taut_world_sync(world));

    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < STEPS; i++) {
        check(taut_world_step(world, 1.0 / 120));
    }
    check_cuda(cudaMemcpyAsync(drawn, view.data, PARTICLES * 3 * sizeof(float), cudaMemcpyDeviceToHost, stream));
    check_cuda(cudaStreamEndCapture(stream, &graph));
    check_cuda(cudaGraphInstantiate(&frame, graph, 0));

    for (int i = 1; i <= FRAMES; i++) {
        check_cuda(cudaGraphLaunch(frame, stream));
        check(taut_world_note_steps(world, STEPS));
    }
    taut_step_info info;
    check(taut_world_info(world, &info));
    printf("step %llu, t = %.3f s: free end at (%.3f, %.3f, %.3f) m\n", (unsigned long long)info.step, info.time,
           drawn[3 * PARTICLES - 3], drawn[3 * PARTICLES - 2], drawn[3 * PARTICLES - 1]);
    taut_world_destroy(world);
    check_cuda(cudaGraphExecDestroy(frame));
    check_cuda(cudaGraphDestroy(graph));
    check_cuda(cudaFreeHost(drawn));
    check_cuda(cudaStreamDestroy(stream));
    return info.step == STEPS * FRAMES ? 0 : 1;
}
