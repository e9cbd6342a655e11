#include "build/scene_build.h"
#include "commands/limits.h"

#include <cJSON.h>
#include <stdio.h>

static const char check_help[] =
    "taut check SCENE.json [options]   reads and validates a scene without simulating it\n"
    "  --json                          prints one JSON object\n"
    "  --max-memory MIB                refuses a scene that takes more, and bounds the process\n"
    "  --max-seconds N                 ends the run after so long, with complete files\n"
    "  --confined                      meshes must lie in the scene's folder; also with a limit above\n"
    "  --allow-outside                 with a limit, meshes may lie elsewhere\n";

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

static void print_text(const scene_file* file, const built_scene* built, const scene_counts* c, size_t rows) {
    printf("%s: good: %zu object%s, %zu particles (%zu fixed), ", file->path, file->object_count,
           file->object_count == 1 ? "" : "s", c->particles, built->fixed_count);
    print_some(c->bodies, "body", "bodies");
    print_some(c->pieces, "piece of rods", "pieces of rods");
    print_some(built->mapped_count, "mapped point", "mapped points");
    print_some(built->touching_count, "contact point", "contact points");
    print_some(built->face_count, "touching face", "touching faces");
    print_some(built->collider_count, "collider", "colliders");
    printf("%zu constraint rows, %u frames at %g a second\n", rows, file->frames, file->fps);
}

static void print_json(const scene_file* file, const built_scene* built, const scene_counts* c, size_t rows) {
    cJSON* line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "scene", file->path);
    cJSON_AddNumberToObject(line, "objects", (double)file->object_count);
    cJSON_AddNumberToObject(line, "particles", (double)c->particles);
    cJSON_AddNumberToObject(line, "fixed", (double)built->fixed_count);
    cJSON_AddNumberToObject(line, "bodies", (double)c->bodies);
    cJSON_AddNumberToObject(line, "rod_pieces", (double)c->pieces);
    cJSON_AddNumberToObject(line, "mapped_points", (double)built->mapped_count);
    cJSON_AddNumberToObject(line, "touching_points", (double)built->touching_count);
    cJSON_AddNumberToObject(line, "touching_faces", (double)built->face_count);
    cJSON_AddNumberToObject(line, "colliders", (double)built->collider_count);
    cJSON_AddNumberToObject(line, "rows", (double)rows);
    cJSON_AddNumberToObject(line, "frames", file->frames);
    cJSON_AddNumberToObject(line, "fps", file->fps);
    char* text = line ? cJSON_PrintUnformatted(line) : NULL;
    cJSON_Delete(line);
    if (text) {
        puts(text);
        cJSON_free(text);
    }
}

static void print_counts(const arguments* a, const scene_file* file, const built_scene* built) {
    const scene_counts c = count_nodes(file, built);
    const size_t rows = taut_scene_row_count(built->scene);
    if (a->json) {
        print_json(file, built, &c, rows);
    } else {
        print_text(file, built, &c, rows);
    }
}

static bool check_scene(const arguments* a, report* r) {
    scene_file file = {0};
    built_scene built = {0};
    limits_begin(a);
    bool ok = scene_file_read(a->scene, &file, r) && limits_check_file(a, &file, r) && scene_build(&file, &built, r) &&
              limits_check_built(a, &file, &built, r);
    if (ok) {
        print_counts(a, &file, &built);
    }
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
