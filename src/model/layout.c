#include "model/layout.h"

#include "base/memory.h"
#include "model/hierarchy.h"

/* Hands out `bytes` at the next aligned place; with block NULL the pointer is NULL too. Fields without values have a
 * place as well, which may be passed on with a count of 0, or have c * 0 added; fields of absent kinds are NULL. */
static void* place(void* block, size_t* used, size_t bytes) {
    const size_t at = *used;
    *used += (bytes + TAUT_MEMORY_ALIGNMENT - 1) / TAUT_MEMORY_ALIGNMENT * TAUT_MEMORY_ALIGNMENT;
    return block != NULL ? (char*)block + at : NULL;
}

size_t taut_layout_pack(const taut_sizes* s, void* block, taut_fields* fields) {
    size_t used = 0;
#define PLACE_WORLD(type, name, count_, columns)                                                                       \
    fields->name = place(block, &used, (size_t)(count_) * (size_t)(columns) * sizeof(type));
    TAUT_WORLD_FIELDS(PLACE_WORLD)
    for (int k = 0; k < TAUT_KIND_COUNT; k++) {
        const taut_kind_shape* shape = &taut_kind_shapes[k];
#define PLACE_KIND(type, name, count_, columns)                                                                        \
    fields->kinds[k].name = s->count[k] > 0 && (count_) > 0                                                            \
                                ? place(block, &used, (size_t)(count_) * (size_t)(columns) * sizeof(type))             \
                                : NULL;
        TAUT_KIND_FIELDS(PLACE_KIND)
    }
    return used;
}

size_t taut_hierarchy_pack(taut_hierarchy* hierarchy, void* block, size_t used) {
#define PLACE_ARRAY(type, name, count, columns)                                                                        \
    at->name = place(block, &used, (size_t)(count) * (size_t)(columns) * sizeof(type));
    if (hierarchy->system.s.members > 0) {
        taut_system* at = &hierarchy->system;
        const taut_system_sizes* s = &at->s;
        TAUT_SYSTEM_FIELDS(PLACE_ARRAY)
    }
    for (uint32_t l = 0; l < hierarchy->count; l++) {
        taut_level* at = &hierarchy->level[l];
        const taut_level_sizes* s = &at->s;
        TAUT_LEVEL_FIELDS(PLACE_ARRAY)
    }
    return used;
}

size_t taut_given_rows(const taut_sizes* s) {
    const uint32_t of_contact =
        taut_kind_shapes[TAUT_CONTACT].rows + (s->rolls ? taut_kind_shapes[TAUT_ROLLING].rows : 0);
    return s->rows - (size_t)s->contact_capacity * of_contact;
}

taut_array taut_view_of(const taut_fields* f, const taut_sizes* s, taut_field field, bool on_device) {
    switch (field) {
    case TAUT_FIELD_POSITIONS:
        return (taut_array){
            s->nodes_move ? f->given_x : f->x, TAUT_FLOAT64, s->points, 3, 3 * sizeof(double), on_device};
    case TAUT_FIELD_POSITIONS_F32:
        return (taut_array){
            s->nodes_move ? f->given_x_f32 : f->x_f32, TAUT_FLOAT32, s->points, 3, 3 * sizeof(float), on_device};
    case TAUT_FIELD_VELOCITIES:
        return (taut_array){
            s->nodes_move ? f->given_v : f->v, TAUT_FLOAT64, s->points, 3, 3 * sizeof(double), on_device};
    case TAUT_FIELD_VIOLATIONS:
        return (taut_array){
            s->rows_move ? f->given_phi : f->phi, TAUT_FLOAT64, taut_given_rows(s), 1, sizeof(double), on_device};
    case TAUT_FIELD_ORIENTATIONS:
        return (taut_array){f->orientation, TAUT_FLOAT64, s->frames, 4, 4 * sizeof(double), on_device};
    case TAUT_FIELD_ANGULAR_VELOCITIES:
        return (taut_array){f->v + 3 * s->points, TAUT_FLOAT64, s->frames, 3, 3 * sizeof(double), on_device};
    default:
        return (taut_array){
            s->rows_move ? f->given_lam : f->lam, TAUT_FLOAT64, taut_given_rows(s), 1, sizeof(double), on_device};
    }
}

size_t taut_unknown_place(const taut_sizes* s, size_t count, size_t values, size_t c, size_t r) {
    return s->by_value ? r * count + c : values * c + r;
}

uint32_t taut_list_unknowns(const taut_sizes* s, taut_kind k, uint32_t c, uint32_t* out) {
    const taut_kind_shape* shape = &taut_kind_shapes[k];
    uint32_t count = 0;
    for (uint32_t r = 0; r < shape->rows; r++) {
        out[count++] = (uint32_t)(s->first_row[k] + taut_unknown_place(s, s->count[k], shape->rows, c, r));
    }
    for (uint32_t r = 0; s->has_factor_rows[k] && r < shape->factor_rows; r++) {
        out[count++] =
            (uint32_t)(s->first_factor_row[k] + taut_unknown_place(s, s->count[k], shape->factor_rows, c, r));
    }
    return count;
}
