#include "commands/contradictions.h"

#include <stdio.h>
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
    (void)snprintf(sentence, size,
                   "%zu hard rows may contradict each other, in %s%s: steps give the motion of least squares, which a "
                   "\"compliance\" above 0 makes exact",
                   rows, places, batches > most_named ? " and others" : "");
    return rows > 0;
}
