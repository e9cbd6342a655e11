/* What one constraint or one node does in a stage, for both backends: they differ in their loops only.
 *
 * Text for a file that has defined TAUT_REAL. Items of the kinds are named like evaluate_distance; the tables at the
 * end of each file of this folder dispatch over kinds. */
#ifndef TAUT_STAGES_ITEMS_H
#define TAUT_STAGES_ITEMS_H

#include "kernels/formulas/kinds.h"
#include "kernels/stages/nodes.h"
#include "model/factors.h"
#include "model/hierarchy.h"
#include "model/layout.h"

/* Number of `real` values in a struct of a formula header. */
#define VALUES(type) (sizeof(type) / sizeof(real))

TAUT_FN void load(const float* stored, size_t count, real* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = stored[i];
    }
}

TAUT_FN void store(const real* values, size_t count, float* out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = (float)values[i];
    }
}

/* Whether a node is fixed and moves: what holds it does work. */
TAUT_FN bool is_carried(const taut_fields* f, const taut_sizes* s, size_t n) {
    const double* v = f->v + 3 * n;
    return f->inverse_mass[n] == 0 && !taut_is_mapped(s, n) && v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 0;
}

/* Whether constraint c is a velocity row: its phi is 0, and its rest value the speed that it asks for. */
TAUT_FN bool asks_for_speed(const taut_kind_fields* f, size_t c) {
    return f->law != NULL && f->law[c] == TAUT_LAW_VELOCITY;
}

/* Kinds of joints whose velocity rows are motors. */
TAUT_FN bool may_be_motor(int k) {
    return k == (int)TAUT_PRISMATIC || k == (int)TAUT_ANGULAR;
}

TAUT_FN double asked_speed(const taut_kind_fields* f, int k, size_t c) {
    return f->rest[k == (int)TAUT_PRISMATIC ? prismatic_REST * c : k == (int)TAUT_ANGULAR ? angular_REST * c : c];
}

/* Length of an array with a value per row, of kinds without rows, too. */
#define ROW_SPACE TAUT_SPACE(K(ROWS))

/* For the text of a kind. Of the Jacobian's struct: the values that products use, which come first, and what is stored
 * of a constraint. */
#define PRODUCT_VALUES (VALUES(K(jacobian)) - K(AUX))
#define RECORD_VALUES  ((size_t)OF_KIND(taut_record))

/* taut_record_distance and so on. */
#define TAUT_RECORD_CONSTANT(name, k)                                                                                  \
    taut_record_##name = TAUT_RECORD(VALUES(name##_jacobian) - name##_AUX, name##_ROWS),
enum { TAUT_FORMULA_KINDS(TAUT_RECORD_CONSTANT) };
#undef TAUT_RECORD_CONSTANT

#define TAUT_KIND_TEXT "kernels/stages/items_kind.h"
#include "kernels/formulas/for_each_kind.h"

/* Place of value r of constraint c among the unknowns of `count` constraints with `values` each. On the host they lie
 * side by side; on a device each value has an array of its own, so that neighbouring threads use neighbouring memory.
 * taut_unknown_place says the same to the host. */
TAUT_FN size_t place_of(size_t count, size_t values, size_t c, size_t r) {
#ifdef __CUDA_ARCH__
    (void)values;
    return r * count + c;
#else
    (void)count;
    return values * c + r;
#endif
}

/* Its inverses: the item and the value that are at a place. */
TAUT_FN size_t item_of(size_t count, size_t values, size_t at) {
#ifdef __CUDA_ARCH__
    (void)values;
    return at % count;
#else
    (void)count;
    return at / values;
#endif
}

TAUT_FN size_t value_of(size_t count, size_t values, size_t at) {
#ifdef __CUDA_ARCH__
    (void)values;
    return at / count;
#else
    (void)count;
    return at % values;
#endif
}

/* Row r of contact c. */
TAUT_FN size_t row_of_contact(const taut_sizes* s, size_t c, size_t r) {
    return s->first_row[TAUT_CONTACT] + place_of(s->count[TAUT_CONTACT], contact_ROWS, c, r);
}

/* m: what two contact points or corners of surfaces keep between them. */
TAUT_FN double thickness_of_pair(const taut_fields* f, size_t a, size_t b) {
    return f->touching_place[a].radius + f->touching_place[b].radius;
}

#define TAUT_DEFINE_MOVES(type, suffix)                                                                                \
    /* The unknowns of constraint c from and to an array of all of its kind. */                                        \
    TAUT_FN void load_unknowns_##suffix(const type* all, size_t count, size_t values, size_t c, type* out) {           \
        for (size_t r = 0; r < values; r++) {                                                                          \
            out[r] = all[place_of(count, values, c, r)];                                                               \
        }                                                                                                              \
    }                                                                                                                  \
    TAUT_FN void store_unknowns_##suffix(const type* in, size_t count, size_t values, size_t c, type* all) {           \
        for (size_t r = 0; r < values; r++) {                                                                          \
            all[place_of(count, values, c, r)] = in[r];                                                                \
        }                                                                                                              \
    }
TAUT_DEFINE_MOVES(double, f64)
TAUT_DEFINE_MOVES(float, f32)
TAUT_DEFINE_MOVES(real, real)
#undef TAUT_DEFINE_MOVES

