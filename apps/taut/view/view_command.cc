#include "view_command.h"

#include "file_simulation.h"
#include "picture_options.h"
#include "viewer.h"

const char view_help[] =
    "taut view SCENE.json [options]    shows a scene as it runs; drag things with the mouse\n"
    "  --script FILE                   events in place of mouse and keys, for tests\n" PICTURE_HELP LIMITS_HELP;

int view_scene(const arguments& a, report* r) {
    PictureOptions options;
    Showing showing;
    const char* file = a.picture[PICTURE_SCRIPT];
    if (!read_picture_options(a, &options, r) || (file && !read_input_script(file, &showing.script, r))) {
        return EXIT_INPUT;
    }
    showing.scripted = file != nullptr;
    FileSimulation s;
    const exit_code code = s.open(a, a.scene, 2, r);
    if (code != EXIT_DONE) {
        return code;
    }
    showing.title = std::string("taut: ") + a.scene;
    interrupt_watch();
    return show_in_window(options, s, showing, r);
}
