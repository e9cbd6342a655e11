/* Mappings that are sums of other points: combinations, subsets, differences, distances and linear maps. */
#include "build/build_mappings.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what all mappings have ----------------------------------------------------------------------------------- */

bool build_masses(scene_builder* b, const scene_mapping* m, size_t count, double** out) {
    *out = NULL;
    if (!m->masses && m->mass == 0) {
        return true;
    }
    if (m->masses && m->mass_count != count) {
        return build_fail(b, ".masses", "holds %zu numbers for %zu points", m->mass_count, count);
    }
    double* masses = array_new(count, sizeof *masses, b->r);
    for (size_t i = 0; masses && i < count; i++) {
        masses[i] = m->masses ? m->masses[i] : m->mass;
    }
    *out = masses;
    return masses != NULL;
}

void build_mapped(scene_builder* b, taut_range range, built_object* out) {
    out->first_point = range.first;
    out->point_count = range.count;
    b->built->mapped_count += range.count;
}

/* ---- sums ----------------------------------------------------------------------------------------------------- */

typedef struct sum_arrays {
    uint32_t* parents; /* particles, or coordinates of linear maps */
    double* weights;
    double* masses; /* NULL: none */
    bool lengths;   /* among the parents */
} sum_arrays;

static void sum_arrays_free(sum_arrays* a) {
    free(a->parents);
    free(a->weights);
    free(a->masses);
}

/* Where a term stands in the file, which lists groups of terms, pairs of points or entries. */
static void name_term(const scene_mapping* m, size_t group, size_t term, char* out, size_t size) {
    if (m->type == MAPPING_COMBINATION) {
        (void)snprintf(out, size, ".points[%zu][%zu]", group, term);
    } else {
        (void)snprintf(out, size, "%s", m->type == MAPPING_LINEAR ? ".entries" : ".pairs");
    }
    if (m->type == MAPPING_DIFFERENCE || m->type == MAPPING_DISTANCE) {
        (void)snprintf(out, size, ".pairs[%zu][%zu]", group, term);
    }
}

static bool fill_terms(scene_builder* b, const scene_mapping* m, sum_arrays* a) {
    bool ok = true;
    for (size_t group = 0; ok && group < m->sum.count; group++) {
        const size_t first = m->sum.offsets[group];
        for (size_t i = first; ok && i < m->sum.offsets[group + 1]; i++) {
            const weighted_term* term = &m->sum.terms[i];
            char member[64];
            name_term(m, group, i - first, member, sizeof member);
            ok = build_point(b, member, &term->point, true, &a->parents[i]);
            a->weights[i] = term->weight;
            a->lengths |= b->built->objects[term->point.object].lengths;
        }
    }
    return ok;
}

static bool sum_arrays_make(scene_builder* b, const scene_mapping* m, size_t points, sum_arrays* out) {
    const size_t terms = m->sum.offsets[m->sum.count];
    out->parents = array_new(terms, sizeof *out->parents, b->r);
    out->weights = array_new(terms, sizeof *out->weights, b->r);
    return out->parents && out->weights && fill_terms(b, m, out) && build_masses(b, m, points, &out->masses);
}

/* A sum of places is a place; the difference of two is none, but nothing forbids to hold it like one. */
static bool add_sums(scene_builder* b, const scene_mapping* m, taut_range* range, built_object* out) {
    taut_combinations_def def = taut_default_combinations();
    sum_arrays a = {0};
    bool ok = build_room(b, m->sum.count) && sum_arrays_make(b, m, m->sum.count, &a);
    if (ok) {
        def.count = m->sum.count;
        def.offsets = m->sum.offsets;
        def.parents = a.parents;
        def.weights = a.weights;
        def.masses = a.masses;
        ok = build_check(b, "", taut_scene_add_combinations(b->built->scene, &def, range));
    }
    out->lengths = a.lengths;
    sum_arrays_free(&a);
    return ok;
}

