#include "host/cpu/cpu_parallel.h"

#include "base/team.h"

/* Items of a short part. */
#define GRAIN 16
/* Equal parts for each thread: those that a thread is late with go to others. And of the items that stay on one. */
#define PARTS 4

/* A loop as tasks, each a part. */
typedef struct parted {
    cpu_range* range;
    const void* context;
    size_t first, end, part; /* items; of a part, or 0: in `parts` equal ones */
    uint32_t parts;
} parted;

static void run_part(void* loop, uint32_t part) {
    const parted* l = loop;
    const size_t count = l->end - l->first, share = count / l->parts, more = count % l->parts;
    size_t first = l->first + part * share + (part < more ? part : more), last = first + share + (part < more);
    if (l->part > 0) {
        first = l->first + part * l->part;
        last = l->end - first < l->part ? l->end : first + l->part;
    }
    l->range(l->context, part, first, last);
}

/* The one place where threads work together. */
static void run_parts(const taut_plan* plan, parted* loop) {
    const taut_tasks* tasks = &plan->settings.tasks;
    const uint32_t threads = plan->settings.threads < loop->parts ? plan->settings.threads : loop->parts;
    if (threads <= 1) {
        for (uint32_t part = 0; part < loop->parts; part++) {
            run_part(loop, part);
        }
    } else if (tasks->run != NULL) {
        tasks->run(tasks->context, loop->parts, run_part, loop);
    } else {
        taut_team_run(threads, loop->parts, run_part, loop);
    }
}

/* In at most so many equal parts for each thread. */
static void run_equal(const taut_plan* plan, size_t first, size_t end, size_t alone, uint32_t parts, cpu_range* range,
                      const void* context) {
    const size_t count = end > first ? end - first : 0;
    if (count <= alone || plan->settings.threads <= 1) {
        range(context, 0, first, first + count);
        return;
    }
    const size_t least = alone < PARTS ? 1 : alone / PARTS, most = (size_t)parts * plan->settings.threads;
    const size_t fit = count / least;
    parted loop = {range, context, first, end, 0, (uint32_t)(fit < most ? fit : most)};
    run_parts(plan, &loop);
}

void cpu_for(const taut_plan* plan, size_t first, size_t end, size_t alone, cpu_range* range, const void* context) {
    run_equal(plan, first, end, alone, PARTS, range, context);
}

void cpu_for_unknowns(const taut_plan* plan, bool rows, cpu_range* range, const void* context) {
    const taut_sizes* s = &plan->sizes;
    const size_t live = cpu_live_rows(s), couples = s->rolls ? s->first_row[TAUT_ROLLING] : s->rows;
    cpu_for(plan, 0, live, CPU_PARALLEL_FROM, range, context);
    cpu_for(plan, couples > live ? couples : live, rows ? s->rows : s->unknowns, CPU_PARALLEL_FROM, range, context);
}

void cpu_for_each_thread(const taut_plan* plan, size_t count, size_t alone, cpu_range* range, const void* context) {
    run_equal(plan, 0, count, alone, 1, range, context);
}

void cpu_for_uneven(const taut_plan* plan, size_t count, size_t alone, cpu_range* range, const void* context) {
    if (count <= alone || plan->settings.threads <= 1) {
        range(context, 0, 0, count);
        return;
    }
    parted loop = {range, context, 0, count, GRAIN, (uint32_t)((count + GRAIN - 1) / GRAIN)};
    run_parts(plan, &loop);
}

void cpu_sum(const taut_plan* plan, size_t n, cpu_range* range, const void* context, size_t values, void* sums) {
    const size_t chunks = cpu_chunk_count(n);
    cpu_for(plan, 0, chunks, 1, range, context);
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        cpu_add_doubles(plan->fields.partial + TAUT_PARTIALS * chunk, values, sums);
    }
}
