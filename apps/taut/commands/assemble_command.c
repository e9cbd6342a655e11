/* taut assemble: a scene's matrices as files, for inspection and for other programs. */
#include "base/array.h"
#include "base/directory.h"
#include "base/whole_file.h"
#include "commands/limits.h"
#include "commands/make_world.h"

#include <stdio.h>
#include <stdlib.h>

static const char assemble_help[] = "taut assemble SCENE.json [options]  writes a scene's matrices and vectors\n"
                                    "  --out DIR                       where they go; default out\n"
                                    "  --frames N                      simulates so many frames before; default 0\n"
                                    "  --backend auto|cpu|cuda         default auto\n"
                                    "  --threads N                     of the CPU backend; default all\n" LIMITS_HELP
                                    "M.mtx J.mtx C.mtx P.mtx G.mtx K.mtx Gamma.mtx f.mtx phi.mtx lam.mtx v.mtx\n"
                                    "                                in Matrix Market form\n"
                                    "rows.csv                        which rows are which constraint or contact\n"
                                    "columns.csv                     which columns are which vertex or frame\n";

/* A vertex or a frame by its object, or by its place in the file. */
typedef struct node_name {
    const char* object; /* NULL: none */
    size_t number;
} node_name;

/* Where the files of one run go. */
typedef struct target {
    const char* directory;
    const scene_file* file;
    const taut_assembly* assembly;
    size_t point_count;
    size_t node_count; /* points, then frames */
    node_name* names;
    const built_scene* built;
} target;

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool open_file(const target* t, const char* name, const char* suffix, whole_file* out, report* r) {
    char whole[32];
    (void)snprintf(whole, sizeof whole, "%s%s", name, suffix);
    char* path = directory_entry(t->directory, whole, r);
    const bool ok = path != NULL && whole_file_open(out, path, r);
    free(path);
    return ok;
}

static bool write_matrix(const target* t, taut_matrix which, report* r) {
    taut_csr_view a;
    whole_file f;
    if (taut_assembly_matrix(t->assembly, which, &a) != TAUT_OK) {
        return report_fail(r, "%s: %s", t->file->path, taut_last_error());
    }
    if (!open_file(t, taut_matrix_name(which), ".mtx", &f, r)) {
        return false;
    }
    fprintf(f.stream, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", a.rows, a.columns, a.nonzeros);
    for (size_t row = 0; row < a.rows; row++) {
        for (size_t i = a.offsets[row]; i < a.offsets[row + 1]; i++) {
            fprintf(f.stream, "%zu %zu %.17g\n", row + 1, (size_t)a.indices[i] + 1, a.values[i]);
        }
    }
    return whole_file_commit(&f, r);
}

static bool write_vector(const target* t, taut_vector which, report* r) {
    taut_array v;
    whole_file f;
    if (taut_assembly_vector(t->assembly, which, &v) != TAUT_OK) {
        return report_fail(r, "%s: %s", t->file->path, taut_last_error());
    }
    if (!open_file(t, taut_vector_name(which), ".mtx", &f, r)) {
        return false;
    }
    fprintf(f.stream, "%%%%MatrixMarket matrix array real general\n%zu 1\n", v.rows);
    for (size_t i = 0; i < v.rows; i++) {
        fprintf(f.stream, "%.17g\n", ((const double*)v.data)[i]);
    }
    return whole_file_commit(&f, r);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void name_run(node_name* names, size_t count, const char* object, size_t number) {
    for (size_t i = 0; i < count; i++) {
        names[i] = (node_name){object, number + i};
    }
}

/* NULL after setting the report. */
static node_name* name_nodes(const built_scene* built, report* r) {
    const size_t points = taut_scene_particle_count(built->scene);
    node_name* names = array_new(points + taut_scene_frame_count(built->scene), sizeof *names, r);
    for (size_t i = 0; names && i < built->object_count; i++) {
        const built_object* o = &built->objects[i];
        name_run(names + o->first_point, o->point_count, o->name, 0);
        name_run(names + points + o->first_frame, o->frame_count, o->name, 0);
    }
    for (size_t i = 0; names && i < built->unnamed_count; i++) {
        const unnamed_nodes* u = &built->unnamed[i];
        name_run(names + u->first_point, u->point_count, u->place, u->number);
        name_run(names + points + u->first_frame, u->frame_count, u->place, u->number);
    }
    return names;
}

/* A quoted field with its quotes doubled. */
static void write_quoted(FILE* stream, const char* text) {
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"') {
            fputc('"', stream);
        }
        fputc(*text, stream);
    }
    fputc('"', stream);
}

/* Three columns a point, then three a frame: vertex and frame are those of the object. */
static bool write_columns(const target* t, report* r) {
    whole_file f;
    if (!open_file(t, "columns", ".csv", &f, r)) {
        return false;
    }
    fputs("first_column,object,vertex,frame\n", f.stream);
    for (size_t i = 0; i < t->node_count; i++) {
        const node_name* n = &t->names[i];
        fprintf(f.stream, "%zu,", 3 * i + 1);
        write_quoted(f.stream, n->object ? n->object : "");
        fprintf(f.stream, i < t->point_count ? ",%zu,\n" : ",,%zu\n", n->number);
    }
    return whole_file_commit(&f, r);
}

/* ,object,number or ,, for none */
static void write_name(const node_name* n, FILE* stream) {
    fputc(',', stream);
    if (n != NULL && n->object != NULL) {
        write_quoted(stream, n->object);
        fprintf(stream, ",%zu", n->number);
    } else {
        fputc(',', stream);
    }
}

