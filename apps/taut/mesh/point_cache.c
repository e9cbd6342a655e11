#include "mesh/point_cache.h"

#include "base/array.h"
#include "base/file_sequence.h"
#include "base/input_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* More in one sample, or samples, than any of these files holds. */
#define MOST 100000000

void point_cache_free(point_cache* c) {
    free(c->times);
    free(c->points);
    *c = (point_cache){0};
}

/* The arrays of `samples` samples of `m`. */
static bool make_room(const mesh* m, size_t samples, point_cache* c, report* r) {
    c->point_count = m->point_count;
    c->sample_count = samples;
    c->times = array_new(samples, sizeof *c->times, r);
    c->points = c->times ? array_new(samples * m->point_count, sizeof *c->points, r) : NULL;
    return c->points != NULL;
}

/* ---- binary files ---------------------------------------------------------------------------------------------- */

/* A file that is read from front to back. */
typedef struct binary_file {
    const char* path;
    FILE* stream;
    size_t left;     /* bytes */
    bool big_endian; /* as MDD, otherwise as PC2 */
} binary_file;

static uint32_t word_of(const unsigned char b[4], bool big_endian) {
    return big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                      : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static bool read_words(binary_file* f, size_t count, uint32_t* out, report* r) {
    if (count > f->left / 4 || fread(out, 4, count, f->stream) != count) {
        return report_fail(r, "%s: ends early: the file is truncated", f->path);
    }
    f->left -= 4 * count;
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[4];
        memcpy(bytes, &out[i], 4);
        out[i] = word_of(bytes, f->big_endian);
    }
    return true;
}

