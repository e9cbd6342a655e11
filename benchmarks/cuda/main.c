/* taut-bench-cuda: what the CUDA backend reaches of the device it runs on. */
#include "device_row.h"
#include "option_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] = "usage: taut-bench-cuda [options]        (lists are separated by commas)\n"
                           "  --sizes LIST       constraints of a scene, 100 to 10000000; default 1000 to 1000000\n"
                           "  --full             sizes to 10000000 where nothing else is asked for\n"
                           "  --scenes LIST      default all of those below\n"
                           "  --methods LIST     schur, condensed; default schur, and condensed for cloth and blocks\n"
                           "  --geometric LIST   full, none; default full\n"
                           "  --repeats N        samples of each time after one that warms up; default 10\n"
                           "  --csv FILE         writes the rows with device, driver, runtime and commit\n"
                           "  --smoke            one sample at the smallest size: whether it runs, not how fast\n"
                           "  --help\n"
                           "scenes:\n";

typedef struct device_options {
    size_t scenes[OPTIONS_MOST], scene_count;
    size_t sizes[OPTIONS_MOST], size_count;
    taut_geometric_stiffness geometrics[OPTIONS_MOST];
    size_t geometric_count;
    taut_method methods[OPTIONS_MOST];
    size_t method_count; /* 0: by scene */
    uint32_t repeats;    /* 0: not said */
    bool full, smoke;
    const char* csv;
} device_options;

static const struct option names[] = {
    {"sizes", required_argument, NULL, 's'},   {"full", no_argument, NULL, 'f'},
    {"scenes", required_argument, NULL, 'S'},  {"geometric", required_argument, NULL, 'g'},
    {"methods", required_argument, NULL, 'm'}, {"repeats", required_argument, NULL, 'r'},
    {"csv", required_argument, NULL, 'c'},     {"smoke", no_argument, NULL, 'k'},
    {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

static bool read_option(int letter, void* options) {
    device_options* o = options;
    switch (letter) {
    case 's':
        return option_list("sizes", optarg, option_size, &o->size_count, o->sizes);
    case 'S':
        return option_list("scenes", optarg, option_scene, &o->scene_count, o->scenes);
    case 'g':
        return option_list("geometric", optarg, option_geometric, &o->geometric_count, o->geometrics);
    case 'm':
        return option_list("methods", optarg, option_method, &o->method_count, o->methods);
    case 'r':
        return option_count("repeats", optarg, 1, 10000, &o->repeats);
    case 'c':
        o->csv = optarg;
        return true;
    case 'f':
        return o->full = true;
    default:
        return o->smoke = true;
    }
}

static void fill_defaults(device_options* o) {
    static const size_t smallest = 100, sizes[] = {1000, 10000, 100000, 1000000, 10000000};
    if (o->size_count == 0) {
        o->size_count = o->smoke ? 1 : o->full ? 5 : 4;
        memcpy(o->sizes, o->smoke ? &smallest : sizes, o->size_count * sizeof sizes[0]);
    }
    if (o->scene_count == 0) {
        for (; o->scene_count < bench_scene_count; o->scene_count++) {
            o->scenes[o->scene_count] = o->scene_count;
        }
    }
    if (o->geometric_count == 0) {
        o->geometrics[o->geometric_count++] = TAUT_GEOMETRIC_FULL;
    }
    o->repeats = o->repeats > 0 ? o->repeats : o->smoke ? 1 : 10;
}

static void print_help(void) {
    fputs(help, stdout);
    for (size_t i = 0; i < bench_scene_count; i++) {
        printf("  %-8s %s\n", bench_scenes[i].name, bench_scenes[i].text);
    }
}

static void print_machine(const bench_machine* m, const device_options* o, const copy_speed* copy) {
    printf("taut %s (%s), %s, driver %s, runtime %s, %s, %s\n", taut_version(), m->commit, m->device, m->driver,
           m->runtime, m->compiler, m->build);
    printf("copy: %.1f GB/s within the L2 cache of %.1f MB, %.1f GB/s beyond\n", copy->cache_gb_s,
           1e-6 * (double)copy->cache_bytes, copy->memory_gb_s);
    if (o->smoke) {
        printf("A smoke run: no figure below is a measurement.\n");
    }
}

/* The methods of a scene: where none is asked for, the condensed system is for what has more rows than a net. */
static size_t list_methods(const device_options* o, const bench_scene* scene, taut_method* out) {
    size_t count = 0;
    if (o->method_count > 0) {
        memcpy(out, o->methods, o->method_count * sizeof *out);
        return o->method_count;
    }
    out[count++] = TAUT_METHOD_SCHUR;
    if (scene->preconditioner == TAUT_PRECONDITIONER_JACOBI) {
        out[count++] = TAUT_METHOD_CONDENSED;
    }
    return count;
}

static device_row* measure_all(const device_options* o, const copy_speed* copy, size_t* count) {
    const size_t variants = o->scene_count * o->size_count * o->geometric_count;
    device_row* rows = bench_allocate(variants * OPTIONS_MOST, sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < variants; i++) {
        const size_t scene = i / o->geometric_count / o->size_count;
        device_case c = {.scene = &bench_scenes[o->scenes[scene]],
                         .size = o->sizes[i / o->geometric_count % o->size_count],
                         .geometric = o->geometrics[i % o->geometric_count],
                         .repeats = o->repeats,
                         .smoke = o->smoke,
                         .copy = *copy};
        taut_method methods[OPTIONS_MOST];
        const size_t method_count = list_methods(o, c.scene, methods);
        for (size_t m = 0; m < method_count; m++) {
            c.method = methods[m];
            rows[(*count)++] = device_measure(&c);
            fprintf(stderr, "%s: %s, %zu of %zu variants\n", option_program, c.scene->name, i + 1, variants);
        }
    }
    return rows;
}

static int write_csv(FILE* csv, const device_row* rows, size_t count, const bench_machine* machine, bool smoke) {
    device_csv_heading(csv);
    for (size_t i = 0; i < count; i++) {
        device_csv_row(csv, &rows[i], machine, smoke);
    }
    const int failed = ferror(csv);
    return fclose(csv) != 0 || failed;
}

int main(int argc, char** argv) {
    device_options o = {0};
    option_program = "taut-bench-cuda";
    const options_verdict verdict = options_parse(argc, argv, names, read_option, &o, print_help);
    if (verdict != OPTIONS_RUN) {
        return verdict == OPTIONS_HELP ? 0 : 2;
    }
    fill_defaults(&o);
    /* Opened before the measurements: a name that can not be written should not cost a run. */
    FILE* csv = o.csv != NULL ? fopen(o.csv, "w") : NULL;
    if (o.csv != NULL && csv == NULL) {
        fprintf(stderr, "%s: %s: %s\n", option_program, o.csv, strerror(errno));
        return 2;
    }
    bench_must(taut_backend_available(TAUT_BACKEND_CUDA));
    size_t count = 0;
    const bench_machine machine = machine_describe();
    const copy_speed copy = copy_measure(o.smoke);
    print_machine(&machine, &o, &copy);
    device_row* rows = measure_all(&o, &copy, &count);
    for (int table = 0; table < DEVICE_TABLES; table++) {
        device_table_print(stdout, (device_table)table, rows, count);
    }
    const int failed = csv != NULL ? write_csv(csv, rows, count, &machine, o.smoke) : 0;
    free(rows);
    return failed;
}
