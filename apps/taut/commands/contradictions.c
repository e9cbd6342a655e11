#include "commands/contradictions.h"

#include "base/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t most_named = 4;

static void append(char* text, size_t size, const char* more) {
    const size_t length = strlen(text);
    (void)snprintf(text + length, size - length, "%s", more);
}

bool contradictions_tell(const taut_world* world, const built_scene* built, char* sentence, size_t size) {
    size_t rows = 0, batches = 0;
    char places[400] = "";
    for (size_t i = 0; i < built->source_count; i++) {
        size_t count = 0;
        if (taut_world_contradicting_rows(world, (taut_batch){(uint32_t)i + 1}, 0, NULL, &count) != TAUT_OK || !count) {
            continue;
        }
        if (batches++ < most_named) {
            char place[128];
            (void)snprintf(place, sizeof place, "%s%s (%zu)", batches > 1 ? ", " : "", built->sources[i].place, count);
            append(places, sizeof places, place);
        }
        rows += count;
    }
    (void)snprintf(
        sentence, size,
        "%zu rows that are hard, or as good as hard, may contradict each other, in %s%s: steps give the motion "
        "of least squares, which a larger \"compliance\" makes exact",
        rows, places, batches > most_named ? " and others" : "");
    return rows > 0;
}

/* ---- the start ------------------------------------------------------------------------------------------------ */

/* Of an object's length; and what nobody sees, m, for points alone. */
static const double far_apart = 0.01, unseen = 1e-6;
/* m: above what files round, and what pins lose that come to the same place. */
static const double fixed_off = 1e-4;

/* The constraint of the file that a batch is, where it is a hard one between two points; NULL: another. */
static const pair_spec* hard_pair(const scene_file* file, const batch_source* source) {
    static const char list[] = "constraints[";
    const size_t before = sizeof list - 1;
    char* end = NULL;
    const size_t index = strncmp(source->place, list, before) == 0 ? strtoul(source->place + before, &end, 10) : 0;
    if (!end || strcmp(end, "]") != 0 || index >= file->constraint_count) {
        return NULL;
    }
    const scene_constraint* c = &file->constraints[index];
    const bool pair = c->type == CONSTRAINT_ATTACH || c->type == CONSTRAINT_DISTANCE;
    return pair && !(c->as.pair.law.compliance > 0) ? &c->as.pair : NULL;
}

/* Whether a row with bounds pushes or pulls against its violation with any force: what is slack does not, nor what
 * drives. */
static bool resists(const spring_law* law, double violation) {
    return !law->bounded || (violation > 0 ? isinf(law->lower) : isinf(law->upper));
}

/* m; of three rows at most. */
static double violation_of(taut_world* world, taut_batch batch, const spring_law* law) {
    taut_range rows = {0};
    double phi[3] = {0};
    const bool ok = taut_world_batch_rows(world, batch, &rows) == TAUT_OK && rows.count <= 3 &&
                    taut_world_read(world, TAUT_FIELD_VIOLATIONS, rows.first, rows.count, phi) == TAUT_OK;
    for (size_t r = 0; r < 3; r++) {
        phi[r] = resists(law, phi[r]) ? phi[r] : 0;
    }
    return ok ? sqrt(vector_dot(phi, phi)) : 0;
}

static double allowed(const scene_file* file, const object_survey* surveys, const pair_spec* pair) {
    double length = 0;
    for (int i = 0; i < 2; i++) {
        const size_t object = pair->ends[i].object;
        if (object < file->object_count) {
            length = fmax(length, survey_length(&surveys[object]));
        }
    }
    return fmax(far_apart * length, unseen);
}

/* Those that do not hold: how many, and the one that is farthest from it. */
typedef struct pairs_apart {
    size_t count;
    const char* place;
    double most; /* m */
} pairs_apart;

static void note_apart(pairs_apart* apart, const batch_source* source, double off) {
    apart->count++;
    apart->place = off > apart->most ? source->place : apart->place;
    apart->most = fmax(apart->most, off);
}

/* Whether there are any; `points`, `when` and what is to be said of them as they stand in the sentence. */
static bool tell_apart(const pairs_apart* apart, const char* points, const char* when, const char* rest, char* sentence,
                       size_t size) {
    (void)snprintf(sentence, size,
                   "%zu hard constraint%s between %s %s not hold at the %s, most of all %s, by %.3g m, %s",
                   apart->count, apart->count == 1 ? "" : "s", points, apart->count == 1 ? "does" : "do", when,
                   apart->place, apart->most, rest);
    return apart->count > 0;
}

bool starts_apart_tell(taut_world* world, const scene_file* file, const built_scene* built,
                       const object_survey* surveys, char* sentence, size_t size) {
    pairs_apart apart = {.place = ""};
    for (size_t i = 0; i < built->source_count; i++) {
        const pair_spec* pair = hard_pair(file, &built->sources[i]);
        const double off = pair ? violation_of(world, (taut_batch){(uint32_t)i + 1}, &pair->law) : 0;
        if (off > unseen && off > allowed(file, surveys, pair)) {
            note_apart(&apart, &built->sources[i], off);
        }
    }
    char rest[128];
    (void)snprintf(rest, sizeof rest,
                   "and closes within %.3g s (\"closing_time\"): move the objects, if that is not meant",
                   file->world.integrator.closing_time);
    return tell_apart(&apart, "points", "start", rest, sentence, size);
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

static bool is_fixed(const scene_file* file, const built_scene* built, const point_reference* end) {
    return end->object < file->object_count && built->fixed[built->objects[end->object].first_point + end->vertex];
}

bool fixed_apart_tell(taut_world* world, const scene_file* file, const built_scene* built, char* sentence,
                      size_t size) {
    pairs_apart apart = {.place = ""};
    for (size_t i = 0; i < built->source_count; i++) {
        const pair_spec* pair = hard_pair(file, &built->sources[i]);
        if (pair && is_fixed(file, built, &pair->ends[0]) && is_fixed(file, built, &pair->ends[1])) {
            const double off = violation_of(world, (taut_batch){(uint32_t)i + 1}, &pair->law);
            if (off > fixed_off) {
                note_apart(&apart, &built->sources[i], off);
            }
        }
    }
    return tell_apart(&apart, "two fixed points", "end",
                      "which no motion can close: unpin one of the two points, or leave the constraint out", sentence,
                      size);
}