static double real_of(uint32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

static bool check_counts(const binary_file* f, const mesh* m, uint32_t points, uint32_t samples, report* r) {
    if (points != m->point_count) {
        return report_fail(r,
                           "%s: has %u points, and the mesh %zu: both must have the same points in the same order, all "
                           "of them corners of triangles",
                           f->path, points, m->point_count);
    }
    return (samples >= 1 && samples <= MOST) ||
           report_fail(r, "%s: states %u samples: it needs at least one", f->path, samples);
}

/* All samples, one after the other. */
static bool read_samples(binary_file* f, point_cache* c, report* r) {
    uint32_t* words = array_new(3 * c->point_count, sizeof *words, r);
    bool ok = words != NULL;
    for (size_t s = 0; ok && s < c->sample_count; s++) {
        double* to = c->points[s * c->point_count];
        ok = read_words(f, 3 * c->point_count, words, r);
        for (size_t i = 0; ok && i < 3 * c->point_count; i++) {
            to[i] = real_of(words[i]);
            ok = fabs(to[i]) <= 1e30 || report_fail(r, "%s: sample %zu: point %zu is not finite", f->path, s, i / 3);
        }
    }
    free(words);
    return ok;
}

/* Whether the file holds what its header states; before memory is taken for that. */
static bool check_size(const binary_file* f, size_t points, size_t samples, report* r) {
    const size_t held = f->left / (12 * points);
    return held >= samples ||
           report_fail(r, "%s: states %zu samples, and holds %zu: the file is truncated", f->path, samples, held);
}

static bool read_pc2(binary_file* f, const mesh* m, double fps, point_cache* c, report* r) {
    uint32_t head[8]; /* signature in 3, version, points, first frame, frames per sample, samples */
    if (!read_words(f, 8, head, r)) {
        return false;
    }
    const unsigned char* text = (const unsigned char*)"POINTCACHE2";
    if (head[0] != word_of(text, false) || head[1] != word_of(text + 4, false) || head[2] != word_of(text + 8, false) ||
        head[3] != 1) {
        return report_fail(r, "%s: is no PC2 point cache of version 1", f->path);
    }
    const double rate = real_of(head[6]);
    if (!(rate > 0 && rate <= 1e6)) {
        return report_fail(r, "%s: states %g frames per sample: it must be above 0", f->path, rate);
    }
    if (!check_counts(f, m, head[4], head[7], r) || !check_size(f, head[4], head[7], r) ||
        !make_room(m, head[7], c, r)) {
        return false;
    }
    for (size_t s = 0; s < c->sample_count; s++) {
        c->times[s] = (double)s * rate / fps;
    }
    return read_samples(f, c, r);
}

static bool read_mdd_times(binary_file* f, double fps, point_cache* c, report* r) {
    uint32_t* words = array_new(c->sample_count, sizeof *words, r);
    bool ok = words && read_words(f, c->sample_count, words, r);
    for (size_t s = 0; ok && s < c->sample_count; s++) {
        c->times[s] = fps > 0 ? (double)s / fps : real_of(words[s]) - real_of(words[0]);
        ok = s == 0 || c->times[s] > c->times[s - 1] ||
             report_fail(r, "%s: the time of sample %zu is not later than that before: give 'fps'", f->path, s);
    }
    free(words);
    return ok;
}

static bool read_mdd(binary_file* f, const mesh* m, double fps, point_cache* c, report* r) {
    uint32_t head[2]; /* samples, points */
    if (!read_words(f, 2, head, r) || !check_counts(f, m, head[1], head[0], r)) {
        return false;
    }
    const size_t times = 4 * (size_t)head[0];
    const binary_file behind = {f->path, f->stream, f->left > times ? f->left - times : 0, true};
    return check_size(&behind, head[1], head[0], r) && make_room(m, head[0], c, r) && read_mdd_times(f, fps, c, r) &&
           read_samples(f, c, r);
}

static bool read_binary(const char* path, bool mdd, const mesh* m, double fps, point_cache* c, report* r) {
    binary_file f = {.path = path, .big_endian = mdd};
    if (!input_file_open(path, &f.stream, &f.left, r)) {
        return false;
    }
    const bool ok = mdd ? read_mdd(&f, m, fps, c, r) : read_pc2(&f, m, fps, c, r);
    (void)fclose(f.stream);
    return ok;
}

/* ---- sequences ------------------------------------------------------------------------------------------------- */

/* How many files there are from `first` on. */
static bool count_files(const char* sequence, size_t first, size_t* count, report* r) {
    for (*count = 0; *count < MOST; ++*count) {
        char* path = file_of_sequence(sequence, first + *count, r);
        const bool there = path && access(path, F_OK) == 0;
        if (path && !there && *count == 0) {
            (void)report_fail(r, "%s: does not exist: it would be the first file of the sequence", path);
        }
        free(path);
        if (!there) {
            return *count > 0 && path != NULL;
        }
    }
    return true;
}

static bool same_triangles(const mesh* a, const mesh* b) {
    return a->point_count == b->point_count && a->triangle_count == b->triangle_count &&
           memcmp(a->triangles, b->triangles, a->triangle_count * sizeof *a->triangles) == 0;
}

static bool read_file(const char* path, const mesh* m, double (*out)[3], report* r) {
    mesh sample = {0};
    bool ok = mesh_read_surface(path, &sample, r);
    if (ok && !same_triangles(&sample, m)) {
        ok = report_fail(r, "%s: has other triangles than the mesh: files of a sequence differ in positions alone",
                         path);
    }
    if (ok) {
        memcpy(out, sample.points, m->point_count * sizeof *out);
    }
    mesh_free(&sample);
    return ok;
}

static bool read_sequence(const char* sequence, const mesh* m, size_t first, double fps, point_cache* c, report* r) {
    size_t count;
    bool ok = count_files(sequence, first, &count, r) && make_room(m, count, c, r);
    for (size_t s = 0; ok && s < count; s++) {
        char* path = file_of_sequence(sequence, first + s, r);
        ok = path && read_file(path, m, c->points + s * m->point_count, r);
        c->times[s] = (double)s / fps;
        free(path);
    }
    return ok;
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

bool point_cache_read(const char* path, const mesh* m, size_t first, double fps, double usual_fps, point_cache* out,
                      report* r) {
    const char* ending = input_file_ending(path);
    const bool mdd = strcasecmp(ending, "mdd") == 0;
    const double rate = fps > 0 ? fps : usual_fps;
    point_cache made = {0};
    bool ok;
    if (is_file_sequence(path)) {
        ok = read_sequence(path, m, first, rate, &made, r);
    } else if (mdd || strcasecmp(ending, "pc2") == 0) {
        ok = read_binary(path, mdd, m, mdd ? fps : rate, &made, r);
    } else {
        ok = report_fail(r,
                         "%s: is neither a point cache (.pc2, .mdd) nor a sequence of files, such as "
                         "\"walk_%%04d.obj\"",
                         path);
    }
    if (!ok) {
        point_cache_free(&made);
        return false;
    }
    *out = made;
    return true;
}

/* The last sample that is no later than `time`, but the last of all. */
static size_t sample_before(const point_cache* c, double time) {
    size_t low = 0, high = c->sample_count - 1;
    while (high > low + 1) {
        const size_t middle = (low + high) / 2;
        if (c->times[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void point_cache_at(const point_cache* c, double time, double (*out)[3]) {
    const size_t s = sample_before(c, time), next = s + 1 < c->sample_count ? s + 1 : s;
    const double length = c->times[next] - c->times[s];
    const double part = length > 0 ? fmin(fmax((time - c->times[s]) / length, 0), 1) : 0;
    const double(*from)[3] = (const double(*)[3])c->points + s * c->point_count;
    const double(*to)[3] = (const double(*)[3])c->points + next * c->point_count;
    for (size_t i = 0; i < c->point_count; i++) {
        for (int k = 0; k < 3; k++) {
            out[i][k] = (1 - part) * from[i][k] + part * to[i][k];
        }
    }
}
