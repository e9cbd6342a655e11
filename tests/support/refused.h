/* A call that must fail: with this status, one clear sentence, and nothing else. */
#ifndef TAUT_TEST_REFUSED_H
#define TAUT_TEST_REFUSED_H

#include <string.h>

#include "harness.h"

/* One sentence: something, a full stop at its end, on one line. */
static inline bool is_one_sentence(const char* text) {
    const size_t length = strlen(text);
    return length > 10 && text[length - 1] == '.' && strchr(text, '\n') == NULL && strstr(text, ". ") == NULL;
}

#define REFUSED(call, status_)                                                                                         \
    do {                                                                                                               \
        CHECK_STATUS(call, status_);                                                                                   \
        test_note("\"%s\"", taut_last_error());                                                                        \
        CHECK(is_one_sentence(taut_last_error()));                                                                     \
        test_note(NULL);                                                                                               \
    } while (0)

/* A scene with these particles, at rest and free. */
static inline taut_scene* refused_scene(size_t count, const double* points) {
    const taut_scene_def def = taut_default_scene();
    taut_particles_def particles = taut_default_particles();
    taut_scene* scene = NULL;
    particles.count = count;
    particles.positions = points;
    CHECK_OK(taut_scene_create(&def, &scene));
    CHECK_OK(taut_scene_add_particles(scene, &particles, NULL));
    return scene;
}

#define INVALID(call) REFUSED(call, TAUT_INVALID_ARGUMENT)
#define UNMADE(call)  REFUSED(call, TAUT_INVALID_DEFINITION)

#endif
