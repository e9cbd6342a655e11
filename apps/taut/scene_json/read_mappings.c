/* Mappings of a scene file: points that depend on the vertices of objects and of earlier mappings. */
#include "base/array.h"
#include "scene_json/scene_parse.h"

#include <math.h>
#include <stdlib.h>

static const size_t max_mappings = 10000;

/* ---- masses --------------------------------------------------------------------------------------------------- */

static bool parse_masses(const json_node* mapping, scene_mapping* m) {
    json_node n;
    if (!json_find(mapping, "masses", &n)) {
        return true;
    }
    if (json_is_number(&n)) {
        return json_number(&n, json_not_negative, &m->mass);
    }
    if (!json_length(&n, 1, &m->mass_count)) {
        return false;
    }
    m->masses = array_new(m->mass_count, sizeof *m->masses, mapping->document->r);
    return m->masses && json_numbers(&n, m->mass_count, json_not_negative, m->masses);
}

/* ---- sums ----------------------------------------------------------------------------------------------------- */

static bool sum_new(const json_node* n, size_t groups, size_t terms, sum_spec* sum) {
    sum->count = groups;
    sum->offsets = array_new(groups + 1, sizeof *sum->offsets, n->document->r);
    sum->terms = array_new(terms, sizeof *sum->terms, n->document->r);
    return sum->offsets && sum->terms;
}

/* [REFERENCE, weight] */
static bool parse_term(const json_node* n, const scene_file* s, weighted_term* term) {
    size_t count = 0;
    if (!json_length(n, 2, &count)) {
        return false;
    }
    if (count != 2) {
        return json_fail(n, "must be [point, weight]");
    }
    const json_node point = json_element(n, 0), weight = json_element(n, 1);
    return parse_reference(&point, s, &term->point) && json_number(&weight, json_any, &term->weight);
}

static bool count_terms(const json_node* groups, size_t* out) {
    json_node group;
    bool ok = true;
    *out = 0;
    for (bool more = json_first(groups, &group); ok && more; more = json_next(&group)) {
        size_t count = 0;
        ok = json_length(&group, 1, &count);
        *out += count;
    }
    return ok;
}

/* "points": [[[REFERENCE, weight], ...], ...] */
static bool parse_combination(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    json_node groups, group, n;
    size_t count = 0, terms = 0;
    sum_spec* sum = &m->sum;
    bool ok = json_need(mapping, "points", &groups) && json_length(&groups, 1, &count) &&
              count_terms(&groups, &terms) && sum_new(mapping, count, terms, sum);
    terms = 0;
    for (bool more = ok && json_first(&groups, &group); ok && more; more = json_next(&group)) {
        for (bool inner = json_first(&group, &n); ok && inner; inner = json_next(&n)) {
            ok = parse_term(&n, s, &sum->terms[terms++]);
        }
        sum->offsets[group.index + 1] = terms;
    }
    return ok;
}

/* "pairs": [[REFERENCE, REFERENCE], ...]: the second minus the first. */
static bool parse_pair(const json_node* n, const scene_file* s, weighted_term terms[2]) {
    size_t count = 0;
    if (!json_length(n, 2, &count)) {
        return false;
    }
    if (count != 2) {
        return json_fail(n, "must be [point, point]");
    }
    const json_node a = json_element(n, 0), b = json_element(n, 1);
    terms[0].weight = -1;
    terms[1].weight = 1;
    return parse_reference(&a, s, &terms[0].point) && parse_reference(&b, s, &terms[1].point);
}

static bool parse_pairs(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    json_node pairs, n;
    size_t count = 0;
    bool ok = json_need(mapping, "pairs", &pairs) && json_length(&pairs, 1, &count) &&
              sum_new(mapping, count, 2 * count, &m->sum);
    for (bool more = ok && json_first(&pairs, &n); ok && more; more = json_next(&n)) {
        ok = parse_pair(&n, s, m->sum.terms + 2 * n.index);
        m->sum.offsets[n.index + 1] = 2 * (n.index + 1);
    }
    return ok;
}

/* ---- linear maps ---------------------------------------------------------------------------------------------- */

typedef struct linear_entry {
    size_t coordinate; /* 3 point + axis */
    size_t order;      /* in the file */
    weighted_term term;
} linear_entry;

/* [point, axis, REFERENCE, axis, weight] */
static bool parse_entry(const json_node* n, const scene_file* s, uint32_t count, linear_entry* entry) {
    size_t length = 0;
    uint64_t point = 0;
    unsigned axis = 0;
    if (!json_length(n, 5, &length)) {
        return false;
    }
    if (length != 5) {
        return json_fail(n, "must be [point, axis, [object, vertex], axis, weight]");
    }
    const json_node row = json_element(n, 0), to = json_element(n, 1), parent = json_element(n, 2),
                    from = json_element(n, 3), weight = json_element(n, 4);
    const bool ok = json_integer(&row, 0, count - (uint64_t)1, &point) && parse_axis(&to, &axis) &&
                    parse_reference(&parent, s, &entry->term.point) && parse_axis(&from, &entry->term.axis) &&
                    json_number(&weight, json_any, &entry->term.weight);
    entry->coordinate = 3 * (size_t)point + axis;
    entry->order = n->index;
    return ok;
}

