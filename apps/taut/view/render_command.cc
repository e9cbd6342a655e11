#include "render_command.h"

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
        stage->renderer = std::make_unique<Renderer>();
        rendering->stages.push_back(std::move(stage));
    }
    return code;
}

// The camera stands where the first frame that is drawn asks it to; what is compared is seen from the same place.
bool draw_stage(Stage& stage, const Stage& leader, const PictureOptions& options, bool first, const Target& target,
                Image* image, report* r) {
    if (!stage.display->update(stage.simulation, options.display, r)) {
        return false;
    }
    if (first) {
        arrange(options, stage.simulation, *stage.display, &stage.camera, &stage.scenery);
        stage.camera = leader.camera;
    }
    stage.renderer->upload(stage.display->shape());
    stage.renderer->draw(*stage.display, stage.camera, stage.scenery, options.width, options.height,
                         target.framebuffer());
    target.bind();
    *image = read_image(options.width, options.height);
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
        if (!draw_stage(*rendering.stages[i], *rendering.stages[0], rendering.options, frame == rendering.options.first,
                        *rendering.target, &pictures[i], r)) {
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

int draw_frames(Rendering& rendering, report* r) {
    const PictureOptions& o = rendering.options;
    progress bar = progress_begin(o.last);
    int code = EXIT_DONE;
    for (size_t frame = o.first; code == EXIT_DONE && frame <= o.last && !interrupt_signal(); frame += o.every) {
        const double start = now_seconds();
        code = advance(rendering, frame, r);
        if (code == EXIT_DONE && !interrupt_signal()) {
            code = draw_frame(rendering, frame, r);
        }
        progress_update(&bar, frame, 1e3 * (now_seconds() - start));
    }
    progress_end(&bar);
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
    rendering.writer = open_writer(o.out, file.fps / (double)o.every, r);
    if (!rendering.writer) {
        return EXIT_INPUT;
    }
    rendering.target = std::make_unique<Target>(Target::Kind::colour, GL_RGBA8, o.width, o.height);
    interrupt_watch();
    return draw_frames(rendering, r);
}
