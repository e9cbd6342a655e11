#include "base/warning.h"
#include "build/scene_step.h"
#include "build/scene_survey.h"
#include "build/scene_warnings.h"
#include "commands/checkpoint.h"
#include "commands/contradictions.h"
#include "commands/fastest.h"
#include "commands/interrupt.h"
#include "commands/limits.h"
#include "commands/make_world.h"
#include "commands/outputs.h"
#include "commands/progress.h"
#include "commands/summary.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct run {
    const arguments* a;
    const scene_file* file;
    const built_scene* built;
    taut_world* world;
    size_t start; /* frame after which the run begins */
    size_t frames;
    checkpoint point;
    outputs out;
    summary sum;
    bool stopped;    /* within a frame */
    const char* end; /* for the summary */
    report refused;  /* contacts that would take too much memory */
} run;

static const char run_help[] =
    "taut run SCENE.json [options]     simulates a scene\n"
    "  --frames N                      instead of the scene's own number\n"
    "  --quality preview|final         looser or tighter tolerance, fewer or more substeps\n"
    "  --budget-ms N                   aims at so much time a frame, by less accuracy\n"
    "  --backend auto|cpu|cuda         default auto\n"
    "  --threads N                     of the CPU backend; default all\n"
    "  --out DIR                       where exports go; default out\n"
    "  --export obj|ply|usda|pc2[,...] writes every frame\n"
    "  --stats FILE.jsonl              writes a JSON object a line and frame\n"
    "  --contact-forces                adds the contact force on every collider to these\n"
    "  --trace OBJECT:VERTEX,...=FILE.csv  writes the paths of vertices and bodies; may be repeated\n"
    "  --checkpoint N                  saves the state every N frames and at the end\n"
    "  --checkpoint-file FILE          where to; default DIR/checkpoint.taut\n"
    "  --resume FILE                   goes on from a saved state\n"
    "  --strict                        status 1 where a frame did not converge\n" LIMITS_HELP
    "  --json                          prints the summary as a JSON object\n";

/* ---- frames --------------------------------------------------------------------------------------------------- */

static bool may_grow(void* context, double contacts) {
    run* s = context;
    return limits_check_contacts(s->a, s->file, s->built, contacts, &s->refused);
}

static taut_status step(run* s, frame_stats* f) {
    const double start = now_seconds();
    const scene_step_spec spec = {.integrator = &s->file->world.integrator,
                                  .time = f->time,
                                  .dt = 1 / s->file->fps,
                                  .budget = s->file->budget,
                                  .may_grow = may_grow,
                                  .context = s};
    taut_status status = scene_step(s->built, s->world, &spec);
    if (status == TAUT_OK) {
        status = taut_world_info(s->world, &f->info);
    }
    f->step_ms = 1e3 * (now_seconds() - start);
    return status;
}

static exit_code fail_step(run* s, const frame_stats* f, taut_status status, report* r) {
    s->end = status == TAUT_DIVERGED ? "diverged" : "failed";
    if (s->refused.text[0]) {
        *r = s->refused;
        return EXIT_INPUT;
    }
    report_fail(r, "%s: frame %zu: %s%s", s->file->path, f->frame, taut_last_error(), limits_hint(s->a, status));
    if (status == TAUT_DIVERGED) {
        const size_t length = strlen(r->text);
        fastest_tell(s->world, s->built, r->text + length, sizeof r->text - length);
    }
    return exit_code_of(status);
}