static bool build_sum(scene_builder* b, const scene_mapping* m, built_object* out) {
    taut_range range;
    if (!add_sums(b, m, &range, out)) {
        return false;
    }
    build_mapped(b, range, out);
    return true;
}

/* The differences are points, too, without a name. */
static bool build_distances(scene_builder* b, const scene_mapping* m, built_object* out) {
    taut_norms_def def = taut_default_norms();
    taut_range differences, range;
    if (!add_sums(b, m, &differences, out) || !build_room(b, differences.count)) {
        return false;
    }
    const unnamed_nodes nodes = {.first_point = differences.first, .point_count = differences.count};
    uint32_t* parents = array_new(differences.count, sizeof *parents, b->r);
    for (uint32_t i = 0; parents && i < differences.count; i++) {
        parents[i] = differences.first + i;
    }
    def.count = differences.count;
    def.parents = parents;
    const bool ok = parents && build_unnamed(b, ".pairs", nodes) &&
                    build_check(b, ".pairs", taut_scene_add_norms(b->built->scene, &def, &range));
    free(parents);
    if (ok) {
        b->built->mapped_count += differences.count;
        build_mapped(b, range, out);
        out->lengths = true;
    }
    return ok;
}

static bool build_linear_map(scene_builder* b, const scene_mapping* m, built_object* out) {
    taut_linear_map_def def = taut_default_linear_map();
    taut_range range = {0};
    sum_arrays a = {0};
    bool ok = build_room(b, m->sum.count / 3) && sum_arrays_make(b, m, m->sum.count / 3, &a);
    if (ok) {
        for (size_t i = 0; i < m->sum.offsets[m->sum.count]; i++) {
            a.parents[i] = 3 * a.parents[i] + m->sum.terms[i].axis;
        }
        def.count = m->sum.count / 3;
        def.offsets = m->sum.offsets;
        def.coordinates = a.parents;
        def.weights = a.weights;
        def.masses = a.masses;
        ok = build_check(b, ".entries", taut_scene_add_linear_map(b->built->scene, &def, &range));
    }
    out->lengths = a.lengths;
    sum_arrays_free(&a);
    build_mapped(b, range, out);
    return ok;
}

/* ---- subsets -------------------------------------------------------------------------------------------------- */

static bool add_subset(scene_builder* b, const scene_mapping* m, const selection* s, built_object* out) {
    taut_combinations_def def = taut_default_combinations();
    taut_range range = {0};
    double* masses = NULL;
    bool ok = build_room(b, s->count) && build_masses(b, m, s->count, &masses);
    if (ok) {
        def.count = s->count;
        def.parents = s->particles;
        def.masses = masses;
        ok = build_check(b, "", taut_scene_add_combinations(b->built->scene, &def, &range));
    }
    free(masses);
    build_mapped(b, range, out);
    return ok;
}

static bool build_subset(scene_builder* b, const scene_mapping* m, built_object* out) {
    selection s = {0};
    const bool ok = build_selection(b, "", &m->subset, &s) && add_subset(b, m, &s, out);
    free(s.particles);
    out->lengths = b->built->objects[m->subset.object].lengths;
    return ok;
}

/* ---- all mappings --------------------------------------------------------------------------------------------- */

bool build_mapping(scene_builder* b, const scene_mapping* m, built_object* out) {
    switch (m->type) {
    case MAPPING_COMBINATION:
    case MAPPING_DIFFERENCE:
        return build_sum(b, m, out);
    case MAPPING_DISTANCE:
        return build_distances(b, m, out);
    case MAPPING_LINEAR:
        return build_linear_map(b, m, out);
    case MAPPING_SUBSET:
        return build_subset(b, m, out);
    case MAPPING_POINTS:
    case MAPPING_BARYCENTRIC:
    case MAPPING_SKIN:
        return build_embedding(b, m, out);
    case MAPPING_TYPE_COUNT:
        break;
    }
    return false;
}
