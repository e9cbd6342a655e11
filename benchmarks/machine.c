#include "machine.h"

#include "bench_commit.h" /* made by commit.cmake */

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef BENCH_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

/* The value of the first line of /proc/cpuinfo that begins with `key`; "unknown" without one. */
static void read_cpu(const char* key, char* out, size_t size) {
    char line[256];
    snprintf(out, size, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char* colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, key, strlen(key)) == 0) {
            line[strcspn(line, "\n\"")] = '\0';
            snprintf(out, size, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

#ifdef BENCH_WITH_CUDA
static void read_version(cudaError_t (*read)(int*), char* out, size_t size) {
    int version = 0;
    if (read(&version) == cudaSuccess) {
        snprintf(out, size, "%d.%d", version / 1000, version % 1000 / 10);
    }
}

/* Adds " (580.65.06)": the first number with a point in the kernel module's own line. */
static void add_module_version(char* out, size_t size) {
    char line[256] = "";
    FILE* file = fopen("/proc/driver/nvidia/version", "r");
    char* found = file != NULL ? fgets(line, sizeof line, file) : NULL;
    for (char* word = found != NULL ? strtok(line, " \t\n") : NULL; word != NULL; word = strtok(NULL, " \t\n")) {
        if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.') != NULL) {
            const size_t used = strlen(out);
            snprintf(out + used, size - used, " (%s)", word);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void describe_device(bench_machine* m) {
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) == cudaSuccess) {
        snprintf(m->device, sizeof m->device, "%s", properties.name);
    }
    read_version(cudaDriverGetVersion, m->driver, sizeof m->driver);
    read_version(cudaRuntimeGetVersion, m->runtime, sizeof m->runtime);
    add_module_version(m->driver, sizeof m->driver);
}
#else
static void describe_device(bench_machine* m) {
    (void)m;
}
#endif

bench_machine machine_describe(void) {
    bench_machine m = {.cores = sysconf(_SC_NPROCESSORS_ONLN),
                       .compiler = BENCH_COMPILER,
                       .build = BENCH_BUILD,
                       .native = BENCH_NATIVE,
                       .commit = BENCH_COMMIT,
                       .device = "none",
                       .driver = "none",
                       .runtime = "none"};
    read_cpu("model name", m.cpu, sizeof m.cpu);
    describe_device(&m);
    return m;
}