/* A frame is recorded after the step that ends at it has proved good. */
static exit_code run_frame(run* s, size_t frame, double* step_ms, report* r) {
    frame_stats f = {.frame = frame, .time = (double)frame / s->file->fps, .backend = taut_world_backend(s->world)};
    taut_status status = step(s, &f);
    *step_ms = f.step_ms;
    s->stopped = status == TAUT_STOPPED;
    if (s->stopped) {
        return EXIT_DONE;
    }
    if (status != TAUT_OK) {
        return fail_step(s, &f, status, r);
    }
    if (s->file->require_convergence && f.info.outcome != TAUT_SOLVE_CONVERGED) {
        s->end = "not converged";
        report_fail(r, "%s: frame %zu: the solver did not converge (%s, residual %.2g)", s->file->path, frame,
                    outcome_name(f.info.outcome), f.info.residual);
        return EXIT_SIMULATION;
    }
    status = taut_world_read_overlaps(s->world, &f.overlaps);
    if (status != TAUT_OK) {
        return fail_step(s, &f, status, r);
    }
    if (!summary_add(&s->sum, &f, r) || !outputs_stats(&s->out, s->world, &f, r) ||
        !outputs_frame(&s->out, s->world, frame, f.time, r) ||
        !checkpoint_frame(&s->point, s->world, frame, false, r)) {
        s->end = "failed";
        return EXIT_INPUT;
    }
    return EXIT_DONE;
}

static int end_early(const run* s, report* r) {
    if (interrupt_signal() != SIGALRM) {
        return EXIT_SIGNAL + interrupt_signal();
    }
    report_fail(r, "%s: ended by --max-seconds after %zu of %zu frames", s->file->path, s->start + s->sum.frames,
                s->frames);
    return EXIT_SIMULATION;
}

static int run_frames(run* s, report* r) {
    progress bar = progress_begin(s->frames);
    int code = s->start || outputs_frame(&s->out, s->world, 0, 0, r) ? EXIT_DONE : EXIT_INPUT;
    for (size_t frame = s->start + 1; code == EXIT_DONE && frame <= s->frames && !interrupt_signal(); frame++) {
        double step_ms = 0;
        code = (int)run_frame(s, frame, &step_ms, r);
        progress_update(&bar, frame, step_ms);
    }
    progress_end(&bar);
    const size_t done = s->start + s->sum.frames;
    if (code == EXIT_DONE &&
        !(s->stopped ? checkpoint_kept(&s->point, r) : checkpoint_frame(&s->point, s->world, done, true, r))) {
        s->end = "failed";
        return EXIT_INPUT;
    }
    if (code == EXIT_DONE && done < s->frames) {
        s->end = "interrupted";
        code = end_early(s, r);
    }
    return code;
}

/* ---- the whole run -------------------------------------------------------------------------------------------- */

static void warn_at_start(void* user, const char* sentence) {
    const run* s = user;
    fprintf(stderr, "%s: warning: %s\n", s->file->path, sentence);
}

/* Of a run that begins with the scene. */
static bool note_start(run* s, report* r) {
    if (s->start == 0) {
        warn_of_units(s->file, s->built, 1, warn_at_start, s);
        warn_of_scheme(s->file, warn_at_start, s);
    }
    if (s->start == 0 && !warn_of_split(s->file, s->built, warn_at_start, s, r)) {
        return false;
    }
    const bool looks = s->sum.contact && s->start == 0;
    if (looks && !warn_of_held(s->file, s->built, warn_at_start, s, r)) {
        return false;
    }
    return !looks || taut_world_read_overlaps(s->world, &s->sum.first) == TAUT_OK ||
           report_fail(r, "%s: %s", s->file->path, taut_last_error());
}

static bool begin_run(run* s, report* r) {
    return checkpoint_open(s->a, s->file, s->built, s->world, &s->point, r) &&
           (!s->a->resume || checkpoint_resume(&s->point, s->a, s->file, s->built, s->world, &s->start, r)) &&
           note_start(s, r) && outputs_open(s->a, s->file, s->built, s->start, &s->out, r);
}

static bool contradicts(const taut_world* world) {
    taut_choice choice = {.contradicting_rows = 0};
    return taut_world_choice(world, &choice) == TAUT_OK && choice.contradicting_rows > 0;
}

static void warn_of_contradictions(const run* s) {
    char sentence[640];
    if (contradictions_tell(s->world, s->built, sentence, sizeof sentence)) {
        fprintf(stderr, "%s: warning: %s\n", s->file->path, sentence);
    }
}

