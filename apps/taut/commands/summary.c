#include "commands/summary.h"

#include "base/warning.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>

static size_t more(size_t a, size_t b) {
    return a > b ? a : b;
}

static void add_overlaps(summary* s, const frame_stats* f) {
    const taut_overlaps* now = &f->overlaps;
    s->tangled = f->frame <= 2 && s->tangled == 0 ? f->info.tangled : s->tangled;
    s->first_cut = s->first_cut ? s->first_cut : now->intersections ? f->frame : 0;
    s->most.intersections = more(s->most.intersections, now->intersections);
    s->most.points_inside = more(s->most.points_inside, now->points_inside);
    s->most.bodies = fmax(s->most.bodies, now->bodies);
    s->most.bodies_relative = fmax(s->most.bodies_relative, now->bodies_relative);
    s->most.points = fmax(s->most.points, now->points);
    s->most.points_relative = fmax(s->most.points_relative, now->points_relative);
    s->last = *now;
}

static void add_stretch(summary* s, const frame_stats* f) {
    if (f->info.overstretch > s->overstretch) {
        s->overstretch = f->info.overstretch;
        s->stretched = f->frame;
    }
}

static void add_inverted(summary* s, const frame_stats* f) {
    s->inverted = f->info.inverted;
    s->most_inverted = more(s->most_inverted, s->inverted);
    s->turned = s->turned == 0 && s->inverted > 0 ? f->frame : s->turned;
}

/* J: positions of a free flight are ahead of the parabola that its velocities tell, by (beta - 1/2) h v. A fall loses
 * that energy, and a bounce makes a gain of it, which is none. */
static double ahead_of_motion(const summary* s, const taut_step_info* info, double frame) {
    const double *g = s->gravity, *p = info->momentum;
    return info->substeps > 0 ? s->ahead * frame / info->substeps * (g[0] * p[0] + g[1] * p[1] + g[2] * p[2]) : 0;
}

/* s: for which energy stays above what accounts for it, to count. What is stiff has more for some frames after a step
 * that has stretched it by little, and motion never has that. */
static const double lasts = 0.2;

/* The least excess of the last frames. */
static double lasting_excess(summary* s, double excess, double frame) {
    const double frames = ceil(lasts / fmax(frame, lasts / SUMMARY_LASTS));
    double least = excess;
    s->excess[s->frames % SUMMARY_LASTS] = excess;
    for (size_t i = 1; i < (size_t)frames && i < s->frames; i++) {
        least = fmin(least, s->excess[(s->frames - i) % SUMMARY_LASTS]);
    }
    return least;
}

/* What no force or drive has put in. Dissipation and the losses of the scheme take from it. */
static void add_energy(summary* s, const taut_step_info* info, double frame) {
    const double ahead = ahead_of_motion(s, info, frame);
    s->first_ahead = s->frames == 1 ? ahead : s->first_ahead;
    s->balance -= info->dissipated + info->numerical;
    const double excess = fmin(s->balance, s->balance + ahead - s->first_ahead);
    s->gained = fmax(s->gained, lasting_excess(s, excess, frame));
    s->held = fmax(s->held, info->kinetic + info->elastic);
}

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
    const double frame = f->time - s->time;
    s->step_ms[s->frames++] = f->step_ms;
    s->time = f->time;
    s->wall_seconds += 1e-3 * f->step_ms;
    s->worst_residual = f->info.residual > s->worst_residual ? f->info.residual : s->worst_residual;
    outcomes_add(&s->ended, f->frame, &f->info);
    s->most_contacts = f->info.contacts > s->most_contacts ? f->info.contacts : s->most_contacts;
    s->penetration = f->info.penetration > s->penetration ? f->info.penetration : s->penetration;
    add_overlaps(s, f);
    add_stretch(s, f);
    add_inverted(s, f);
    s->softened += f->info.softened > 0;
    s->first_softened = s->softened == 1 && f->info.softened > 0 ? f->frame : s->first_softened;
    add_energy(s, &f->info, frame);
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
    cJSON_AddNumberToObject(line, "not_converged", (double)outcomes_not_converged(&s->ended));
    cJSON* counts = cJSON_AddObjectToObject(line, "outcomes");
    for (int i = 0; counts && i < OUTCOME_COUNT; i++) {
        cJSON_AddNumberToObject(counts, outcome_name((taut_outcome)i), (double)s->ended.counts[i]);
    }
    if (s->contact) {
        cJSON_AddNumberToObject(line, "most_contacts", s->most_contacts);
        cJSON_AddNumberToObject(line, "penetration", s->penetration);
        cJSON_AddNumberToObject(line, "most_cuts", (double)s->most.intersections);
        cJSON_AddNumberToObject(line, "most_points_inside", (double)s->most.points_inside);
        cJSON_AddNumberToObject(line, "body_overlap", s->most.bodies);
        cJSON_AddNumberToObject(line, "body_overlap_relative", s->most.bodies_relative);
        cJSON_AddNumberToObject(line, "point_overlap", s->most.points);
        cJSON_AddNumberToObject(line, "point_overlap_relative", s->most.points_relative);
    }
    cJSON_AddNumberToObject(line, "most_overstretch", s->overstretch);
    cJSON_AddNumberToObject(line, "softened_frames", (double)s->softened);
    cJSON_AddNumberToObject(line, "most_inverted", (double)s->most_inverted);
    cJSON_AddNumberToObject(line, "energy_gained", s->gained);
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
    const size_t bad = outcomes_not_converged(&s->ended);
    printf("%s: %s: %zu frame%s, %.4g s simulated on %s in %.3g s, median %.3g ms a frame, worst residual %.2g, "
           "%zu frame%s did not converge",
           scene, end, s->frames, s->frames == 1 ? "" : "s", s->time, backend, s->wall_seconds, median(s),
           s->worst_residual, bad, bad == 1 ? "" : "s");
    if (s->contact) {
        printf(", at most %u contact%s, deepest overlap %.2g m", s->most_contacts, s->most_contacts == 1 ? "" : "s",
               s->most.bodies > s->most.points ? s->most.bodies : s->most.points);
    }
    if (s->most.intersections > 0) {
        printf(", surfaces cut each other in up to %zu place%s", s->most.intersections,
               s->most.intersections == 1 ? "" : "s");
    }
    if (s->start) {
        printf(", resumed after frame %zu", s->start);
    }
    putchar('\n');
}

