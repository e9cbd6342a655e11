#include "render_command.h"

#include "camera_path.h"
#include "file_simulation.h"
#include "frame_writer.h"
#include "label.h"
#include "offscreen.h"
#include "picture_options.h"

#include <cstdio>
#include <memory>

const char render_help[] =
    "taut render SCENE.json [options]  makes pictures and videos, without a screen\n"
    "  --frames FRAME|FIRST:LAST       default: the last one, and of videos and numbered pictures all\n"
    "  --every N                       draws every N-th of them\n"
    "  --out X.png|X%04d.png|X.mp4     one picture, numbered ones, or a video by ffmpeg; default taut.png\n"
    "  --framing motion|first|follow   what several pictures have in them: the whole motion (it is simulated first, "
    "and\n"
    "                                  then once more), the scene as in the first of them, or what moves, with a\n"
    "                                  camera that goes along; default motion\n"
    "  --compare SCENE.json            draws this scene beside the first one, with their names\n"
    "  --samples N                     directions of light; 1: no soft shadows; default 24\n" PICTURE_HELP LIMITS_HELP;

namespace {

// A scene with what it is drawn by.
struct Stage {
    FileSimulation simulation;
    std::unique_ptr<Display> display;
    std::unique_ptr<Renderer> renderer;
    OrbitCamera camera;
    Scenery scenery;
};

struct Rendering {
    std::unique_ptr<Offscreen> screen; // the first member: all others go before their context
    PictureOptions options;
    std::vector<std::unique_ptr<Stage>> stages;
    CameraPath path; // where the whole motion is looked at before
    std::unique_ptr<Target> target;
    std::unique_ptr<FrameWriter> writer;
};

void choose_frames(PictureOptions* o, const scene_file& file) {
    if (!o->frames_given) {
        o->first = output_kind(o->out) == OutputKind::picture ? file.frames : 0;
        o->last = file.frames;
    }
}

int open_stage(const arguments& a, const std::string& path, Rendering* rendering, report* r) {
    auto stage = std::make_unique<Stage>();
    const exit_code code = stage->simulation.open(a, path, 0, r);
    if (code == EXIT_DONE) {
        stage->display = std::make_unique<Display>(stage->simulation);
        stage->display->share(stage->simulation);
        stage->renderer = std::make_unique<Renderer>();
        rendering->stages.push_back(std::move(stage));
    }
    return code;
}

bool follows(const PictureOptions& o) {
    return o.framing == Framing::follow && o.last - o.first >= o.every;
}

// Whether the motion must be known before the camera can be placed.
bool looks_ahead(const PictureOptions& o) {
    const bool open = !o.target_given || !o.distance_given;
    return open && o.framing != Framing::first && o.last - o.first >= o.every;
}

// Before the first picture. What is compared is seen from the same place.
void place_camera(Rendering& rendering, Stage& stage) {
    const PictureOptions& o = rendering.options;
    const bool known = !rendering.path.places().empty();
    arrange(o, stage.simulation, *stage.display, known ? rendering.path.places() : places_of(stage.display->whole()),
            &stage.camera, &stage.scenery);
    if (known && follows(o) && &stage == rendering.stages[0].get()) {
        const double smooth = 0.25 * stage.simulation.file().fps / (double)o.every; // a quarter of a second
        rendering.path.follow((float)smooth, !o.distance_given, aspect_of(o), &stage.camera);
    }
    stage.camera = rendering.stages[0]->camera;
}

bool draw_stage(Rendering& rendering, Stage& stage, size_t frame, Image* image, report* r) {
    const PictureOptions& o = rendering.options;
    if (!stage.display->update(stage.simulation, o.display, r)) {
        return false;
    }
    if (frame == o.first) {
        place_camera(rendering, stage);
    }
    if (follows(o)) {
        stage.camera.target = rendering.path.target((frame - o.first) / o.every);
    }
    stage.renderer->upload(*stage.display);
    stage.renderer->draw(*stage.display, stage.camera, stage.scenery, o.width, o.height,
                         rendering.target->framebuffer());
    rendering.target->bind();
    *image = read_image(o.width, o.height);
    return true;
}

// The name of a file without its folders and its end, or the whole path of two files of one name.
std::string label_of(const Rendering& rendering, size_t i) {
    const auto name = [&](size_t k) {
        const std::string path = rendering.stages[k]->simulation.file().path;
        const std::string file = path.substr(path.find_last_of('/') + 1);
        return file.substr(0, file.find_last_of('.'));
    };
    return name(0) == name(1) ? rendering.stages[i]->simulation.file().path : name(i);
}

int draw_frame(Rendering& rendering, size_t frame, report* r) {
    Image pictures[2];
    for (size_t i = 0; i < rendering.stages.size(); i++) {
        if (!draw_stage(rendering, *rendering.stages[i], frame, &pictures[i], r)) {
            return EXIT_SIMULATION;
        }
        if (rendering.stages.size() == 2) {
            draw_label(pictures[i], label_of(rendering, i));
        }
    }
    const Image& image = rendering.stages.size() == 2 ? beside(pictures[0], pictures[1]) : pictures[0];
    return rendering.writer->write(image, frame, r) ? EXIT_DONE : EXIT_INPUT;
}

int advance(Rendering& rendering, size_t frame, report* r) {
    for (auto& stage : rendering.stages) {
        while (stage->simulation.frame() < frame) {
            const int code = stage->simulation.step(r);
            if (code != EXIT_DONE || interrupt_signal()) {
                return code;
            }
        }
    }
    return EXIT_DONE;
}

int look_at_frame(Rendering& rendering, size_t, report* r) {
    for (size_t i = 0; i < rendering.stages.size(); i++) {
        Stage& stage = *rendering.stages[i];
        if (!stage.display->update(stage.simulation, {}, r)) {
            return EXIT_SIMULATION;
        }
        rendering.path.add(i, stage.display->whole());
    }
    return EXIT_DONE;
}

int over_frames(Rendering& rendering, int (*call)(Rendering&, size_t, report*), report* r) {
    const PictureOptions& o = rendering.options;
    progress bar = progress_begin(o.last);
    int code = EXIT_DONE;
    for (size_t frame = o.first; code == EXIT_DONE && frame <= o.last && !interrupt_signal(); frame += o.every) {
        const double start = now_seconds();
        code = advance(rendering, frame, r);
        if (code == EXIT_DONE && !interrupt_signal()) {
            code = call(rendering, frame, r);
        }
        progress_update(&bar, frame, 1e3 * (now_seconds() - start));
    }
    progress_end(&bar);
    return code;
}

// The motion is simulated, looked at, and begun again.
int look_ahead(Rendering& rendering, report* r) {
    int code = over_frames(rendering, look_at_frame, r);
    for (auto& stage : rendering.stages) {
        code = code == EXIT_DONE && !interrupt_signal() ? stage->simulation.restart(r) : code;
    }
    return code;
}

int draw_frames(Rendering& rendering, report* r) {
    int code = looks_ahead(rendering.options) ? look_ahead(rendering, r) : (int)EXIT_DONE;
    code = code == EXIT_DONE ? over_frames(rendering, draw_frame, r) : code;
    report late = {};
    if (!rendering.writer->close(&late) && code == EXIT_DONE && !interrupt_signal()) {
        *r = late;
        code = EXIT_INPUT;
    }
    return code == EXIT_DONE && interrupt_signal() ? EXIT_SIGNAL + interrupt_signal() : code;
}

} // namespace

