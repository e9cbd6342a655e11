// The assembled matrix of the solver against its matrix-free product, and against the public operator in float64.
#include "../harness.h"
#include "kernels/assembled.cuh"

extern "C" {
#include "dense.h"
#include "host/world.h"
#include "scenes.h"
}

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace {

constexpr double h = 0.01;
// A row of S has up to some hundred terms, each rounded to float32.
constexpr double single = 2e-6;

using Floats = std::vector<float>;

Floats download(const float* from, size_t count) {
    Floats out(count);
    CHECK_INT(cudaMemcpy(out.data(), from, count * sizeof(float), cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
}

// Device arrays of one length.
struct DeviceVectors {
    float *p = nullptr, *q = nullptr;
    size_t count;

    explicit DeviceVectors(size_t n) : count(n) {
        CHECK_INT(cudaMalloc(&p, n * sizeof(float)), cudaSuccess);
        CHECK_INT(cudaMalloc(&q, n * sizeof(float)), cudaSuccess);
    }
    DeviceVectors(const DeviceVectors&) = delete;
    ~DeviceVectors() {
        cudaFree(p);
        cudaFree(q);
    }
    void upload(const Floats& values) const {
        CHECK_INT(cudaMemcpy(p, values.data(), count * sizeof(float), cudaMemcpyHostToDevice), cudaSuccess);
    }
};

// A linearised world on the device and its assembled matrix.
struct Setup {
    taut_world* world = nullptr;
    taut_assembled assembled{};
    const taut_view* view = nullptr;
    cudaStream_t stream = nullptr;
    Floats unit; // 1/sqrt of the diagonal of S: gives unknowns of all kinds the same weight
    random_state random{42};

    Setup() = default;
    Setup(const Setup&) = delete;
    ~Setup() {
        assembled_close(&assembled);
        taut_world_destroy(world);
    }

    bool open(oracle_scene* scene, const taut_world_def& def) {
        if (!CHECK_OK(oracle_scene_world(scene, &def, &world))) {
            return false;
        }
        for (int k = 0; k < 3; k++) { // multipliers, for the geometric stiffness
            CHECK_OK(taut_world_step(world, h));
        }
        if (!CHECK_OK(taut_world_linearise(world, h)) || !CHECK_OK(taut_world_sync(world))) {
            return false;
        }
        view = cuda_backend_view(world->state);
        stream = cuda_backend_stream(world->state);
        unit = download(view->f.inverse_diagonal, view->s.unknowns);
        for (float& u : unit) {
            u = u > 0 ? std::sqrt(u) : 1;
        }
        return CHECK_OK(assembled_open(*view, stream, &assembled));
    }

    Floats random_vector() {
        Floats out(unit.size());
        for (size_t i = 0; i < out.size(); i++) {
            out[i] = static_cast<float>(random_in(&random, -1, 1)) * unit[i];
        }
        return out;
    }

    Floats multiply(const Floats& p, bool matrix_free) {
        const DeviceVectors vectors(p.size());
        taut_launch launch = {stream, cudaSuccess};
        vectors.upload(p);
        if (matrix_free) {
            cuda_multiply_f32(*view, vectors.p, vectors.q, &launch);
            CHECK_INT(launch.error, cudaSuccess);
        } else {
            CHECK_OK(assembled_multiply(&assembled, vectors.p, vectors.q));
        }
        CHECK_INT(cudaStreamSynchronize(stream), cudaSuccess);
        return download(vectors.q, p.size());
    }

    // Largest difference over the largest value, in units of the diagonal; infinite where one is not finite.
    double difference(const Floats& a, const std::vector<double>& b) const {
        double worst = 0, scale = 0;
        for (size_t i = 0; i < b.size(); i++) {
            const double gap = std::fabs(a[i] - b[i]) * unit[i];
            worst = gap >= 0 ? std::max(worst, gap) : INFINITY;
            scale = std::max(scale, std::fabs(b[i]) * unit[i]);
        }
        return worst / scale;
    }
};

void check_products(Setup* s) {
    for (int k = 0; k < 3; k++) {
        const Floats p = s->random_vector(), expected = s->multiply(p, true);
        const std::vector<double> wide(expected.begin(), expected.end());
        CHECK_NEAR(s->difference(s->multiply(p, false), wide), 0, single);
    }
}

// Rows of the public operators are in the order given.
void check_operator(Setup* s) {
    const Floats p = s->random_vector(), q = s->multiply(p, false);
    const size_t rows = p.size();
    const auto place = [s](size_t row) { return s->view->s.rows_move ? s->world->plan.fields.row_at[row] : row; };
    std::vector<double> in(rows), out(rows), expected(rows);
    for (size_t row = 0; row < rows; row++) {
        in[row] = p[place(row)];
    }
    CHECK_OK(taut_world_apply(s->world, TAUT_OPERATOR_S, in.data(), out.data()));
    for (size_t row = 0; row < rows; row++) {
        expected[place(row)] = out[row];
    }
    CHECK_NEAR(s->difference(q, expected), 0, single);
}

bool no_device() {
    const bool absent = taut_backend_available(TAUT_BACKEND_CUDA) != TAUT_OK;
    if (absent) {
        test_skip(taut_last_error());
    }
    return absent;
}

// With and without root rows; without them and without a shift, S is the public operator's.
void check_scene(const char* name, double proximal, const std::function<void(oracle_scene*)>& build) {
    for (const taut_geometric_stiffness geometric : {TAUT_GEOMETRIC_NONE, TAUT_GEOMETRIC_FULL}) {
        oracle_scene scene{};
        taut_world_def def = taut_default_world();
        def.backend = TAUT_BACKEND_CUDA;
        def.integrator.geometric_stiffness = geometric;
        def.solver.proximal = proximal;
        test_note("%s, geometric stiffness %s", name, geometric == TAUT_GEOMETRIC_FULL ? "full" : "none");
        build(&scene);
        scene_shake(&scene, 7, 0.003, 0.2);
        Setup s;
        if (s.open(&scene, def)) {
            check_products(&s);
            CHECK_INT(s.view->s.roots > 0, geometric == TAUT_GEOMETRIC_FULL && s.view->s.unknowns > s.view->s.rows);
            if (geometric == TAUT_GEOMETRIC_NONE && proximal == 0) {
                check_operator(&s);
            }
        }
        oracle_scene_free(&scene);
    }
    test_note(nullptr);
}

const scene_material soft = {1e-5, 0.01}, hard = {0, 0};
const double down[3] = {0.02, -0.1, 0.01};

} // namespace

TAUT_PLAIN_TEST(assembled, distances) {
    if (no_device()) {
        return;
    }
    check_scene("rope", 0, [](oracle_scene* s) { scene_rope(s, 6, down, 0.02, soft); });
    check_scene("hard rope", 0, [](oracle_scene* s) { scene_rope(s, 6, down, 0.02, hard); });
}

TAUT_PLAIN_TEST(assembled, linear) {
    if (no_device()) {
        return;
    }
    check_scene("linear", 0,
                [](oracle_scene* s) { scene_rope_bending(s, scene_rope(s, 6, down, 0.02, soft), 6, soft); });
}

TAUT_PLAIN_TEST(assembled, attachments_and_targets) {
    if (no_device()) {
        return;
    }
    check_scene("attachment and target", 0, [](oracle_scene* s) {
        const double still[3] = {0, 0, 0};
        const uint32_t rope = scene_rope(s, 4, down, 0.02, soft), other = scene_rope(s, 3, down, 0.03, soft);
        scene_attach(s, other + 3, rope + 2, soft); /* columns that do not ascend with the slots */
        scene_target(s, rope + 4, still, soft);
    });
}

TAUT_PLAIN_TEST(assembled, bends) {
    if (no_device()) {
        return;
    }
    check_scene("bends", 0, [](oracle_scene* s) { scene_sheet_bends(s, scene_sheet(s, 4, 3, 0.1, 0.02), soft); });
}

TAUT_PLAIN_TEST(assembled, membranes) {
    if (no_device()) {
        return;
    }
    check_scene("membranes", 0,
                [](oracle_scene* s) { scene_sheet_membranes(s, scene_sheet(s, 4, 3, 0.1, 0.02), soft); });
}

TAUT_PLAIN_TEST(assembled, tetrahedra) {
    if (no_device()) {
        return;
    }
    check_scene("strains", 0, [](oracle_scene* s) { scene_block_strains(s, scene_block(s, 1, 0.2, 0.05), 1, soft); });
    check_scene("volumes", 0, [](oracle_scene* s) { scene_block_volumes(s, scene_block(s, 1, 0.2, 0.05), 1, soft); });
}

TAUT_PLAIN_TEST(assembled, mixed) {
    if (no_device()) {
        return;
    }
    check_scene("mixed", 0, [](oracle_scene* s) {
        scene_mixed(s, 1e-5, 0.01);
        s->particles[2].fixed = true;
        std::fill_n(s->particles[2].v, 3, 0.0);
    });
    check_scene("mixed, shifted", 1e-3, [](oracle_scene* s) { scene_mixed(s, 1e-5, 0.01); });
}

namespace {

template <class T> std::vector<T> download_all(const T* from, size_t count) {
    std::vector<T> out(count);
    CHECK_INT(cudaMemcpy(out.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
}

// A diagonal block of the assembled matrix, in units of its diagonal.
std::vector<double> block_of(const taut_csr& s, const std::vector<int>& offsets, const std::vector<int>& indices,
                             const Floats& values, const std::vector<uint32_t>& unknowns, const Floats& unit) {
    const size_t n = unknowns.size();
    std::vector<double> block(n * n);
    CHECK(s.rows > 0);
    for (size_t i = 0; i < n; i++) {
        for (int at = offsets[unknowns[i]]; at < offsets[unknowns[i] + 1]; at++) {
            const auto found = std::find(unknowns.begin(), unknowns.end(), static_cast<uint32_t>(indices[at]));
            if (found != unknowns.end()) {
                block[i * n + static_cast<size_t>(found - unknowns.begin())] =
                    static_cast<double>(values[at]) * unit[unknowns[i]] * unit[*found];
            }
        }
    }
    return block;
}

// Largest entry of S_b B_b - 1 over all blocks b.
double worst_inverse(const Setup& s) {
    const taut_fields& f = s.view->f;
    const taut_csr& a = s.assembled.matrix;
    const auto offsets = download_all(a.offsets, static_cast<size_t>(a.rows) + 1);
    const auto indices = download_all(a.indices, static_cast<size_t>(a.nonzeros));
    const auto values = download_all(a.values, static_cast<size_t>(a.nonzeros));
    const auto begin = download_all(f.block_begin, s.view->s.blocks + 1);
    const auto first = download_all(f.block_value_begin, s.view->s.blocks + 1);
    const auto members = download_all(f.block_unknown, s.view->s.block_unknowns);
    const auto inverses = download_all(f.block_inverse, s.view->s.block_values);
    double worst = 0;
    for (size_t b = 0; b < s.view->s.blocks; b++) {
        const std::vector<uint32_t> unknowns(members.begin() + begin[b], members.begin() + begin[b + 1]);
        const size_t n = unknowns.size();
        const auto block = block_of(a, offsets, indices, values, unknowns, s.unit);
        for (size_t i = 0; i < n * n; i++) {
            double sum = i / n == i % n ? -1 : 0;
            for (size_t k = 0; k < n; k++) {
                const double inverse = inverses[first[b] + k * n + i % n];
                sum += block[i / n * n + k] * inverse / s.unit[unknowns[k]] / s.unit[unknowns[i % n]];
            }
            worst = std::isfinite(sum) ? std::max(worst, std::fabs(sum)) : INFINITY;
        }
    }
    return worst;
}

} // namespace

// The block preconditioner against the assembled matrix, whose entries are rounded to float32: their blocks of up to 24
// unknowns have conditions of some thousands.
TAUT_PLAIN_TEST(assembled, blocks_are_inverted) {
    if (no_device()) {
        return;
    }
    for (const taut_geometric_stiffness geometric : {TAUT_GEOMETRIC_NONE, TAUT_GEOMETRIC_FULL}) {
        oracle_scene scene{};
        taut_world_def def = taut_default_world();
        def.backend = TAUT_BACKEND_CUDA;
        def.integrator.geometric_stiffness = geometric;
        def.solver.preconditioner = TAUT_PRECONDITIONER_BLOCK;
        def.solver.block_size = 24;
        scene_mixed(&scene, 1e-5, 0.01);
        scene_rope_bending(&scene, scene_rope(&scene, 20, down, 0.02, soft), 20, soft);
        Setup s;
        if (s.open(&scene, def)) {
            CHECK(s.view->s.blocks > 3);
            CHECK_NEAR(worst_inverse(s), 0, 1e-3);
        }
        oracle_scene_free(&scene);
    }
}
