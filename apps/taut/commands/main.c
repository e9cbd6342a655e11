/* taut: the command-line tool. Commands and exit status: program.h. */
#include "commands/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "taut simulates cloth, ropes, soft bodies, rigid bodies and rods.\n"
    "\n"
    "  taut run SCENE.json [options]   simulates a scene (taut run --help)\n"
    "  taut check SCENE.json           reads and validates only\n"
    "  taut view SCENE.json            shows a scene as it runs (taut view --help)\n"
    "  taut render SCENE.json          makes pictures and videos (taut render --help)\n"
    "  taut assemble SCENE.json        writes a scene's matrices (taut assemble --help)\n"
    "  taut info                       version, backends, devices, limits\n"
    "  taut bench [...]                the benchmark table\n"
    "\n"
    "exit status: 0 done; 1 the simulation failed; 2 bad usage, scene or file; 3 the asked-for\n"
    "backend is not available; 128 + signal after an interrupted run, whose files are complete\n";

static int fail_usage(const char* command) {
    report r = {0};
    report_fail(&r,
                command ? "taut: unknown command '%s' (see taut --help)" : "taut: needs a command (see taut --help)",
                command);
    return fail_with(EXIT_INPUT, &r);
}

static int run(int argc, char** argv) {
    static const struct {
        const char* name;
        int (*run)(int argc, char** argv);
    } commands[] = {{"run", run_command},    {"check", check_command}, {"assemble", assemble_command},
                    {"info", info_command},  {"view", view_command},   {"render", view_command},
                    {"bench", bench_command}};
    if (argc < 2) {
        return fail_usage(NULL);
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("taut %s\n", taut_version());
        return EXIT_DONE;
    }
    return fail_usage(argv[1]);
}

/* What was printed has arrived, or the status says that it has not. */
static int finish_output(int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    report r = {0};
    report_fail(&r, "taut: standard output cannot be written: %s", errno ? strerror(errno) : "a write failed");
    fail_with(EXIT_SIMULATION, &r);
    return code == EXIT_DONE ? EXIT_SIMULATION : code;
}

/* A reader that went away or a file beyond its limit is an error of writing, which is told; files are completed. */
int main(int argc, char** argv) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    return finish_output(run(argc, argv));
}