/* Parts of a body, of the thickness, of that at the start, of the double length, and of the energy held, from which a
 * warning is due; what rests gains less than what lifts it by that part of its length. */
static const double wide_overlap = 0.02, deep_point = 0.5, deep_start = 0.25, much_stretch = 0.05, much_energy = 0.01,
                    rest = 1e-4;

/* For two digits of a number that people read as a percentage: no powers of ten. */
static int percent_digits(double percent) {
    return percent >= 9.95 ? 0 : percent >= 0.995 ? 1 : percent >= 0.0995 ? 2 : 3;
}

/* Above ten times in figures that people read, and of nothing in none. */
static void warn_of_gain(const summary* s, const char* scene) {
    const double part = s->gained / s->held;
    char share[64] = "";
    if (part < 10) {
        (void)snprintf(share, sizeof share, ", %.*f %% of the most that it held", percent_digits(100 * part),
                       100 * part);
    } else if (part < 1e6) {
        (void)snprintf(share, sizeof share, ", %.0f times the most that it held", part);
    }
    warning_print("%s: the motion gained %.2g J that no force or drive gave it%s", scene, s->gained, share);
}

/* What starts in something is driven out of it, which looks like energy from nothing. */
static void warn_of_start(const summary* s, const char* scene) {
    const taut_overlaps* first = &s->first;
    if (s->frames == 0) {
        return; /* it has not begun */
    }
    if (first->points_inside > 0) {
        warning_print("%s: %zu vert%s inside a solid at the start, by up to %.2g m: move one of the two", scene,
                      first->points_inside, first->points_inside == 1 ? "ex is" : "ices are", first->points);
    } else if (first->points_relative > deep_start) {
        warning_print("%s: what has a thickness starts pressed in by up to %.2g m, %.*f %% of that, and is driven out: "
                      "move it, or give it a smaller thickness",
                      scene, first->points, percent_digits(100 * first->points_relative), 100 * first->points_relative);
    }
}

static void warn_of_inversion(const summary* s, const char* scene) {
    warning_print("%s: %zu tetrahedr%s inside out, at most, from frame %zu on, and %zu at the end. A higher "
                  "\"young\"%s or more \"substeps\" hold them",
                  scene, s->most_inverted, s->most_inverted == 1 ? "on was" : "a were", s->turned, s->inverted,
                  s->inverts ? ", the \"model\" \"neo_hookean\"" : "");
}

void summary_warn(const summary* s, const char* scene) {
    const taut_overlaps* last = &s->last;
    warn_of_start(s, scene);
    if (last->intersections > 0) {
        warning_print("%s: surfaces cut each other in %zu place%s at the end (first in frame %zu, at most in %zu). %s",
                      scene, last->intersections, last->intersections == 1 ? "" : "s", s->first_cut,
                      s->most.intersections,
                      s->tangled > 0
                          ? "They did so at the start: what can come apart does so in the course of frames; folds that "
                            "are pressed flat have to be opened in the mesh"
                          : "More \"substeps\" or a larger \"thickness\" keep them apart");
    }
    if (last->points_inside > 0 && last->points > s->settled) {
        warning_print("%s: %zu vert%s inside a solid at the end", scene, last->points_inside,
                      last->points_inside == 1 ? "ex is" : "ices are");
    } else if (s->most.points_relative > deep_point) {
        warning_print("%s: surfaces were pressed in by up to %.2g m, and by up to %.2g times their thickness. More "
                      "\"substeps\", a larger \"thickness\" (\"radius\") or a slower motion keep them out",
                      scene, s->most.points, s->most.points_relative);
    }
    if (s->most.bodies_relative > wide_overlap) {
        warning_print(
            "%s: bodies overlapped by up to %.2g m, and by up to %.*f %% of the thickness of the thinner one. More "
            "\"substeps\" or a slower motion keep them apart",
            scene, s->most.bodies, percent_digits(100 * s->most.bodies_relative), 100 * s->most.bodies_relative);
    }
    if (s->overstretch > much_stretch) {
        warning_print(
            "%s: stiff parts were off the length that their law gives them, at most in frame %zu (overstretch "
            "%.2g). More \"substeps\" hold them, where they do not contradict each other",
            scene, s->stretched, s->overstretch);
    }
    if (s->most_inverted > 0) {
        warn_of_inversion(s, scene);
    }
    if (s->softened > 0) {
        warning_print(
            "%s: in %zu of %zu frames, first in frame %zu, steps were not solved with hard constraints, and "
            "gave these a small compliance for a while, so that they held a little less: take more "
            "\"substeps\", or give some of them (such as \"attach\") a \"compliance\", or leave out those that "
            "contradict others",
            scene, s->softened, s->frames, s->first_softened);
    }
    if (s->gained > fmax(much_energy * s->held, rest * s->lift)) {
        warn_of_gain(s, scene);
    }
}

void summary_free(summary* s) {
    free(s->step_ms);
    *s = (summary){0};
}
