#include "arguments.h"
#include "scene_build.h"

#include <cJSON.h>
#include <stdio.h>

static void print_counts(const arguments* a, const scene_file* file, const built_scene* built) {
    const size_t particles = taut_scene_particle_count(built->scene);
    const size_t rows = taut_scene_row_count(built->scene);
    if (!a->json) {
        printf("%s: good: %zu object%s, %zu particles (%zu fixed), %zu constraint rows, %u frames at %g a second\n",
               file->path, built->object_count, built->object_count == 1 ? "" : "s", particles, built->fixed_count,
               rows, file->frames, file->fps);
        return;
    }
    cJSON* line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "scene", file->path);
    cJSON_AddNumberToObject(line, "objects", (double)built->object_count);
    cJSON_AddNumberToObject(line, "particles", (double)particles);
    cJSON_AddNumberToObject(line, "fixed", (double)built->fixed_count);
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

static bool check_scene(const arguments* a, report* r) {
    scene_file file = {0};
    built_scene built = {0};
    bool ok = scene_file_read(a->scene, &file, r) && scene_build(&file, &built, r);
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
        puts("taut check SCENE.json [--json]    reads and validates a scene without simulating it");
    } else {
        ok = check_scene(&a, &r);
    }
    arguments_free(&a);
    return ok ? EXIT_DONE : fail_with(EXIT_INPUT, &r);
}
