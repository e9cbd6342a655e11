#include "commands/stats.h"

#include "commands/earlier_lines.h"
#include "commands/outcomes.h"

#include <cJSON.h>

/* Kinds have different units: the one number is for a quick look, the object beside it for use. */
static void add_violations(cJSON* line, const taut_step_info* info, const built_scene* built) {
    double worst = 0;
    for (int kind = 0; kind < TAUT_KIND_COUNT; kind++) {
        worst = info->max_violation[kind] > worst ? info->max_violation[kind] : worst;
    }
    cJSON_AddNumberToObject(line, "max_violation", worst);
    cJSON* violations = cJSON_AddObjectToObject(line, "violations");
    for (int kind = 0; violations && kind < TAUT_KIND_COUNT; kind++) {
        if (built->kinds[kind]) {
            cJSON_AddNumberToObject(violations, taut_kind_name((taut_kind)kind), info->max_violation[kind]);
        }
    }
}

static void add_contacts(cJSON* line, const frame_stats* s, const built_scene* built) {
    if (built->kinds[TAUT_CONTACT]) {
        cJSON_AddNumberToObject(line, "contacts", s->info.contacts);
        cJSON_AddNumberToObject(line, "penetration", s->info.penetration);
        cJSON_AddNumberToObject(line, "cuts", (double)s->overlaps.intersections);
        cJSON_AddNumberToObject(line, "points_inside", (double)s->overlaps.points_inside);
        cJSON_AddNumberToObject(line, "body_overlap", s->overlaps.bodies);
        cJSON_AddNumberToObject(line, "body_overlap_relative", s->overlaps.bodies_relative);
        cJSON_AddNumberToObject(line, "point_overlap", s->overlaps.points);
        cJSON_AddNumberToObject(line, "point_overlap_relative", s->overlaps.points_relative);
        cJSON_AddNumberToObject(line, "resolved", s->info.resolved);
        cJSON_AddNumberToObject(line, "zones", s->info.zones);
        cJSON_AddNumberToObject(line, "tangled", s->info.tangled);
    }
}

/* Of each collider of the file, by its name. */
static void add_forces(cJSON* line, const built_scene* built, const double (*forces)[6]) {
    cJSON* all = forces ? cJSON_AddObjectToObject(line, "contact_forces") : NULL;
    for (size_t i = 0; all && i < built->object_count; i++) {
        const built_object* o = &built->objects[i];
        if (o->collides) {
            cJSON_AddItemToObject(all, o->name, cJSON_CreateDoubleArray(forces[o->collider], 3));
        }
    }
}

static cJSON* stats_line(const frame_stats* s, const built_scene* built, const double (*forces)[6]) {
    cJSON* line = cJSON_CreateObject();
    cJSON_AddNumberToObject(line, "frame", (double)s->frame);
    cJSON_AddNumberToObject(line, "time", s->time);
    cJSON_AddNumberToObject(line, "step_ms", s->step_ms);
    cJSON_AddNumberToObject(line, "iterations", s->info.iterations);
    cJSON_AddNumberToObject(line, "outer_iterations", s->info.outer_iterations);
    cJSON_AddStringToObject(line, "outcome", outcome_name(s->info.outcome));
    cJSON_AddNumberToObject(line, "subdivided", s->info.subdivided);
    cJSON_AddNumberToObject(line, "damped", s->info.damped);
    cJSON_AddNumberToObject(line, "residual", s->info.residual);
    cJSON_AddNumberToObject(line, "complementarity", s->info.complementarity);
    cJSON_AddNumberToObject(line, "broken", s->info.broken);
    add_violations(line, &s->info, built);
    add_contacts(line, s, built);
    add_forces(line, built, forces);
    cJSON_AddNumberToObject(line, "kinetic", s->info.kinetic);
    cJSON_AddNumberToObject(line, "potential", s->info.potential);
    cJSON_AddNumberToObject(line, "elastic", s->info.elastic);
    cJSON_AddItemToObject(line, "momentum", cJSON_CreateDoubleArray(s->info.momentum, 3));
    cJSON_AddNumberToObject(line, "work_forces", s->info.work_forces);
    cJSON_AddNumberToObject(line, "work_drives", s->info.work_drives);
    cJSON_AddNumberToObject(line, "dissipated", s->info.dissipated);
    cJSON_AddNumberToObject(line, "numerical", s->info.numerical);
    cJSON_AddNumberToObject(line, "linearisations", s->info.linearisations);
    cJSON_AddNumberToObject(line, "newton_residual", s->info.newton_residual);
    cJSON_AddNumberToObject(line, "overstretch", s->info.overstretch);
    cJSON_AddNumberToObject(line, "substeps", s->info.substeps);
    cJSON_AddNumberToObject(line, "hurried", s->info.hurried);
    cJSON_AddNumberToObject(line, "softened", s->info.softened);
    cJSON_AddNumberToObject(line, "inverted", s->info.inverted);
    cJSON_AddNumberToObject(line, "asleep", s->info.asleep);
    cJSON_AddStringToObject(line, "backend", s->backend);
    return line;
}

/* Lines are as stats_line makes them. */
static bool frame_of_line(const char* line, double fps, size_t* frame) {
    (void)fps;
    return sscanf(line, "{\"frame\":%zu,", frame) == 1;
}

bool stats_open(whole_file* f, const char* path, size_t frame, report* r) {
    const lines_spec lines = {"", frame_of_line, 0, frame};
    return earlier_lines_open(f, path, &lines, r);
}

bool stats_write(FILE* stream, const frame_stats* s, const built_scene* built, const double (*forces)[6], report* r) {
    cJSON* line = stats_line(s, built, forces);
    char* text = line ? cJSON_PrintUnformatted(line) : NULL;
    cJSON_Delete(line);
    if (!text) {
        return report_fail(r, "out of memory");
    }
    fprintf(stream, "%s\n", text);
    cJSON_free(text);
    return true;
}
