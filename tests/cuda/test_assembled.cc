// The assembled matrix of the solver against its matrix-free product, and against the public operator in float64;
// chains of linear mappings against products of sparse matrices.
#include "harness.h"
#include "kernels/cuda/assembled.cuh"

extern "C" {
#include "dense_matrix.h"
#include "host/world/world_data.h"
#include "scene_graph.h"
#include "small_scenes.h"
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

// With and without factor rows; without them and without a shift, S is the public operator's.
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
            CHECK_INT(s.view->s.factor_rows > 0,
                      geometric == TAUT_GEOMETRIC_FULL && s.view->s.unknowns > s.view->s.rows);
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

TAUT_PLAIN_TEST(assembled, frames_and_mapped_points_are_refused) {
    if (no_device()) {
        return;
    }
    taut_world_def def = taut_default_world();
    taut_world* world = nullptr;
    scene_graph graph;
    taut_assembled assembled{};
    def.backend = TAUT_BACKEND_CUDA;
    if (CHECK_OK(scene_graph_world(&def, &graph, &world)) && CHECK_OK(taut_world_linearise(world, h))) {
        const taut_view* view = cuda_backend_view(world->state);
        CHECK(view->s.nodes_move && view->s.rows_move); // what tests with this scene rely on
        CHECK_STATUS(assembled_open(*view, cuda_backend_stream(world->state), &assembled), TAUT_INVALID_ARGUMENT);
        CHECK(assembled.matrix.values == nullptr);
    }
    taut_world_destroy(world);
}

// ---- chains of linear mappings ----------------------------------------------------------------------------------

namespace {

constexpr uint32_t links = 3;

// Coordinates of one link's points from those of the points before; row by row, no column twice in a row.
struct Link {
    uint32_t points = 0, parents = 0;
    std::vector<size_t> offsets{0};
    std::vector<uint32_t> columns;
    std::vector<double> weights;
};

// Eighths up to 1: products of three and their sums are exact in float32, so that nothing needs a tolerance.
double random_weight(random_state* random) {
    const double eighths = std::floor(random_in(random, -8, 9));
    return (eighths != 0 ? eighths : 5) / 8;
}

// Entries per row: `least` to `least` + 3, of random columns.
Link random_link(random_state* random, size_t rows, uint32_t columns, uint32_t least) {
    Link link;
    for (size_t row = 0; row < rows; row++) {
        const auto count = least + static_cast<uint32_t>(random_in(random, 0, 4));
        const auto first = static_cast<uint32_t>(random_in(random, 0, columns));
        for (uint32_t i = 0; i < count; i++) {
            link.columns.push_back((first + 11 * i) % columns);
            link.weights.push_back(random_weight(random));
        }
        std::sort(link.columns.end() - count, link.columns.end());
        link.offsets.push_back(link.columns.size());
    }
    return link;
}

// Adds the points of a link behind `first`, whose points it maps.
taut_status add_map(taut_scene* scene, const Link& link, uint32_t first, taut_range* range) {
    taut_linear_map_def def = taut_default_linear_map();
    std::vector<uint32_t> coordinates(link.columns);
    for (uint32_t& q : coordinates) {
        q += 3 * first;
    }
    def.count = link.points;
    def.offsets = link.offsets.data();
    def.coordinates = coordinates.data();
    def.weights = link.weights.data();
    return taut_scene_add_linear_map(scene, &def, range);
}

taut_status add_combinations(taut_scene* scene, const Link& link, uint32_t first, taut_range* range) {
    taut_combinations_def def = taut_default_combinations();
    std::vector<uint32_t> parents(link.columns);
    for (uint32_t& p : parents) {
        p += first;
    }
    def.count = link.points;
    def.offsets = link.offsets.data();
    def.parents = parents.data();
    def.weights = link.weights.data();
    return taut_scene_add_combinations(scene, &def, range);
}

// Weights of points to those of their coordinates.
Link by_coordinate(const Link& link) {
    Link out;
    for (size_t row = 0; row < 3 * static_cast<size_t>(link.points); row++) {
        for (size_t e = link.offsets[row / 3]; e < link.offsets[row / 3 + 1]; e++) {
            out.columns.push_back(3 * link.columns[e] + static_cast<uint32_t>(row % 3));
            out.weights.push_back(link.weights[e]);
        }
        out.offsets.push_back(out.columns.size());
    }
    out.points = link.points;
    out.parents = link.parents;
    return out;
}

// Particles 0 to `particles` and three links, the k-th a combination where bit k of `combined` is set. Their matrices,
// and the last points.
bool build_chain(uint32_t combined, uint32_t particles, taut_scene* scene, std::vector<Link>* matrices,
                 taut_range* last) {
    random_state random{100 + combined};
    std::vector<double> x(3 * static_cast<size_t>(particles));
    taut_particles_def def = taut_default_particles();
    random_fill(&random, -1, 1, x.size(), x.data());
    def.count = particles;
    def.positions = x.data();
    bool good = CHECK_OK(taut_scene_add_particles(scene, &def, last));
    for (uint32_t k = 0; good && k < links; k++) {
        const bool points = (combined >> k & 1) != 0;
        const uint32_t first = last->first, parents = last->count, count = 12 + 3 * k;
        Link link = random_link(&random, points ? count : 3 * count, points ? parents : 3 * parents, points ? 1 : 0);
        link.points = count;
        link.parents = parents;
        good = CHECK_OK((points ? add_combinations : add_map)(scene, link, first, last));
        matrices->push_back(points ? by_coordinate(link) : link);
    }
    return good;
}

bool upload_link(const Link& link, taut_csr* out) {
    const std::vector<int> offsets(link.offsets.begin(), link.offsets.end());
    const std::vector<int> indices(link.columns.begin(), link.columns.end());
    const Floats values(link.weights.begin(), link.weights.end());
    const int rows = static_cast<int>(3 * link.points), columns = static_cast<int>(3 * link.parents);
    if (!CHECK_OK(csr_allocate(rows, columns, static_cast<int>(indices.size()), out))) {
        return false;
    }
    const auto copy = [](void* to, const void* from, size_t bytes) {
        return CHECK_INT(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), cudaSuccess);
    };
    return copy(out->offsets, offsets.data(), offsets.size() * sizeof(int)) &&
           copy(out->indices, indices.data(), indices.size() * sizeof(int)) &&
           copy(out->values, values.data(), values.size() * sizeof(float));
}

std::vector<double> dense_of(const taut_csr& a) {
    const auto offsets = download_all(a.offsets, static_cast<size_t>(a.rows) + 1);
    const auto indices = download_all(a.indices, static_cast<size_t>(a.nonzeros));
    const auto values = download_all(a.values, static_cast<size_t>(a.nonzeros));
    const auto columns = static_cast<size_t>(a.columns);
    std::vector<double> out(static_cast<size_t>(a.rows) * columns);
    for (size_t row = 0; row < static_cast<size_t>(a.rows); row++) {
        for (int e = offsets[row]; e < offsets[row + 1]; e++) {
            out[row * columns + static_cast<size_t>(indices[e])] += static_cast<double>(values[e]);
        }
    }
    return out;
}

// The product of all of them by cuSPARSE, the last one leftmost; empty after a failure.
std::vector<double> product_of(const std::vector<Link>& matrices, cudaStream_t stream) {
    taut_sparse sparse{};
    taut_csr product{};
    bool good = CHECK_OK(sparse_open(&sparse, stream)) && upload_link(matrices[0], &product);
    for (size_t k = 1; good && k < matrices.size(); k++) {
        taut_csr left{}, both{};
        good = upload_link(matrices[k], &left) && CHECK_OK(sparse_product(&sparse, &left, &product, &both));
        csr_free(&left);
        csr_free(&product);
        product = both;
    }
    const std::vector<double> out = good ? dense_of(product) : std::vector<double>();
    csr_free(&product);
    sparse_close(&sparse);
    return out;
}

// What the world's entries on the device say of `points`, in the user's numbers, as a matrix over the particles.
std::vector<double> composed(taut_world* world, taut_range points, uint32_t particles) {
    const taut_view* view = cuda_backend_view(world->state);
    const taut_sizes& s = view->s;
    const auto begin = download_all(view->f.map_begin, s.points - s.simple + 1);
    const auto parent = download_all(view->f.map_parent, s.map_entries);
    const auto code = download_all(view->f.map_code, s.map_entries);
    const auto local = download_all(view->f.map_local, 3 * s.map_entries);
    std::vector<uint32_t> given(s.points); // number that the user knows a point by
    for (uint32_t n = 0; n < s.points; n++) {
        given[world_node(world, n)] = n;
    }
    std::vector<double> out(9 * static_cast<size_t>(points.count) * particles);
    const auto add = [&](size_t i, uint32_t to, uint32_t n, uint32_t from, double weight) {
        CHECK(n < particles); // of no other mapped point
        out[(3 * i + to) * 3 * particles + 3 * n + from] += weight;
    };
    for (size_t i = 0; i < points.count; i++) {
        const size_t m = world_node(world, points.first + i) - s.simple;
        for (uint32_t e = begin[m]; e < begin[m + 1]; e++) {
            const uint32_t n = given[parent[e]];
            const bool whole = TAUT_MAP_TYPE(code[e]) == TAUT_MAP_SCALE;
            for (uint32_t a = 0; whole && a < 3; a++) {
                add(i, a, n, a, local[3 * e]);
            }
            if (!whole) {
                CHECK_INT(TAUT_MAP_TYPE(code[e]), TAUT_MAP_COMPONENT);
                add(i, TAUT_MAP_TO(code[e]), n, TAUT_MAP_FROM(code[e]), local[3 * e]);
            }
        }
    }
    return out;
}

void check_chain(uint32_t combined) {
    constexpr uint32_t particles = 14;
    taut_scene_def scene_def = taut_default_scene();
    taut_world_def def = taut_default_world();
    taut_scene* scene = nullptr;
    taut_world* world = nullptr;
    std::vector<Link> matrices;
    taut_range last{};
    def.backend = TAUT_BACKEND_CUDA;
    if (CHECK_OK(taut_scene_create(&scene_def, &scene)) && build_chain(combined, particles, scene, &matrices, &last) &&
        CHECK_OK(taut_world_create(scene, &def, &world))) {
        const auto expected = product_of(matrices, cuda_backend_stream(world->state));
        const auto entries = composed(world, last, particles);
        CHECK(expected.size() == entries.size() && dense_max(entries.size(), entries.data()) > 0.5);
        CHECK_NEAR(dense_max_difference(std::min(expected.size(), entries.size()), entries.data(), expected.data()), 0,
                   0);
    }
    taut_world_destroy(world);
    taut_scene_destroy(scene);
}

} // namespace

// Chains of three random mappings, of points and of coordinates in every order, as the library multiplies them out,
// against the products of their matrices by cuSPARSE.
TAUT_PLAIN_TEST(assembled, chains_of_mappings) {
    if (no_device()) {
        return;
    }
    for (uint32_t combined = 0; combined < 1U << links; combined++) {
        test_note("combinations at %u", combined);
        check_chain(combined);
    }
    test_note(nullptr);
}
