#include "commands/make_world.h"

#include "commands/limits.h"

#include <stdio.h>

exit_code exit_code_of(taut_status status) {
    switch (status) {
    case TAUT_OK:
        return EXIT_DONE;
    case TAUT_INVALID_ARGUMENT:
    case TAUT_INVALID_DEFINITION:
    case TAUT_OUT_OF_MEMORY: /* as a scene of which that is known before */
        return EXIT_INPUT;
    case TAUT_BACKEND_UNAVAILABLE:
        return EXIT_BACKEND;
    default:
        return EXIT_SIMULATION;
    }
}

exit_code backend_ready(const arguments* a, report* r) {
    if (taut_backend_available(a->backend) == TAUT_OK) {
        return EXIT_DONE;
    }
    report_fail(r, "taut %s: --backend: %s", a->command, taut_last_error());
    return EXIT_BACKEND;
}

static void warn(taut_log_level level, const char* message, void* user) {
    (void)user;
    if (level == TAUT_LOG_WARNING) {
        fprintf(stderr, "taut: %s\n", message);
    }
}

exit_code make_world(const arguments* a, const scene_file* file, const built_scene* built, taut_world** world,
                     report* r) {
    taut_world_def def = file->world;
    def.backend = a->backend;
    def.threads = a->threads;
    def.log = warn;
    taut_status status = taut_world_create(built->scene, &def, world);
    if (status == TAUT_OK) {
        status = scene_begin(built, *world);
    }
    if (status != TAUT_OK) {
        report_fail(r, "%s: %s%s", file->path, taut_last_error(), limits_hint(a, status));
    }
    return exit_code_of(status);
}
