#include "commands/outputs.h"

#include "base/array.h"

#include <stdlib.h>

/* ---- opening -------------------------------------------------------------------------------------------------- */

static bool open_traces(const arguments* a, double fps, outputs* o, report* r) {
    o->traces = array_new(a->trace_count, sizeof *o->traces, r);
    for (size_t i = 0; o->traces && i < a->trace_count; i++) {
        report cause = {0};
        if (!trace_open(a->traces[i], o->built, fps, o->start, &o->traces[i], &cause)) {
            return report_fail(r, "taut run: --trace: %s", cause.text);
        }
        o->trace_count++;
    }
    return o->traces != NULL;
}

static bool open_points(const arguments* a, outputs* o, report* r) {
    return (!a->formats && !a->trace_count) || frame_points_make(o->built, &o->points, r);
}

static bool open_forces(const arguments* a, outputs* o, report* r) {
    if (a->contact_forces && !a->stats) {
        return report_fail(r, "taut run: --contact-forces: goes with --stats");
    }
    o->forces = a->contact_forces ? array_new(o->built->collider_count, sizeof *o->forces, r) : NULL;
    return o->forces || !a->contact_forces;
}

/* The exporter comes last: it alone cannot be abandoned, only completed. */
static bool open_all(const arguments* a, const scene_file* file, outputs* o, report* r) {
    return open_forces(a, o, r) && open_points(a, o, r) &&
           (!a->stats || stats_open(&o->stats, a->stats, o->start, r)) && open_traces(a, file->fps, o, r) &&
           (!a->formats ||
            export_open(a->directory, a->formats, o->points.exports, o->points.export_count, file->fps,
                        o->start ? o->start + 1 : 0, a->frames_given ? a->frames : file->frames, &o->frames, r));
}

static void abandon(outputs* o) {
    whole_file_abandon(&o->stats);
    for (size_t i = 0; i < o->trace_count; i++) {
        whole_file_abandon(&o->traces[i].file);
        free(o->traces[i].nodes);
    }
    free(o->traces);
    free(o->forces);
    frame_points_free(&o->points);
}

bool outputs_open(const arguments* a, const scene_file* file, const built_scene* built, size_t start, outputs* out,
                  report* r) {
    outputs o = {.built = built, .start = start};
    if (!open_all(a, file, &o, r)) {
        abandon(&o);
        return false;
    }
    *out = o;
    return true;
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

bool outputs_frame(outputs* o, taut_world* world, size_t frame, double time, report* r) {
    if (!o->points.positions) {
        return true;
    }
    if (!frame_points_read(&o->points, world, frame, r)) {
        return false;
    }
    for (size_t i = 0; i < o->trace_count; i++) {
        if (!trace_frame(&o->traces[i], time, &o->points, r)) {
            return false;
        }
    }
    return !o->frames || export_frame(o->frames, frame, (const double(*)[3])o->points.positions, r);
}

static bool read_forces(outputs* o, taut_world* world, size_t frame, report* r) {
    return !o->forces || !o->built->kinds[TAUT_CONTACT] ||
           taut_world_read_collider_forces(world, 0, o->built->collider_count, o->forces[0]) == TAUT_OK ||
           report_fail(r, "frame %zu: %s", frame, taut_last_error());
}

bool outputs_stats(outputs* o, taut_world* world, const frame_stats* s, report* r) {
    return !o->stats.stream || (read_forces(o, world, s->frame, r) &&
                                stats_write(o->stats.stream, s, o->built, (const double(*)[6])o->forces, r) &&
                                whole_file_mark(&o->stats, r));
}

bool outputs_close(outputs* o, report* r) {
    report later = {0}; /* only the first failure is told */
    bool ok = export_close(o->frames, r);
    if (o->stats.stream) {
        ok = whole_file_commit_marked(&o->stats, ok ? r : &later) && ok;
    }
    for (size_t i = 0; i < o->trace_count; i++) {
        ok = trace_close(&o->traces[i], ok ? r : &later) && ok;
    }
    free(o->traces);
    free(o->forces);
    frame_points_free(&o->points);
    *o = (outputs){0};
    return ok;
}
