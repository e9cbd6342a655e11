/* taut-view: the commands `view` and `render`, which `taut` starts by argv[0]. */
#include "render_command.h"
#include "view_command.h"

#include <cstdio>
#include <cstring>
#include <exception>

static int run(const arguments& a, report* r) {
    const bool render = strcmp(a.command, "render") == 0;
    if (a.help) {
        fputs(render ? render_help : view_help, stdout);
        return EXIT_DONE;
    }
    if (backend_ready(&a, r) != EXIT_DONE) {
        return EXIT_BACKEND;
    }
    limits_begin(&a);
    return render ? render_scene(a, r) : view_scene(a, r);
}

int main(int argc, char** argv) {
    report r = {};
    arguments a = {};
    int code = EXIT_INPUT;
    if (strcmp(argv[0], "render") != 0 && strcmp(argv[0], "view") != 0) {
        report_fail(&r, "taut-view: is started by taut view and taut render");
    } else if (arguments_parse(argc, argv, &a, &r)) {
        try {
            code = run(a, &r);
        } catch (const std::exception& e) {
            report_fail(&r, "taut %s: %s", a.command, e.what());
        }
        arguments_free(&a);
    }
    return r.text[0] ? fail_with((exit_code)code, &r) : code;
}
