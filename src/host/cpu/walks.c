#define TAUT_REAL double
#include "host/cpu/cpu_walks.h"

#include "host/cpu/cpu_candidate_surfaces.h"
#include "host/cpu/cpu_registers.h"

static bool leaves_out(const walk_surfaces* w, uint32_t node) {
    if (w == NULL || w->choice == WALK_ALL) {
        return false;
    }
    const uint32_t of_node = w->of_node[node];
    return w->choice == WALK_OTHERS ? of_node == w->own : of_node != w->own && of_node != SURFACE_MIXED;
}

bool walk_together(const taut_tree* tree, const float box[6], const walk_surfaces* surfaces, met_boxes* met) {
    const box_query query = box_ask(box);
    met->count = 0;
    for (uint32_t i = 1; i != 0;) {
        const float* own = tree->box + 6 * (size_t)i;
        const bool meets = query_meets(&query, own) && !leaves_out(surfaces, i);
        if (meets && i < tree->leaves) {
            i *= 2;
            continue;
        }
        if (meets && met->count == WALK_MOST) {
            return false;
        }
        if (meets) {
            for (int a = 0; a < 3; a++) {
                met->low[a][met->count] = own[a];
                met->high[a][met->count] = own[3 + a];
            }
            met->item[met->count++] = tree->order[i - tree->leaves];
        }
        i = tree_skip(i);
    }
    return true;
}

TAUT_FN_HOT void compare(const float box[6], met_boxes* met) {
    const float l0 = box[0], l1 = box[1], l2 = box[2], h0 = box[3], h1 = box[4], h2 = box[5];
    for (uint32_t i = 0; i < met->count; i++) {
        met->meets[i] = (met->low[0][i] <= h0) & (met->high[0][i] >= l0) & (met->low[1][i] <= h1) &
                        (met->high[1][i] >= l1) & (met->low[2][i] <= h2) & (met->high[2][i] >= l2);
    }
}

static void compare_narrow(const float box[6], met_boxes* met) {
    compare(box, met);
}

CPU_WIDE static void compare_wide(const float box[6], met_boxes* met) {
    compare(box, met);
}

uint32_t walk_choose(const float box[6], met_boxes* met, uint32_t* near) {
    uint32_t count = 0;
    CPU_CHOOSE(compare)(box, met);
    for (uint32_t i = 0; i < met->count; i++) { /* without branches, which no processor could foresee */
        near[count] = met->item[i];
        count += met->meets[i];
    }
    return count;
}