/* Numbers of a constraint's nodes. A device loads them at once: their array is aligned. */
TAUT_FN void load_nodes(const uint32_t* stored, size_t count, uint32_t* out) {
#ifdef __CUDA_ARCH__
    if (count == 2) {
        const uint2 pair = *(const uint2*)stored;
        out[0] = pair.x;
        out[1] = pair.y;
        return;
    }
    if (count == 4) {
        const uint4 four = *(const uint4*)stored;
        out[0] = four.x;
        out[1] = four.y;
        out[2] = four.z;
        out[3] = four.w;
        return;
    }
#endif
    for (size_t i = 0; i < count; i++) {
        out[i] = stored[i];
    }
}

/* Vectors of a constraint's nodes. */
TAUT_FN void gather(const real* vectors, size_t stride, const uint32_t* nodes, size_t count, real out[][3]) {
    uint32_t number[contact_NODES];
    load_nodes(nodes, count, number);
    for (size_t i = 0; i < count; i++) {
        load_vector(vectors, stride, number[i], out[i]);
    }
}

/* What the formula of a kind reads of a constraint's nodes, `state` values each: positions, or quaternions of frames.
 */
TAUT_FN void gather_state(const taut_fields* f, const taut_sizes* s, const uint32_t* nodes, size_t count, size_t state,
                          double* x) {
    for (size_t i = 0; i < count; i++) {
        const size_t n = nodes[i];
        const bool frame = n >= s->points;
        const double* from = frame ? f->orientation + 4 * (n - s->points) : f->x + 3 * n;
        for (size_t a = 0; a < state; a++) {
            x[state * i + a] = frame || a < 3 ? from[a] : 0;
        }
    }
}

/* Position of (r, c) in a packed symmetric block. */
TAUT_FN size_t packed_index(size_t r, size_t c) {
    return r >= c ? r * (r + 1) / 2 + c : c * (c + 1) / 2 + r;
}

/* Keeps C/(h l) inside float32; a row this soft carries no force. */
#define TAUT_SOFTEST 1e30

/* Whether unknown i is solved by the condensed system, or beside it. */
TAUT_FN bool is_condensed(const taut_fields* f, const taut_sizes* s, size_t i) {
    return s->condensed && f->condensed[i] != TAUT_NOT_CONDENSED;
}

/* Whether it is of a heap that is solved beside it. */
TAUT_FN bool is_apart(const taut_fields* f, const taut_sizes* s, size_t i) {
    return s->condensed && f->condensed[i] == TAUT_APART;
}

/* Whether it is one of H. */
TAUT_FN bool is_in_system(const taut_fields* f, const taut_sizes* s, size_t i) {
    return is_condensed(f, s, i) && !is_apart(f, s, i);
}

/* Whether there are only points with constraints of the kinds that concern points alone. */
TAUT_FN bool is_plain_scene(const taut_sizes* s) {
    return s->simple == s->nodes && !s->loads && !s->touches;
}

/* Whether there are constraints that come and go: contacts, and what is added to a running world. */
TAUT_FN bool is_changing(const taut_sizes* s) {
    return s->touches || s->reserved_unknowns > 0;
}

/* Whether products read the matrix of level 0: it is whole, and on the device what comes and goes acts on no mapped
 * point whose force would have to reach its parents. */
TAUT_FN bool is_assembled(const taut_hierarchy* hierarchy, const taut_sizes* s) {
    return hierarchy->count > 0 && hierarchy->whole &&
           (s->active_levels == 0 || s->mapped_given || s->carries || !is_changing(s));
}

/* Whether a kind is that of force elements; they stand behind one another. */
#define TAUT_FIRST_LOAD_KIND TAUT_SOLID
TAUT_FN bool is_load_kind(int k) {
    return k >= (int)TAUT_FIRST_LOAD_KIND && k < (int)TAUT_LINEAR;
}

/* The weight of row i in sums of squares: the inverse diagonal of S, whichever method solves for it. */
TAUT_FN double row_norm(const taut_fields* f, const taut_sizes* s, size_t i) {
    return is_condensed(f, s, i) ? f->condensed_norm[i] : f->inverse_diagonal[i];
}

/* Whether constraint c has been removed, or not been added yet. */
TAUT_FN bool is_absent(const taut_kind_fields* f, size_t c) {
    return f->law != NULL && f->law[c] == TAUT_LAW_ABSENT;
}

/* Whether row i has no law in this system: its W = TAUT_SOFTEST lets no force pass. The diagonal of S must be known. */
TAUT_FN bool is_void(const taut_fields* f, const taut_sizes* s, size_t i) {
    const double norm = row_norm(f, s, i);
    return norm > 0 && norm < 2 / TAUT_SOFTEST;
}

/* Kind of a member as the compiled structures number them (constraints of the scene, counted through all kinds in
 * order), and its number within the kind. */
TAUT_FN int kind_of_given(const taut_sizes* s, size_t member, size_t* index) {
    int k = 0;
    while (member >= s->count[k] - s->reserved[k]) {
        member -= s->count[k] - s->reserved[k];
        k++;
    }
    *index = member;
    return k;
}

/* The same of a member of all constraints, with reserved places. */
TAUT_FN int kind_of_member(const taut_sizes* s, size_t member, size_t* index) {
    int k = 0;
    while (member >= s->count[k]) {
        member -= s->count[k++];
    }
    *index = member;
    return k;
}

#endif