/* Frames converge without them. */
static void warn_of_fixed(const run* s) {
    char sentence[320];
    if (fixed_apart_tell(s->world, s->file, s->built, sentence, sizeof sentence)) {
        warning_print("%s: %s", s->file->path, sentence);
    }
}

static int run_world(run* s, report* r) {
    if (!begin_run(s, r)) {
        return EXIT_INPUT;
    }
    s->sum.start = s->start;
    s->sum.ended.contradicts = contradicts(s->world);
    s->sum.time = (double)s->start / s->file->fps;
    interrupt_watch();
    interrupt_stops(s->world);
    report late = {0};
    int code = run_frames(s, r);
    interrupt_stops(NULL);
    if (!outputs_close(&s->out, &late) && code == EXIT_DONE) {
        s->end = "failed";
        *r = late;
        code = EXIT_INPUT;
    }
    const bool inexact = outcomes_not_converged(&s->sum.ended) > 0;
    if (inexact && s->a->strict && code == EXIT_DONE) {
        s->end = "not converged";
        code = EXIT_SIMULATION;
    }
    if (inexact && !r->text[0]) {
        outcomes_tell(&s->sum.ended, s->file->path, r);
    }
    if (inexact) {
        warn_of_contradictions(s);
    }
    warn_of_fixed(s);
    summary_warn(&s->sum, s->file->path);
    summary_print(&s->sum, s->end, s->file->path, taut_world_backend(s->world), s->a->json);
    summary_free(&s->sum);
    return code;
}

static int run_scene(const arguments* a, const scene_file* file, report* r) {
    built_scene built = {0};
    if (!scene_build(file, &built, r)) {
        return EXIT_INPUT;
    }
    const double* gravity = file->world.gravity;
    const taut_integrator* scheme = &file->world.integrator;
    run s = {.a = a,
             .file = file,
             .built = &built,
             .end = "done",
             .sum.contact = built.kinds[TAUT_CONTACT],
             .sum.lift = scene_lift(file, &built),
             .sum.settled = scene_settling(file),
             .sum.inverts = scene_inverts(file),
             .sum.ended.max_iterations = file->world.solver.max_iterations,
             .sum.gravity = {gravity[0], gravity[1], gravity[2]},
             .sum.ahead = scheme->formulation == TAUT_FORMULATION_THETA ? scheme->beta - 0.5 : 0};
    s.frames = a->frames_given ? a->frames : file->frames;
    int code = limits_check_built(a, file, &built, r) ? (int)make_world(a, file, &built, &s.world, r) : (int)EXIT_INPUT;
    if (code == EXIT_DONE) {
        code = run_world(&s, r);
    }
    checkpoint_close(&s.point);
    taut_world_destroy(s.world);
    built_scene_free(&built);
    return code;
}

static int run_arguments(const arguments* a, report* r) {
    scene_file file = {0};
    if (backend_ready(a, r) != EXIT_DONE) {
        return EXIT_BACKEND;
    }
    limits_begin(a);
    if (!scene_file_read(a->scene, &file, r)) {
        return EXIT_INPUT;
    }
    if (a->quality < TAUT_QUALITY_COUNT) {
        scene_file_set_quality(&file, a->quality);
    }
    file.budget = a->budget_ms > 0 ? a->budget_ms / 1000.0 : file.budget;
    int code = limits_check_file(a, &file, r) ? run_scene(a, &file, r) : (int)EXIT_INPUT;
    scene_file_free(&file);
    return code;
}

int run_command(int argc, char** argv) {
    report r = {0};
    arguments a = {0};
    if (!arguments_parse(argc, argv, &a, &r)) {
        return fail_with(EXIT_INPUT, &r);
    }
    int code = EXIT_DONE;
    if (a.help) {
        fputs(run_help, stdout);
    } else {
        code = run_arguments(&a, &r);
    }
    arguments_free(&a);
    return r.text[0] ? fail_with((exit_code)code, &r) : code;
}
