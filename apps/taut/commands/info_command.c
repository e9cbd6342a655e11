#define _GNU_SOURCE /* sched_getaffinity */
#include "commands/arguments.h"
#include "scene_json/scene_file.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static void print_backend(const char* name, taut_backend_kind kind) {
    if (taut_backend_available(kind) == TAUT_OK) {
        printf("backend  %-6s available\n", name);
    } else {
        printf("backend  %-6s not available: %s\n", name, taut_last_error());
    }
}

static void print_devices(void) {
    const int count = taut_cuda_device_count();
    printf("devices  %d\n", count);
    for (int i = 0; i < count; i++) {
        taut_device_info device;
        if (taut_cuda_device_describe(i, &device) == TAUT_OK) {
            printf("device   %d      %s, compute capability %d.%d, %d multiprocessors, %.1f GiB\n", i, device.name,
                   device.major, device.minor, device.multiprocessors, (double)device.memory / (1 << 30));
        }
    }
}

/* Processors that this process may use, as worlds count them. */
static long threads(void) {
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static void print_info(void) {
    printf("taut     %s\n", taut_version());
    print_backend("cpu", TAUT_BACKEND_CPU);
    print_backend("cuda", TAUT_BACKEND_CUDA);
    print_devices();
    printf("threads  %ld\n", threads());
    printf("limits   %u vertices a scene\n", SCENE_MAX_PARTICLES);
}

static const char* yes(taut_backend_kind kind) {
    return taut_backend_available(kind) == TAUT_OK ? "true" : "false";
}

static void print_info_json(void) {
    printf("{\"version\":\"%s\",\"backends\":{\"cpu\":%s,\"cuda\":%s},\"devices\":%d,\"threads\":%ld,\"max_vertices\":%"
           "u}\n",
           taut_version(), yes(TAUT_BACKEND_CPU), yes(TAUT_BACKEND_CUDA), taut_cuda_device_count(), threads(),
           SCENE_MAX_PARTICLES);
}

int info_command(int argc, char** argv) {
    report r = {0};
    arguments a = {0};
    if (!arguments_parse(argc, argv, &a, &r)) {
        return fail_with(EXIT_INPUT, &r);
    }
    if (a.help) {
        puts("taut info [--json]    version, backends, devices, limits");
    } else if (a.json) {
        print_info_json();
    } else {
        print_info();
    }
    arguments_free(&a);
    return EXIT_DONE;
}
