#define TAUT_REAL double
#include "kernels/stages/contact/zones.h"

#include "kernels/cuda/build.cuh"
#include "kernels/cuda/crossings.cuh"

/* ---- trees: as the search for contacts has ordered them, with boxes of what moves -------------------------------- */

static __global__ void sweep_kernel(const __grid_constant__ taut_view view, const __grid_constant__ taut_fields was) {
    const size_t i = thread_index();
    if (i == 0) {
        view.control->zones.crosses = view.control->zones.solids = 0;
    }
    if (i < view.s.skins) {
        sweep_skin(&was, &view.f, &view.s, i);
    }
    if (i < view.s.deforming) {
        sweep_deforming(&was, &view.f, i);
    }
}

/* The tree of a mesh by one block of threads, as collide.cu has it. */
static __global__ void sweep_mesh_kernel(const __grid_constant__ taut_view view) {
    const taut_mesh* mesh = &view.f.mesh[blockIdx.x];
    for (uint32_t width = mesh->vertices > 0 ? mesh->leaves / 2 : 0; width > 0; width /= 2) {
        for (size_t i = width + threadIdx.x; i < 2 * (size_t)width; i += blockDim.x) {
            join_swept(&view.f, mesh, i);
        }
        __syncthreads();
    }
}

static __global__ void leaves_kernel(const __grid_constant__ taut_view view, const __grid_constant__ taut_fields was) {
    const size_t i = thread_index();
    const taut_fields* f = &view.f;
    if (i < view.s.colliders + (size_t)view.s.faces) {
        box_of_swept_item(&was, f, &view.s, f->face_order[i], f->face_box + 6 * (view.s.face_leaves + i));
    }
    if (i < view.s.edges) {
        box_of_swept_edge(&was, f, &view.s, f->edge_order[i], f->edge_box + 6 * (view.s.edge_leaves + i));
    }
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

/* Every writer of a flag writes the same. */
static __global__ void find_kernel(const __grid_constant__ taut_view view, const __grid_constant__ taut_fields was) {
    const size_t i = thread_index();
    if (i < crossing_finders(&view.s) && !view.control->unsound) {
        view.f.crossing_other[i] = find_crossing(&was, &view.f, &view.s, i).other;
        if (view.f.crossing_other[i] != TAUT_NO_NODE) {
            view.control->zones.crosses = 1;
            if (i >= first_solid(&view.s)) {
                view.control->zones.solids = 1;
            }
        }
    }
}

void cuda_find_crossings(const taut_view& view, taut_launch* launch) {
    const taut_fields was = fields_at_start(&view.f);
    const size_t finders = crossing_finders(&view.s), items = taut_tree_items(&view.s);
    const size_t moving = view.s.skins > view.s.deforming ? view.s.skins : view.s.deforming;
    TAUT_LAUNCH(launch, sweep_kernel, taut_grid(moving), view, was);
    if (view.s.deforming > 0) {
        TAUT_LAUNCH(launch, sweep_mesh_kernel, view.s.meshes, view);
    }
    TAUT_LAUNCH(launch, leaves_kernel, taut_grid(items), view, was);
    cuda_join_tree(view, TREE_OF_FACES, launch);
    cuda_join_tree(view, TREE_OF_EDGES, launch);
    TAUT_LAUNCH(launch, find_kernel, taut_grid(finders), view, was);
}

static __global__ void begin_kernel(const __grid_constant__ taut_view view, const taut_crossing_loops loops) {
    taut_zone_state* zones = &view.control->zones;
    for (int round = 0; round < TAUT_CROSSING_ROUNDS; round++) {
        view.f.crossing_count[round] = 0;
    }
    zones->round = 0;
    zones->held = zones->apart = 0;
    zones->rounds = taut_zone_begin(false);
    go_on(loops.rounds, true);
}

void cuda_begin_crossings(const taut_view& view, const taut_crossing_loops& loops, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, begin_kernel, view, loops);
}

static __device__ void hold(const taut_view& view, bool any, loop_handle zones) {
    taut_zone_state* state = &view.control->zones;
    if (any) {
        state->held = 1;
        state->rounds = taut_zone_begin(true);
        view.control->report.zones++;
    }
    go_on(zones, any);
}

static __global__ void judge_kernel(const __grid_constant__ taut_view view, const taut_crossing_loops loops) {
    taut_zone_state* state = &view.control->zones;
    const bool any = state->crosses && !view.control->unsound, again = any && state->round < TAUT_CROSSING_ROUNDS;
    state->before = view.control->guard;
    state->apart = any && !again && state->solids;
    hold(view, any && !again, loops.zones);
    go_on(loops.rounds, again);
    go_on(loops.again, again);
}

