// The multilevel preconditioner on the device against the CPU's, which works on a copy of the same memory.
#include "harness.h"
#include "kernels/cuda/condensed.cuh"

extern "C" {
#include "host/cpu/cpu_multilevel.h"
#include "host/world/world_data.h"
#include "level_scenes.h"
}

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

constexpr double h = 0.01;

// A world two steps on and assembled, its memory copied back to the plan's block.
struct Setup {
    taut_world* world = nullptr;

    explicit Setup(const level_scene& scene, taut_cycle cycle) {
        const taut_world_def def = level_world(TAUT_BACKEND_CUDA, cycle);
        world = level_scene_world(&scene, &def);
        if (world != nullptr) {
            CHECK_OK(taut_world_step(world, h));
            CHECK_OK(taut_world_step(world, h));
            CHECK_OK(taut_world_linearise(world, h));
            copy();
        }
    }
    Setup(const Setup&) = delete;
    ~Setup() { taut_world_destroy(world); }

    taut_plan& plan() const { return world->plan; }
    void copy() const { CHECK_OK(world->backend->download(world->state, plan().block, plan().bytes)); }
    void assemble() const {
        world->backend->assemble(world->state, h, TAUT_PHASE_STEP);
        copy();
    }
};

template <class T> std::vector<double> values(const T* from, size_t count) {
    return {from, from + count};
}

// Largest difference over the largest value; infinite where one is not finite.
double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0, largest = 1e-300;
    for (size_t i = 0; i < a.size(); i++) {
        const double gap = std::fabs(a[i] - b[i]);
        worst = gap >= 0 ? std::max(worst, gap) : INFINITY;
        largest = std::max(largest, std::fabs(b[i]));
    }
    return worst / largest;
}

struct LevelNumbers {
    std::vector<double> a, p, d, dense, centre, largest;

    explicit LevelNumbers(const taut_level& l)
        : a(values(l.a_value, l.s.blocks * l.s.width * l.s.width)),
          p(values(l.p_value, l.s.prolong * l.s.width * TAUT_RIGID)),
          d(values(l.d_factor, size_t(l.s.nodes) * l.s.width * l.s.width)),
          dense(values(l.dense_factor, l.s.dense_values)), centre(values(l.centre, size_t(l.s.nodes) * 4)),
          largest(values(l.largest, 1)) {}
};

std::vector<LevelNumbers> numbers(const taut_plan& plan) {
    std::vector<LevelNumbers> all;
    for (uint32_t l = 0; l < plan.hierarchy.count; l++) {
        all.emplace_back(plan.hierarchy.level[l]);
    }
    return all;
}

// Numbers of every level. P and the inverses are rounded to float32; where an inverse belongs to a nearly singular
// block it keeps fewer digits.
void check_refresh(const level_scene& scene) {
    const Setup s(scene, TAUT_CYCLE_ADDITIVE);
    if (s.world == nullptr) {
        return;
    }
    s.assemble();
    const std::vector<LevelNumbers> device = numbers(s.plan());
    multilevel_refresh(&s.plan());
    const std::vector<LevelNumbers> host = numbers(s.plan());
    for (size_t l = 0; l < host.size(); l++) {
        test_note("%s, level %zu", scene.name, l);
        CHECK_NEAR(difference(device[l].centre, host[l].centre), 0, 1e-12);
        CHECK_NEAR(difference(device[l].a, host[l].a), 0, 1e-6);
        CHECK_NEAR(difference(device[l].largest, host[l].largest), 0, 1e-5);
        CHECK_NEAR(difference(device[l].p, host[l].p), 0, 1e-5);
        CHECK_NEAR(difference(device[l].d, host[l].d), 0, 1e-5);
        CHECK_NEAR(difference(device[l].dense, host[l].dense), 0, 1e-4);
    }
    test_note(nullptr);
}

// z = B r with short levels from `tail` on, and r.z, which the device puts among the solver's scalars.
std::vector<double> apply_on_device(const Setup& s, uint32_t tail, double* rz) {
    const taut_plan& plan = s.plan();
    const size_t bytes = 4 * plan.sizes.nodes * sizeof(float);
    taut_view view = *cuda_backend_view(s.world->state);
    taut_launch launch = {cuda_backend_stream(s.world->state), cudaSuccess};
    taut_levels levels = *view.levels;
    levels.host.tail = tail;
    view.levels = &levels;
    CHECK_OK(s.world->backend->upload(s.world->state, plan.fields.node_r, bytes));
    cuda_multilevel_apply(view, plan.settings, FOR_RESPONSE, no_loop, &launch);
    CHECK_INT(launch.error, cudaSuccess);
    CHECK_OK(s.world->backend->download(s.world->state, plan.fields.node_z, bytes));
    CHECK_INT(cudaMemcpy(rz, &view.control->condensed.response, sizeof *rz, cudaMemcpyDeviceToHost), cudaSuccess);
    return values(plan.fields.node_z, 4 * plan.sizes.nodes);
}

void fill(const taut_plan& plan) {
    uint64_t state = 7;
    for (size_t i = 0; i < 4 * plan.sizes.nodes; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const bool unknown = plan.fields.condensed_node[i / 4] && plan.fields.inverse_mass[i / 4] > 0 && i % 4 < 3;
        plan.fields.node_r[i] =
            unknown ? static_cast<float>(static_cast<double>(state >> 33) / 4294967296.0 - 0.25) : 0;
    }
}

void check_apply(const level_scene& scene, taut_cycle cycle) {
    const Setup s(scene, cycle);
    if (s.world == nullptr) {
        return;
    }
    const taut_plan& plan = s.plan();
    const uint32_t count = plan.hierarchy.count;
    fill(plan);
    for (uint32_t tail = 1; tail <= count; tail++) {
        std::vector<float> z(4 * plan.sizes.nodes);
        multilevel_apply(&plan, plan.fields.node_r, z.data());
        double rz = 0, expected = 0;
        for (size_t i = 0; i < z.size(); i++) {
            expected += double(plan.fields.node_r[i]) * z[i];
        }
        test_note("%s, cycle %d, %u levels, short from %u", scene.name, int(cycle), count, tail);
        CHECK_NEAR(difference(apply_on_device(s, tail, &rz), values(z.data(), z.size())), 0, 1e-4);
        CHECK_NEAR(rz / expected, 1, 1e-5);
    }
    test_note(nullptr);
}

} // namespace

TAUT_CUDA_TEST(multilevel_device, refresh) {
    for (const level_scene& scene : level_scenes) {
        check_refresh(scene);
    }
}

TAUT_CUDA_TEST(multilevel_device, additive) {
    for (const level_scene& scene : level_scenes) {
        check_apply(scene, TAUT_CYCLE_ADDITIVE);
    }
}

TAUT_CUDA_TEST(multilevel_device, v_cycle) {
    for (const level_scene& scene : level_scenes) {
        check_apply(scene, TAUT_CYCLE_V);
    }
}
