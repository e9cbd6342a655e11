#include "commands/summary.h"

#include <cJSON.h>
#include <stdlib.h>

bool summary_add(summary* s, const frame_stats* f, report* r) {
    if (s->frames == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 256;
        double* larger = realloc(s->step_ms, capacity * sizeof *larger);
        if (!larger) {
            return report_fail(r, "out of memory");
        }
        s->step_ms = larger;
        s->capacity = capacity;
    }
    s->step_ms[s->frames++] = f->step_ms;
    s->time = f->time;
    s->wall_seconds += 1e-3 * f->step_ms;
    s->worst_residual = f->info.residual > s->worst_residual ? f->info.residual : s->worst_residual;
    outcomes_add(&s->outcomes, f->frame, &f->info);
    s->most_contacts = f->info.contacts > s->most_contacts ? f->info.contacts : s->most_contacts;
    s->penetration = f->info.penetration > s->penetration ? f->info.penetration : s->penetration;
    s->most_cuts = f->cuts > s->most_cuts ? f->cuts : s->most_cuts;
    return true;
}

static int compare(const void* left, const void* right) {
    const double a = *(const double*)left;
    const double b = *(const double*)right;
    return (a > b) - (a < b);
}

/* Sorts the times: their order is of no use once the run is over. */
static double median(const summary* s) {
    if (s->frames == 0) {
        return 0;
    }
    qsort(s->step_ms, s->frames, sizeof *s->step_ms, compare);
    return 0.5 * (s->step_ms[(s->frames - 1) / 2] + s->step_ms[s->frames / 2]);
}

static void print_json(const summary* s, const char* end, const char* scene, const char* backend) {
    cJSON* line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "scene", scene);
    cJSON_AddStringToObject(line, "end", end);
    cJSON_AddStringToObject(line, "backend", backend);
    cJSON_AddNumberToObject(line, "frames", (double)s->frames);
    if (s->start) {
        cJSON_AddNumberToObject(line, "resumed_after", (double)s->start);
    }
    cJSON_AddNumberToObject(line, "time", s->time);
    cJSON_AddNumberToObject(line, "wall_seconds", s->wall_seconds);
    cJSON_AddNumberToObject(line, "median_step_ms", median(s));
    cJSON_AddNumberToObject(line, "worst_residual", s->worst_residual);
    cJSON_AddNumberToObject(line, "not_converged", (double)outcomes_not_converged(&s->outcomes));
    cJSON* counts = cJSON_AddObjectToObject(line, "outcomes");
    for (int i = 0; counts && i < OUTCOME_COUNT; i++) {
        cJSON_AddNumberToObject(counts, outcome_name((taut_outcome)i), (double)s->outcomes.counts[i]);
    }
    if (s->contact) {
        cJSON_AddNumberToObject(line, "most_contacts", s->most_contacts);
        cJSON_AddNumberToObject(line, "penetration", s->penetration);
        cJSON_AddNumberToObject(line, "most_cuts", (double)s->most_cuts);
    }
    char* text = line ? cJSON_PrintUnformatted(line) : NULL;
    cJSON_Delete(line);
    if (text) {
        puts(text);
        cJSON_free(text);
    }
}

void summary_print(const summary* s, const char* end, const char* scene, const char* backend, bool json) {
    if (json) {
        print_json(s, end, scene, backend);
        return;
    }
    const size_t bad = outcomes_not_converged(&s->outcomes);
    printf("%s: %s: %zu frame%s, %.4g s simulated on %s in %.3g s, median %.3g ms a frame, worst residual %.2g, "
           "%zu frame%s did not converge",
           scene, end, s->frames, s->frames == 1 ? "" : "s", s->time, backend, s->wall_seconds, median(s),
           s->worst_residual, bad, bad == 1 ? "" : "s");
    if (s->contact) {
        printf(", at most %u contact%s, deepest penetration %.2g m", s->most_contacts, s->most_contacts == 1 ? "" : "s",
               s->penetration);
    }
    if (s->most_cuts > 0) {
        printf(", surfaces cut each other in up to %zu place%s", s->most_cuts, s->most_cuts == 1 ? "" : "s");
    }
    if (s->start) {
        printf(", resumed after frame %zu", s->start);
    }
    putchar('\n');
}

void summary_free(summary* s) {
    free(s->step_ms);
    *s = (summary){0};
}