void cuda_judge_crossings(const taut_view& view, const taut_crossing_loops& loops, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, judge_kernel, view, loops);
}

static __global__ void overtaken_kernel(const __grid_constant__ taut_view view, loop_handle overtaken,
                                        loop_handle zones) {
    hold(view, view.control->zones.crosses != 0, zones);
    go_on(overtaken, false);
}

void cuda_judge_overtaken(const taut_view& view, loop_handle overtaken, loop_handle zones, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, overtaken_kernel, view, overtaken, zones);
}

/* ---- lists, in the order of finders ------------------------------------------------------------------------------ */

/* Zones that have not grown yet are none. */
static __global__ void flags_kernel(const __grid_constant__ taut_view view, bool zones) {
    const size_t i = thread_index(), finders = crossing_finders(&view.s);
    const taut_zone_rounds* rounds = &view.control->zones.rounds;
    if (i <= finders) {
        view.f.crossing_place[i] = i < finders && view.f.crossing_other[i] != TAUT_NO_NODE;
    }
    if (zones && i <= view.s.nodes && rounds->grown == 0 && rounds->stopped == 0) {
        view.f.zone[i] = TAUT_NO_NODE;
        view.f.zone_led[i] = 0;
    }
}

/* The place of the one after is larger where a finder would pass through something. */
static __device__ bool is_listed(const taut_view& view, size_t i) {
    return i < crossing_finders(&view.s) && view.f.crossing_place[i + 1] > view.f.crossing_place[i];
}

static __global__ void list_kernel(const __grid_constant__ taut_view view, const __grid_constant__ taut_fields was) {
    const size_t i = thread_index(), room = TAUT_CROSSING_ROOM(&view.s);
    const uint32_t round = view.control->zones.round;
    if (is_listed(view, i) && view.f.crossing_place[i] < room) {
        list_crossing(&was, &view.f, &view.s, i, round, view.f.crossing + round * room + view.f.crossing_place[i]);
    }
    if (i == 0) {
        const uint32_t all = view.f.crossing_place[crossing_finders(&view.s)];
        view.f.crossing_count[round] = all < room ? all : (uint32_t)room;
    }
}

void cuda_list_crossings(const taut_view& view, const taut_collide_scratch& scratch, taut_launch* launch) {
    const size_t finders = crossing_finders(&view.s) + 1;
    if (view.s.edges > 0) {
        cuda_leave_tangles(view, launch);
    }
    TAUT_LAUNCH(launch, flags_kernel, taut_grid(finders), view, false);
    cuda_scan(view.f.crossing_place, finders, scratch, launch);
    TAUT_LAUNCH(launch, list_kernel, taut_grid(finders), view, fields_at_start(&view.f));
}

static __global__ void again_kernel(const __grid_constant__ taut_view view, loop_handle again) {
    view.control->report.resolved += view.control->zones.round == 0;
    view.control->zones.round++;
    go_on(again, false);
}

void cuda_again_crossings(const taut_view& view, const taut_crossing_loops& loops, taut_launch* launch) {
    TAUT_LAUNCH_ONE(launch, again_kernel, view, loops.again);
}

/* ---- zones ------------------------------------------------------------------------------------------------------- */

static __global__ void gather_kernel(const __grid_constant__ taut_view view) {
    const size_t i = thread_index();
    if (is_listed(view, i)) {
        view.f.crossing_list[view.f.crossing_place[i]] = (uint32_t)i;
    }
}

/* By one thread, in the order of finders: there are few of them. */
static __global__ void grow_kernel(const __grid_constant__ taut_view view, const __grid_constant__ taut_fields was) {
    const taut_fields* f = &view.f;
    const uint32_t count = f->crossing_place[crossing_finders(&view.s)];
    bool grows = false;
    for (uint32_t i = 0; i < count && !view.control->zones.rounds.stops; i++) {
        const uint32_t finder = f->crossing_list[i];
        grows = zone_join_crossing(&was, f, &view.s, finder, f->crossing_other[finder]) || grows;
    }
    for (size_t n = view.s.points; grows && n-- > view.s.simple;) {
        zone_join_parents(f, &view.s, n);
    }
    view.control->zones.grew = grows;
}

