#include "build/frame_points.h"
#include "build/scene_survey.h"
#include "build/scene_warnings.h"
#include "commands/contradictions.h"
#include "commands/limits.h"
#include "commands/make_world.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>

static const char check_help[] =
    "taut check SCENE.json [options]   reads and validates a scene without simulating it;\n"
    "                                one of up to 100,000 points is set up, too\n"
    "  --json                          prints one JSON object\n" LIMITS_HELP;

typedef struct scene_counts {
    size_t particles;
    size_t bodies;
    size_t pieces; /* of rods */
} scene_counts;

static scene_counts count_nodes(const scene_file* file, const built_scene* built) {
    scene_counts c = {0};
    for (size_t i = 0; i < file->object_count; i++) {
        const built_object* o = &built->objects[i];
        c.bodies += o->rigid ? o->point_count : 0;
        c.particles += o->rigid ? 0 : o->point_count;
        c.pieces += o->rigid ? 0 : o->frame_count;
    }
    return c;
}

/* "3 bodies, " where there are any. */
static void print_some(size_t count, const char* one, const char* many) {
    if (count) {
        printf("%zu %s, ", count, count == 1 ? one : many);
    }
}

static void print_text(const scene_file* file, const built_scene* built) {
    const scene_counts c = count_nodes(file, built);
    printf("%s: good: %zu object%s, %zu particles (%zu fixed), ", file->path, file->object_count,
           file->object_count == 1 ? "" : "s", c.particles, built->fixed_count);
    print_some(c.bodies, "body", "bodies");
    print_some(c.pieces, "piece of rods", "pieces of rods");
    print_some(built->mapped_count, "mapped point", "mapped points");
    print_some(built->touching_count, "contact point", "contact points");
    print_some(built->face_count, "touching face", "touching faces");
    print_some(built->collider_count, "collider", "colliders");
    printf("%zu constraint rows, %u frames at %g a second\n", taut_scene_row_count(built->scene), file->frames,
           file->fps);
}

static cJSON* json_counts(const scene_file* file, const built_scene* built) {
    const scene_counts c = count_nodes(file, built);
    cJSON* line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "scene", file->path);
    cJSON_AddNumberToObject(line, "objects", (double)file->object_count);
    cJSON_AddNumberToObject(line, "particles", (double)c.particles);
    cJSON_AddNumberToObject(line, "fixed", (double)built->fixed_count);
    cJSON_AddNumberToObject(line, "bodies", (double)c.bodies);
    cJSON_AddNumberToObject(line, "rod_pieces", (double)c.pieces);
    cJSON_AddNumberToObject(line, "mapped_points", (double)built->mapped_count);
    cJSON_AddNumberToObject(line, "touching_points", (double)built->touching_count);
    cJSON_AddNumberToObject(line, "touching_faces", (double)built->face_count);
    cJSON_AddNumberToObject(line, "colliders", (double)built->collider_count);
    cJSON_AddNumberToObject(line, "rows", (double)taut_scene_row_count(built->scene));
    cJSON_AddNumberToObject(line, "frames", file->frames);
    cJSON_AddNumberToObject(line, "fps", file->fps);
    return line;
}

/* ---- sizes ---------------------------------------------------------------------------------------------------- */

static const size_t most_listed = 50;

static void print_survey(const scene_object* o, const object_survey* s) {
    if (s->mass <= 0 && survey_length(s) <= 0) {
        return; /* a plane */
    }
    printf("  %s: %.4g x %.4g x %.4g m", o->name, s->size[0], s->size[1], s->size[2]);
    if (s->mass > 0) {
        printf(", %.4g kg", s->mass);
    }
    if (s->edges[1] > 0) {
        printf(", edges of %.3g to %.3g m", s->edges[0], s->edges[1]);
    }
    if (s->hangs) {
        printf(", stretches by %.3g %% where it hangs by its own weight", 100 * s->stretch);
    }
    putchar('\n');
}

static void print_surveys(const scene_file* file, const object_survey* surveys) {
    for (size_t i = 0; i < file->object_count && i < most_listed; i++) {
        print_survey(&file->objects[i], &surveys[i]);
    }
    if (file->object_count > most_listed) {
        printf("  and %zu more objects\n", file->object_count - most_listed);
    }
}

static cJSON* json_survey(const scene_object* o, const object_survey* s) {
    cJSON* one = cJSON_CreateObject();
    cJSON_AddStringToObject(one, "name", o->name);
    cJSON_AddItemToObject(one, "size", cJSON_CreateDoubleArray(s->size, 3));
    cJSON_AddNumberToObject(one, "mass", s->mass);
    cJSON_AddNumberToObject(one, "shortest_edge", s->edges[0]);
    cJSON_AddNumberToObject(one, "longest_edge", s->edges[1]);
    if (s->hangs) {
        cJSON_AddNumberToObject(one, "stretch", s->stretch);
    }
    return one;
}

static void add_surveys(cJSON* line, const scene_file* file, const object_survey* surveys) {
    cJSON* list = cJSON_AddArrayToObject(line, "sizes");
    for (size_t i = 0; i < file->object_count; i++) {
        cJSON_AddItemToArray(list, json_survey(&file->objects[i], &surveys[i]));
    }
}