static int by_coordinate(const void* left, const void* right) {
    const linear_entry* a = left;
    const linear_entry* b = right;
    if (a->coordinate != b->coordinate) {
        return a->coordinate < b->coordinate ? -1 : 1;
    }
    return (a->order > b->order) - (a->order < b->order);
}

static void sort_entries(linear_entry* entries, size_t count, sum_spec* sum) {
    qsort(entries, count, sizeof *entries, by_coordinate);
    for (size_t i = 0; i < count; i++) {
        sum->terms[i] = entries[i].term;
        sum->offsets[entries[i].coordinate + 1] = i + 1;
    }
    for (size_t c = 1; c <= sum->count; c++) { /* coordinates without entries */
        sum->offsets[c] = sum->offsets[c] > sum->offsets[c - 1] ? sum->offsets[c] : sum->offsets[c - 1];
    }
}

/* "count": points, "entries": see above. */
static bool parse_linear(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    json_node count_node, list, n;
    uint64_t count = 0;
    size_t entry_count = 0;
    if (!json_need(mapping, "count", &count_node) || !json_integer(&count_node, 1, SCENE_MAX_PARTICLES, &count) ||
        !json_need(mapping, "entries", &list) || !json_length(&list, 1, &entry_count)) {
        return false;
    }
    linear_entry* entries = array_new(entry_count, sizeof *entries, mapping->document->r);
    bool ok = entries && sum_new(mapping, 3 * (size_t)count, entry_count, &m->sum);
    for (bool more = ok && json_first(&list, &n); ok && more; more = json_next(&n)) {
        ok = parse_entry(&n, s, (uint32_t)count, &entries[n.index]);
    }
    if (ok) {
        sort_entries(entries, entry_count, &m->sum);
    }
    free(entries);
    return ok;
}

/* ---- points with places --------------------------------------------------------------------------------------- */

static bool parse_embedded(const json_node* mapping, scene_mapping* m) {
    json_node mesh, positions;
    const bool has_mesh = json_find(mapping, "mesh", &mesh);
    const bool has_positions = json_find(mapping, "positions", &positions);
    if (has_mesh == has_positions) {
        return json_fail(mapping, "needs either 'mesh' or 'positions'");
    }
    return parse_placement(mapping, &m->place) &&
           (has_mesh ? parse_mesh_path(&mesh, &m->embedding.mesh)
                     : json_points(&positions, 1, &m->embedding.positions, &m->embedding.count));
}

static bool parse_points(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    static const char* const axes[] = {"world", "body", NULL};
    json_node body;
    point_reference bound = {0};
    unsigned chosen = 0;
    const bool ok = json_need(mapping, "body", &body) && parse_body(&body, s, &bound) &&
                    json_choice_member(mapping, "axes", axes, &chosen) && parse_embedded(mapping, m);
    m->embedding.object = bound.object;
    m->embedding.body = bound.vertex;
    m->embedding.local = chosen == 1;
    return ok;
}

static bool parse_barycentric(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    static const char* const kinds[] = {"linear", "trilinear", NULL};
    json_node object;
    unsigned chosen = 0;
    const bool ok = json_need(mapping, "object", &object) && parse_object_name(&object, s, &m->embedding.object) &&
                    json_choice_member(mapping, "interpolation", kinds, &chosen) && parse_embedded(mapping, m);
    m->embedding.trilinear = chosen == 1;
    return ok;
}

/* A name stands for all bodies of that object. */
static size_t bodies_of(const json_node* n, const scene_file* s) {
    const char* name = NULL;
    size_t object = 0;
    const bool rigid =
        json_is_string(n) && json_string(n, &name) && find_object(s, name, &object) && rigid_of(s, object);
    return rigid ? rigid_of(s, object)->count : 1;
}

static bool parse_bodies(const json_node* mapping, const scene_file* s, embedding_spec* e) {
    json_node list, n;
    size_t length = 0, total = 0;
    if (!json_need(mapping, "bodies", &list) || !json_length(&list, 1, &length)) {
        return false;
    }
    for (bool more = json_first(&list, &n); more; more = json_next(&n)) {
        total += bodies_of(&n, s);
    }
    e->bodies = array_new(total, sizeof *e->bodies, mapping->document->r);
    bool ok = e->bodies != NULL;
    for (bool more = json_first(&list, &n); ok && more; more = json_next(&n)) {
        const size_t count = bodies_of(&n, s);
        point_reference* first = &e->bodies[e->body_count];
        if (count == 1) {
            ok = parse_body(&n, s, first);
        } else {
            ok = parse_object_name(&n, s, &first->object);
        }
        for (size_t i = 1; ok && i < count; i++) {
            first[i] = (point_reference){.object = first->object, .vertex = (uint32_t)i};
        }
        e->body_count += count;
    }
    return ok;
}

