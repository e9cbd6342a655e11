#include "machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

bench_machine machine_describe(void) {
    bench_machine m = {.cores = sysconf(_SC_NPROCESSORS_ONLN),
                       .compiler = BENCH_COMPILER,
                       .build = BENCH_BUILD,
                       .native = BENCH_NATIVE,
                       .commit = BENCH_COMMIT};
    read_cpu("model name", m.cpu, sizeof m.cpu);
    return m;
}