/* ---- warnings ------------------------------------------------------------------------------------------------- */

/* Far below what takes a second to set up. */
static const size_t most_looked_into = 100000;

typedef struct warnings {
    const scene_file* file;
    const object_survey* surveys; /* of all objects */
    cJSON* list;                  /* NULL: they are printed */
} warnings;

static void warn(void* user, const char* sentence) {
    const warnings* w = user;
    if (w->list) {
        cJSON_AddItemToArray(w->list, cJSON_CreateString(sentence));
    } else {
        fprintf(stderr, "%s: warning: %s\n", w->file->path, sentence);
    }
}

/* Where contact begins, which a world knows. */
static bool warn_of_start(const scene_file* file, const built_scene* built, taut_world* world, warnings* w, report* r) {
    frame_points points = {0};
    bool ok = frame_points_make(built, &points, r) && frame_points_read(&points, world, 0, r);
    if (ok) {
        warn_of_insides(file, &points, warn, w);
        warn_of_far_colliders(file, &points, warn, w);
    }
    ok = ok && warn_of_overlaps(file, world, warn, w, r) &&
         warn_of_crossings(file, &points, w->surveys, world, warn, w, r);
    frame_points_free(&points);
    return ok;
}

/* Hard constraints, which a world counts. */
static void warn_of_contradictions(const scene_file* file, const built_scene* built, taut_world* world, warnings* w) {
    char sentence[640];
    if (contradictions_tell(world, built, sentence, sizeof sentence)) {
        warn(w, sentence);
    }
    if (starts_apart_tell(world, file, built, w->surveys, sentence, sizeof sentence)) {
        warn(w, sentence);
    }
}

/* `world`: NULL for a scene of more points than are looked into. */
static bool warn_of_scene(const scene_file* file, const built_scene* built, taut_world* world, warnings* w, report* r) {
    const bool contradicts = built->kinds[TAUT_DISTANCE] || built->kinds[TAUT_ATTACHMENT] ||
                             built->kinds[TAUT_MEMBRANE] || built->kinds[TAUT_TET_STRAIN];
    warn_of_sizes(file, w->surveys, warn, w);
    warn_of_scheme(file, warn, w);
    warn_of_untouchable(file, warn, w);
    if (world && contradicts) {
        warn_of_contradictions(file, built, world, w);
    }
    if (!warn_of_split(file, built, warn, w, r)) {
        return false;
    }
    if (built->kinds[TAUT_CONTACT] && !warn_of_held(file, built, warn, w, r)) {
        return false;
    }
    return !world || !built->kinds[TAUT_CONTACT] || warn_of_start(file, built, world, w, r);
}

static bool tell_json(const scene_file* file, const built_scene* built, const object_survey* surveys, taut_world* world,
                      report* r) {
    cJSON* line = json_counts(file, built);
    add_surveys(line, file, surveys);
    warnings w = {file, surveys, cJSON_AddArrayToObject(line, "warnings")};
    const bool ok = warn_of_scene(file, built, world, &w, r);
    char* text = ok ? cJSON_PrintUnformatted(line) : NULL;
    cJSON_Delete(line);
    if (text) {
        puts(text);
        cJSON_free(text);
    }
    return ok;
}

static bool tell_text(const scene_file* file, const built_scene* built, const object_survey* surveys, taut_world* world,
                      report* r) {
    warnings w = {file, surveys, NULL};
    print_text(file, built);
    print_surveys(file, surveys);
    return warn_of_scene(file, built, world, &w, r);
}

static bool tell(const arguments* a, const scene_file* file, const built_scene* built, taut_world* world, report* r) {
    object_survey* surveys = scene_surveys(file, built);
    const bool ok = surveys ? (a->json ? tell_json : tell_text)(file, built, surveys, world, r)
                            : report_fail(r, "%s: out of memory", file->path);
    free(surveys);
    return ok;
}

/* ---- the command ---------------------------------------------------------------------------------------------- */

static bool check_scene(const arguments* a, report* r) {
    scene_file file = {0};
    built_scene built = {0};
    taut_world* world = NULL;
    arguments cpu = *a;
    cpu.backend = TAUT_BACKEND_CPU;
    limits_begin(a);
    bool ok = scene_file_read(a->scene, &file, r) && limits_check_file(a, &file, r) && scene_build(&file, &built, r) &&
              limits_check_built(a, &file, &built, r);
    if (ok && taut_scene_particle_count(built.scene) <= most_looked_into) {
        ok = make_world(&cpu, &file, &built, &world, r) == EXIT_DONE;
    }
    ok = ok && tell(a, &file, &built, world, r);
    taut_world_destroy(world);
    built_scene_free(&built);
    scene_file_free(&file);
    return ok;
}

int check_command(int argc, char** argv) {
    report r = {0};
    arguments a = {0};
    if (!arguments_parse(argc, argv, &a, &r)) {
        return fail_with(EXIT_INPUT, &r);
    }
    bool ok = true;
    if (a.help) {
        fputs(check_help, stdout);
    } else {
        ok = check_scene(&a, &r);
    }
    arguments_free(&a);
    return ok ? EXIT_DONE : fail_with(EXIT_INPUT, &r);
}
