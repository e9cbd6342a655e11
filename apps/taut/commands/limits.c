#include "commands/limits.h"

#include "build/scene_cost.h"
#include "commands/interrupt.h"
#include "scene_json/scene_paths.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const double mib = 1 << 20;
static const double gib = 1 << 30;
/* A search of so many pairs takes tens of seconds. Where a vertex is near a thousand faces, the layers of a step's
 * contacts make it longer still: such scenes are refused from fewer pairs on. */
static const double million = 1e6;
static const double most_pairs = 2e8, most_dense_pairs = 5e6, dense = 1000; /* pairs a vertex */

/* Bytes of data that the process has already, mostly those of libraries, as RLIMIT_DATA counts them: pages, sixth
 * number of the file. */
static rlim_t data_so_far(void) {
    unsigned long data = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    const bool known = file && fscanf(file, "%*u %*u %*u %*u %*u %lu", &data) == 1;
    if (file) {
        (void)fclose(file);
    }
    return known ? (rlim_t)data * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
}

void limits_begin(const arguments* a) {
    if (a->max_seconds) {
        interrupt_after(a->max_seconds);
    }
    /* What is mapped and never written, as by CUDA, does not count. */
    struct rlimit now;
    if (a->max_memory && getrlimit(RLIMIT_DATA, &now) == 0) {
        const rlim_t wanted = data_so_far() + ((rlim_t)a->max_memory << 20);
        now.rlim_cur = wanted < now.rlim_max ? wanted : now.rlim_max;
        (void)setrlimit(RLIMIT_DATA, &now);
    }
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static const char to_do[] = "allow more, or make the scene smaller or coarser";

typedef struct memory_limit {
    double bytes;
    const char* why;
    bool reserved; /* it counts room that is reserved, too */
} memory_limit;

static void lower(memory_limit* limit, double bytes, const char* why, bool reserved) {
    if (bytes < limit->bytes) {
        *limit = (memory_limit){bytes, why, reserved};
    }
}

static memory_limit memory_limit_of(const arguments* a) {
    memory_limit limit = {1e300, "", false};
    struct rlimit space;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (a->max_memory) {
        lower(&limit, a->max_memory * mib, "--max-memory allows", true);
    }
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        lower(&limit, (double)space.rlim_cur, "this process may have", true);
    }
    if (pages > 0 && page > 0) {
        lower(&limit, (double)pages * (double)page, "this machine has", false);
    }
    return limit;
}

/* `more`: bytes beyond those of the scene. */
static bool check_memory(const arguments* a, const scene_file* file, const built_scene* built, double more,
                         const char* of, report* r) {
    const memory_limit limit = memory_limit_of(a);
    const double bytes = scene_memory(file, built) + more, room = limit.reserved ? scene_room(file, built) : 0;
    char reserved[64] = "";
    if (room > 0) {
        (void)snprintf(reserved, sizeof reserved, " and reserve %.3g GiB for contacts", room / gib);
    }
    return bytes + room <= limit.bytes ||
           report_fail(r, "%s: %s would take about %.3g GiB of memory%s, more than the %.3g GiB that %s: %s",
                       file->path, of, bytes / gib, reserved, limit.bytes / gib, limit.why, to_do);
}

/* ---- checks --------------------------------------------------------------------------------------------------- */

bool limits_check_file(const arguments* a, const scene_file* file, report* r) {
    const bool limited = a->max_memory || a->max_seconds;
    const bool confined = a->confined || (limited && !a->allow_outside);
    return (!confined || scene_paths_confined(file, r)) && check_memory(a, file, NULL, 0, "the scene", r);
}

bool limits_check_built(const arguments* a, const scene_file* file, const built_scene* built, report* r) {
    if (!check_memory(a, file, built, 0, "the scene", r)) {
        return false;
    }
    const near_pairs near = scene_near_pairs(file, built, most_dense_pairs);
    const bool crowded = near.pairs > dense * near.points;
    const double most = crowded ? most_dense_pairs : most_pairs;
    return near.pairs <= most ||
           report_fail(r,
                       "%s: about %.1f million pairs of vertices and faces are nearer than the thickness of their "
                       "contact surfaces, %.0f for each vertex, more than the %g million that can be searched in each "
                       "step%s: make the thickness smaller or the meshes coarser",
                       file->path, near.pairs / million, near.pairs / near.points, most / million,
                       crowded ? " where vertices have over 1000" : "");
}

bool limits_check_contacts(const arguments* a, const scene_file* file, const built_scene* built, double contacts,
                           report* r) {
    char of[64];
    (void)snprintf(of, sizeof of, "the scene with %.3g contacts", contacts);
    return check_memory(a, file, built, contact_memory(contacts), of, r);
}

const char* limits_hint(const arguments* a, taut_status status) {
    return status == TAUT_OUT_OF_MEMORY && a->max_memory
               ? " --max-memory allows no more: raise it, or make the scene smaller or coarser."
               : "";
}