/* Those of no zone come last. */
static __global__ void members_kernel(const __grid_constant__ taut_view view, uint32_t* roots, uint32_t* nodes) {
    const size_t n = thread_index();
    if (n < view.s.nodes) {
        roots[n] = in_zone(&view.f, &view.s, n) ? zone_root(view.f.zone, (uint32_t)n) : (uint32_t)view.s.nodes;
        nodes[n] = (uint32_t)n;
    }
}

/* How many members the zone has that begins at i; 0: none begins there. */
static __device__ size_t zone_at(const taut_view& view, const uint32_t* roots, size_t i) {
    size_t count = 0;
    if (i < view.s.nodes && roots[i] < view.s.nodes && (i == 0 || roots[i - 1] != roots[i])) {
        while (i + count < view.s.nodes && roots[i + count] == roots[i]) {
            count++;
        }
    }
    return view.control->zones.grew ? count : 0;
}

static __global__ void lead_kernel(const __grid_constant__ taut_view view, const uint32_t* roots,
                                   const uint32_t* nodes) {
    const size_t i = thread_index(), count = zone_at(view, roots, i);
    for (size_t k = 0; k < count; k++) {
        zone_tell_led(&view.f, nodes[i + k]);
    }
}

static __global__ void carry_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    if (n < view.s.nodes && view.control->zones.grew && in_zone(&view.f, &view.s, n)) {
        zone_carry(&view.f, &view.s, n);
    }
}

static __global__ void sum_kernel(const __grid_constant__ taut_view view, const uint32_t* roots,
                                  const uint32_t* nodes) {
    const size_t i = thread_index(), count = zone_at(view, roots, i);
    if (count > 0) {
        zone_sum(&view.f, &view.s, nodes + i, count);
    }
}

static __global__ void move_kernel(const __grid_constant__ taut_view view) {
    const size_t n = thread_index();
    const taut_zone_state* state = &view.control->zones;
    if (n < view.s.nodes && state->rounds.stops) {
        zone_stop(&view.f, &view.s, n, state->rounds.share);
    } else if (n < view.s.nodes && state->grew && in_zone(&view.f, &view.s, n)) {
        zone_move(&view.f, &view.s, n, view_factors(view).h);
    }
}

static __global__ void next_kernel(const __grid_constant__ taut_view view, loop_handle zones) {
    taut_zone_state* state = &view.control->zones;
    const bool moved = state->rounds.stops || state->grew;
    taut_zone_next(&state->rounds, moved, !moved || state->crosses);
    go_on(zones, state->rounds.goes_on);
}

void cuda_move_zones(const taut_view& view, loop_handle zones, const taut_collide_scratch& scratch,
                     taut_launch* launch) {
    const size_t finders = crossing_finders(&view.s) + 1, nodes = view.s.nodes;
    const size_t either = finders > nodes + 1 ? finders : nodes + 1;
    const uint32_t *roots, *members;
    TAUT_LAUNCH(launch, flags_kernel, taut_grid(either), view, true);
    cuda_scan(view.f.crossing_place, finders, scratch, launch);
    TAUT_LAUNCH(launch, gather_kernel, taut_grid(finders), view);
    TAUT_LAUNCH_ONE(launch, grow_kernel, view, fields_at_start(&view.f));
    TAUT_LAUNCH(launch, members_kernel, taut_grid(nodes), view, scratch.keys[0], scratch.values[0]);
    cuda_sort_items((uint32_t)nodes, cuda_key_bits(nodes), scratch, &roots, &members, launch);
    TAUT_LAUNCH(launch, lead_kernel, taut_grid(nodes), view, roots, members);
    TAUT_LAUNCH(launch, carry_kernel, taut_grid(nodes), view);
    TAUT_LAUNCH(launch, sum_kernel, taut_grid(nodes), view, roots, members);
    TAUT_LAUNCH(launch, move_kernel, taut_grid(nodes), view);
    cuda_evaluate(view, launch);
    cuda_find_crossings(view, launch);
    TAUT_LAUNCH_ONE(launch, next_kernel, view, zones);
}

/* ---- the end of a part ------------------------------------------------------------------------------------------- */

static __global__ void turn_kernel(const __grid_constant__ taut_view view) {
    const size_t c = thread_index();
    const taut_control* control = view.control;
    const bool kept = !control->unsound && control->guard.verdict == TAUT_VERDICT_KEPT;
    if (kept && c < view.f.contact_count[TAUT_CONTACTS_LIVE]) {
        turn_contact(&view.f, &view.s, c, control->zones.rounds.through);
    }
}

void cuda_turn_contacts(const taut_view& view, taut_launch* launch) {
    TAUT_LAUNCH(launch, turn_kernel, taut_grid(view.s.contact_capacity), view);
}
