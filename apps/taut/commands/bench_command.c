#include "commands/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char bench_name[] = "taut-bench";

/* The benchmarks are a program of their own, installed beside this one: they need other builds of the solver that
 * this tool has no use for. */
static bool bench_path(char* out, size_t size, report* r) {
    ssize_t length = readlink("/proc/self/exe", out, size - sizeof bench_name);
    if (length <= 0) {
        return report_fail(r, "taut bench: cannot find this program's own place: %s", strerror(errno));
    }
    out[length] = '\0';
    char* slash = strrchr(out, '/');
    memcpy(slash ? slash + 1 : out, bench_name, sizeof bench_name);
    return true;
}

int bench_command(int argc, char** argv) {
    (void)argc;
    char path[PATH_MAX];
    report r = {0};
    if (bench_path(path, sizeof path, &r)) {
        argv[0] = path;
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        execv(path, argv);
        report_fail(&r, "taut bench: %s: %s", path, errno == ENOENT ? "was not built or installed" : strerror(errno));
    }
    return fail_with(EXIT_INPUT, &r);
}