static bool check_bodies(const json_node* mapping, const scene_file* s, const embedding_spec* e) {
    for (size_t i = 0; i < e->body_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (e->bodies[i].object == e->bodies[j].object && e->bodies[i].vertex == e->bodies[j].vertex) {
                return json_fail_member(mapping, "bodies", "list body %u of '%.80s' twice", e->bodies[i].vertex,
                                        s->objects[e->bodies[i].object].name);
            }
        }
    }
    return true;
}

/* A row of weights per point, one for every body; they sum to 1. */
static bool parse_weights(const json_node* mapping, embedding_spec* e) {
    json_node n;
    size_t rows = 0;
    if (!json_find(mapping, "weights", &n)) {
        return true;
    }
    if (!json_rows(&n, e->body_count, 1, &e->weights, &rows)) {
        return false;
    }
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < e->body_count; k++) {
            sum += e->weights[i * e->body_count + k];
        }
        if (!(fabs(sum - 1) <= 1e-6)) {
            return json_fail(&n, "row %zu sums to %.9g, must sum to 1", i, sum);
        }
    }
    if (e->mesh) {
        e->count = rows; /* compared with the mesh when that is read */
        return true;
    }
    return rows == e->count || json_fail(&n, "must hold %zu rows as 'positions' does, holds %zu", e->count, rows);
}

static bool parse_skin(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    return parse_embedded(mapping, m) && parse_bodies(mapping, s, &m->embedding) &&
           check_bodies(mapping, s, &m->embedding) && parse_weights(mapping, &m->embedding);
}

/* ---- subsets -------------------------------------------------------------------------------------------------- */

static bool parse_subset(const json_node* mapping, const scene_file* s, scene_mapping* m) {
    return parse_selection(mapping, s, &m->subset);
}

/* ---- all mappings --------------------------------------------------------------------------------------------- */

typedef struct mapping_reader {
    bool (*parse)(const json_node* mapping, const scene_file* s, scene_mapping* m);
    const char* keys[16]; /* beside name, type and masses */
} mapping_reader;

#define EMBEDDING_KEYS "name", "type", "masses", PLACE_KEYS, "mesh", "positions", "contact"

static const mapping_reader readers[MAPPING_TYPE_COUNT] = {
    [MAPPING_POINTS] = {parse_points, {EMBEDDING_KEYS, "body", "axes"}},
    [MAPPING_COMBINATION] = {parse_combination, {"name", "type", "masses", "points"}},
    [MAPPING_SUBSET] = {parse_subset, {"name", "type", "masses", "object", "vertices", "box"}},
    [MAPPING_DIFFERENCE] = {parse_pairs, {"name", "type", "masses", "pairs"}},
    [MAPPING_DISTANCE] = {parse_pairs, {"name", "type", "pairs"}},
    [MAPPING_BARYCENTRIC] = {parse_barycentric, {EMBEDDING_KEYS, "object", "interpolation"}},
    [MAPPING_SKIN] = {parse_skin, {EMBEDDING_KEYS, "bodies", "weights"}},
    [MAPPING_LINEAR] = {parse_linear, {"name", "type", "masses", "count", "entries"}},
};

static bool parse_mapping(const json_node* n, const scene_file* s, scene_mapping* m) {
    static const char* const types[] = {"points",      "combination", "subset", "difference", "distance",
                                        "barycentric", "skin",        "linear", NULL};
    json_node type_node;
    unsigned type = 0;
    if (!json_is_object(n) || !json_need(n, "type", &type_node) || !json_choice(&type_node, types, &type)) {
        return false;
    }
    m->type = (mapping_type)type;
    return json_object(n, readers[type].keys) && parse_name(n, s, &m->name) && readers[type].parse(n, s, m) &&
           parse_masses(n, m) && parse_mapped_touching(n, s, m);
}

bool parse_mappings(const json_node* root, scene_file* s) {
    json_node list, n;
    size_t count = 0;
    if (!json_find(root, "mappings", &list)) {
        return true;
    }
    if (!json_length(&list, 0, &count)) {
        return false;
    }
    if (count > max_mappings) {
        return json_fail(&list, "holds %zu mappings, more than %zu", count, max_mappings);
    }
    s->mappings = array_new(count, sizeof *s->mappings, root->document->r);
    bool ok = s->mappings != NULL;
    for (bool more = json_first(&list, &n); ok && more; more = json_next(&n)) {
        scene_mapping read = {0}; /* not yet among those that names are looked up in */
        ok = parse_mapping(&n, s, &read);
        s->mappings[s->mapping_count++] = read;
    }
    return ok;
}