static void write_block(const target* t, const taut_block* block, FILE* stream) {
    fprintf(stream, "%zu,%u,%s,%u,%u", block->first_row + 1, block->rows, taut_kind_name(block->kind), block->batch.id,
            block->constraint);
    for (uint32_t i = 0; i < 4; i++) {
        write_name(i < block->particle_count ? &t->names[block->particles[i]] : NULL, stream);
    }
    for (uint32_t i = 0; i < 2; i++) {
        write_name(i < block->frame_count ? &t->names[t->point_count + block->frames[i]] : NULL, stream);
    }
    const bool known = block->batch.id > 0 && block->batch.id <= t->built->source_count;
    fputc(',', stream);
    write_quoted(stream, known ? t->built->sources[block->batch.id - 1].place : "contacts");
    fprintf(stream, ",%d\n", block->force);
}

static bool write_rows(const target* t, report* r) {
    whole_file f;
    if (!open_file(t, "rows", ".csv", &f, r)) {
        return false;
    }
    fputs("first_row,rows,kind,batch,constraint", f.stream);
    for (int i = 0; i < 4; i++) {
        fprintf(f.stream, ",object_%d,vertex_%d", i, i);
    }
    for (int i = 0; i < 2; i++) {
        fprintf(f.stream, ",frame_object_%d,frame_%d", i, i);
    }
    fputs(",source,force\n", f.stream);
    for (size_t i = 0; i < taut_assembly_block_count(t->assembly); i++) {
        taut_block block;
        if (taut_assembly_block(t->assembly, i, &block) == TAUT_OK) {
            write_block(t, &block, f.stream);
        }
    }
    return whole_file_commit(&f, r);
}

static bool write_all(const target* t, report* r) {
    bool ok = write_rows(t, r) && write_columns(t, r);
    for (int i = 0; ok && i < TAUT_MATRIX_COUNT; i++) {
        ok = write_matrix(t, (taut_matrix)i, r);
    }
    for (int i = 0; ok && i < TAUT_VECTOR_COUNT; i++) {
        ok = write_vector(t, (taut_vector)i, r);
    }
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static exit_code simulate(const arguments* a, const scene_file* file, const built_scene* built, taut_world* world,
                          report* r) {
    taut_status status = TAUT_OK;
    for (uint32_t frame = 1; status == TAUT_OK && frame <= a->frames; frame++) {
        status = scene_move(built, world, frame / file->fps, 1 / file->fps);
        if (status == TAUT_OK) {
            status = taut_world_step(world, 1 / file->fps);
        }
        if (status == TAUT_OK) {
            status = taut_world_sync(world);
        }
        if (status != TAUT_OK) {
            report_fail(r, "%s: frame %u: %s", file->path, frame, taut_last_error());
        }
    }
    return exit_code_of(status);
}

static exit_code write_assembly(const arguments* a, const scene_file* file, const built_scene* built, taut_world* world,
                                report* r) {
    taut_assembly* assembly = NULL;
    char* directory = text_copy(a->directory, r);
    node_name* names = directory != NULL ? name_nodes(built, r) : NULL;
    exit_code code = EXIT_INPUT;
    if (names != NULL && directory_make(directory, r)) {
        const size_t points = taut_world_particle_count(world), frames = taut_world_frame_count(world);
        taut_status status = taut_world_linearise(world, 1 / file->fps / file->world.integrator.substeps);
        status = status == TAUT_OK ? taut_assembly_create(world, &assembly) : status;
        const target t = {directory, file, assembly, points, points + frames, names, built};
        if (status != TAUT_OK) {
            report_fail(r, "%s: %s", file->path, taut_last_error());
            code = exit_code_of(status);
        } else if (write_all(&t, r)) {
            code = EXIT_DONE;
        }
    }
    taut_assembly_destroy(assembly);
    free(directory);
    free(names);
    return code;
}

static exit_code assemble_scene(const arguments* a, report* r) {
    scene_file file = {0};
    built_scene built = {0};
    taut_world* world = NULL;
    exit_code code = backend_ready(a, r);
    if (code == EXIT_DONE) {
        limits_begin(a);
        code = scene_file_read(a->scene, &file, r) && limits_check_file(a, &file, r) && scene_build(&file, &built, r) &&
                       limits_check_built(a, &file, &built, r)
                   ? EXIT_DONE
                   : EXIT_INPUT;
    }
    if (code == EXIT_DONE) {
        code = make_world(a, &file, &built, &world, r);
    }
    if (code == EXIT_DONE) {
        code = simulate(a, &file, &built, world, r);
    }
    if (code == EXIT_DONE) {
        code = write_assembly(a, &file, &built, world, r);
    }
    taut_world_destroy(world);
    built_scene_free(&built);
    scene_file_free(&file);
    return code;
}

int assemble_command(int argc, char** argv) {
    report r = {0};
    arguments a = {0};
    if (!arguments_parse(argc, argv, &a, &r)) {
        return fail_with(EXIT_INPUT, &r);
    }
    exit_code code = EXIT_DONE;
    if (a.help) {
        fputs(assemble_help, stdout);
    } else {
        code = assemble_scene(&a, &r);
    }
    arguments_free(&a);
    return code != EXIT_DONE ? fail_with(code, &r) : (int)EXIT_DONE;
}