int render_scene(const arguments& a, report* r) {
    Rendering rendering;
    PictureOptions& o = rendering.options;
    if (!read_picture_options(a, &o, r)) {
        return EXIT_INPUT;
    }
    rendering.screen = std::make_unique<Offscreen>();
    int code = open_stage(a, a.scene, &rendering, r);
    if (code == EXIT_DONE && a.picture[PICTURE_COMPARE]) {
        code = open_stage(a, a.picture[PICTURE_COMPARE], &rendering, r);
    }
    if (code != EXIT_DONE) {
        return code;
    }
    const scene_file& file = rendering.stages[0]->simulation.file();
    choose_frames(&o, file);
    if (o.last > file.frames) {
        fprintf(stderr, "%s: warning: --frames asks for frame %zu of a scene of %zu: it goes on as it ends\n",
                file.path, o.last, (size_t)file.frames);
    }
    if (output_kind(o.out) == OutputKind::picture && o.first != o.last) {
        report_fail(r,
                    "taut render: --out: '%s' is one picture, and --frames asks for several: X%%04d.png numbers them",
                    o.out.c_str());
        return EXIT_INPUT;
    }
    if (o.framing == Framing::follow && o.target_given) {
        report_fail(r, "taut render: --framing follow chooses what --target gives: leave one of them out");
        return EXIT_INPUT;
    }
    rendering.writer = open_writer(o.out, file.fps / (double)o.every, r);
    if (!rendering.writer) {
        return EXIT_INPUT;
    }
    rendering.target = std::make_unique<Target>(Target::Kind::colour, GL_RGBA8, o.width, o.height);
    interrupt_watch();
    return draw_frames(rendering, r);
}
