/* Commands that are programs of their own, installed beside this one. */
#include "commands/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* NAME in the folder of this program. */
static bool path_beside(const char* name, char* out, size_t size, report* r) {
    const size_t room = strlen(name) + 1;
    ssize_t length = readlink("/proc/self/exe", out, size - room);
    if (length <= 0) {
        return report_fail(r, "taut: cannot find this program's own place: %s", strerror(errno));
    }
    out[length] = '\0';
    char* slash = strrchr(out, '/');
    memcpy(slash ? slash + 1 : out, name, room);
    return true;
}

/* Becomes the program; on return it could not. `missing` says why it may not be there. */
static int become(const char* command, const char* name, char** argv, const char* missing) {
    char path[PATH_MAX];
    report r = {0};
    if (path_beside(name, path, sizeof path, &r)) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        execv(path, argv);
        report_fail(&r, "taut %s: %s: %s", command, path, errno == ENOENT ? missing : strerror(errno));
    }
    return fail_with(EXIT_INPUT, &r);
}

/* The benchmarks need other builds of the solver, which this tool has no use for. */
int bench_command(int argc, char** argv) {
    (void)argc;
    return become("bench", "taut-bench", argv, "was not built or installed");
}

/* The viewer needs libraries of graphics, which a machine that only simulates may lack. */
int view_command(int argc, char** argv) {
    (void)argc;
    return become(argv[0], "taut-view", argv,
                  "was not built: it needs GLFW, epoxy, Dear ImGui, GLM and libpng (Debian: libglfw3-dev libepoxy-dev "
                  "libimgui-dev libglm-dev libpng-dev), and then cmake anew");
}
