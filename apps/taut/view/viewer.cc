#include "viewer.h"

#include "image.h"
#include "panels.h"
#include "picking.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace {

class Viewer {
  public:
    Viewer(const PictureOptions& options, Simulation& s, Tuning& tuning, const Showing& showing)
        : options_(options), s_(s), tuning_(tuning), script_(showing.script), scripted_(showing.scripted),
          window_(options.width, options.height, showing.title), display_(s), player_(s, tuning, showing.scripted) {
        display_.share(s);
        shown_.display = options.display;
        if (!showing.playing) {
            player_.toggle();
        }
    }

    int run(report* r);

  private:
    void handle(const Event& e);
    void press(const Event& e);
    void move(const Event& e);
    void key(int code);
    void choose_colour(size_t i);
    void fit();
    void step_aside();
    void act(size_t picture, std::vector<std::string>* pictures);
    void tell(report* r);
    bool update(report* r);
    void draw();
    glm::vec2 extent() const;
    glm::vec2 place(const Event& e) const;
    float aspect() const;
    void save_picture();
    bool write_pictures(const std::vector<std::string>& files, report* r);

    const PictureOptions& options_;
    Simulation& s_;
    Tuning& tuning_;
    std::vector<Act> script_;
    bool scripted_;
    Window window_;
    Renderer renderer_;
    Display display_;
    Player player_;
    Shown shown_;
    OrbitCamera camera_;
    size_t acted_ = 0, saved_ = 0;
    enum class Hold { nothing, orbit, pan, thing } hold_ = Hold::nothing;
    double x_ = 0, y_ = 0;
    uint32_t point_ = no_point;
    glm::vec3 held_at_{0}, arm_{0}; // where the mouse took hold; from there to the point
    bool first_ = true;
    bool fresh_ = false; // the display has a frame that the renderer has not
};

/* ---- mouse and keys ------------------------------------------------------------------------------------------- */

// Of the window, at least 1 each way.
glm::vec2 Viewer::extent() const {
    int width = 1, height = 1;
    window_.size(&width, &height);
    return {std::max(width, 1), std::max(height, 1)};
}

float Viewer::aspect() const {
    return extent().x / extent().y;
}

glm::vec2 Viewer::place(const Event& e) const {
    const glm::vec2 size = extent();
    return {2 * (float)e.x / size.x - 1, 1 - 2 * (float)e.y / size.y};
}

void Viewer::press(const Event& e) {
    x_ = e.x;
    y_ = e.y;
    if (e.code != GLFW_MOUSE_BUTTON_LEFT || (e.modifiers & GLFW_MOD_SHIFT)) {
        hold_ = Hold::pan;
        return;
    }
    const Pick found = pick(display_, camera_.ray(place(e), aspect()));
    const bool wanted = found.hit && found.point != no_point && !(e.modifiers & GLFW_MOD_ALT);
    const bool thing = wanted && s_.can_drag();
    if (wanted && !thing) {
        shown_.message = "the world has no room for a target to drag things by";
    }
    hold_ = thing ? Hold::thing : Hold::orbit;
    if (thing) {
        point_ = found.point;
        held_at_ = found.position;
        arm_ = display_.position_of(point_) - held_at_;
        player_.drag(point_, held_at_ + arm_);
    }
}

void Viewer::move(const Event& e) {
    const float height = extent().y, right = (float)(e.x - x_) / height, down = (float)(e.y - y_) / height;
    x_ = e.x;
    y_ = e.y;
    if (hold_ == Hold::orbit) {
        camera_.orbit(-180 * right, 180 * down);
    } else if (hold_ == Hold::pan) {
        camera_.pan(right, -down);
    } else if (hold_ == Hold::thing) {
        player_.drag(point_, on_facing_plane(camera_.ray(place(e), aspect()), held_at_, camera_) + arm_);
    }
}

// What is looked at stands beside the panels.
void Viewer::step_aside() {
    const glm::vec2 size = extent();
    const float free = size.x - panel_width - panel_margin;
    if (shown_.panels && free > 0.3f * size.x) {
        camera_.zoom(std::max(1.0f, std::min(size.x / free, 1.5f)));
        camera_.pan(0.5f * (panel_width + panel_margin) / size.y, 0);
    }
}

void Viewer::fit() {
    camera_.fit(places_of(display_.whole()), aspect());
    step_aside();
}

void Viewer::choose_colour(size_t i) {
    if (i < quantity_count) {
        shown_.display.quantity = quantity_names[i].quantity;
        shown_.changed = true;
    }
}

void Viewer::key(int code) {
    switch (code) {
    case GLFW_KEY_SPACE:
        return player_.toggle();
    case GLFW_KEY_N:
    case GLFW_KEY_RIGHT:
        return player_.step_once();
    case GLFW_KEY_R:
        return player_.restart();
    case GLFW_KEY_F:
        return fit();
    case GLFW_KEY_C:
        shown_.display.contacts = !shown_.display.contacts;
        shown_.changed = true;
        return;
    case GLFW_KEY_G:
        shown_.scenery.floor_lines = !shown_.scenery.floor_lines;
        return;
    case GLFW_KEY_H:
        shown_.panels = !shown_.panels;
        return;
    case GLFW_KEY_P:
        return save_picture();
    case GLFW_KEY_ESCAPE:
    case GLFW_KEY_Q:
        return window_.close();
    default:
        return choose_colour((size_t)(code - GLFW_KEY_1));
    }
}

void Viewer::handle(const Event& e) {
    const ImGuiIO& io = ImGui::GetIO();
    switch (e.kind) {
    case Event::Kind::press:
        return io.WantCaptureMouse ? void() : press(e);
    case Event::Kind::release:
        hold_ = Hold::nothing;
        return player_.drop();
    case Event::Kind::move:
        return move(e);
    case Event::Kind::scroll:
        return io.WantCaptureMouse ? void() : camera_.zoom(std::pow(0.9f, (float)e.y));
    case Event::Kind::key:
        return io.WantCaptureKeyboard ? void() : key(e.code);
    }
}

/* ---- pictures ------------------------------------------------------------------------------------------------- */

// What the script does before this picture; files that this picture is written to.
void Viewer::act(size_t picture, std::vector<std::string>* pictures) {
    std::vector<Event> events;
    for (; acted_ < script_.size() && script_[acted_].picture <= picture; acted_++) {
        const Act& a = script_[acted_];
        if (a.kind == Act::Kind::event) {
            events.push_back(a.event);
        } else if (a.kind == Act::Kind::picture) {
            pictures->push_back(a.file);
        } else {
            window_.close();
        }
    }
    if (scripted_) { // else the mouse is that of the window system
        window_.pretend(events);
    }
}

// A failure of a step is shown, and the play stops.
void Viewer::tell(report* r) {
    if (r->text[0]) {
        shown_.message = r->text;
        *r = {};
    }
}

bool Viewer::update(report* r) {
    shown_.changed |= player_.finish(r);
    tell(r);
    if (player_.busy()) {
        return true;
    }
    if (shown_.changed) {
        if (!display_.update(s_, shown_.display, r)) {
            const bool coloured = shown_.display.quantity != Quantity::none;
            shown_.display.quantity = Quantity::none; // which needs nothing of the world but its points
            if (coloured) {
                tell(r);
            }
            return coloured;
        }
        shown_.changed = false;
        fresh_ = true;
    }
    if (first_) {
        arrange(options_, s_, display_, places_of(display_.whole()), &camera_, &shown_.scenery);
        shown_.scenery.samples = 1;
        if (!options_.target_given) {
            step_aside();
        }
        first_ = false;
    }
    player_.begin(r);
    tell(r);
    return true;
}

// A step that has begun does not wait for the buffers of pictures.
void Viewer::draw() {
    if (fresh_) {
        renderer_.upload(display_);
        fresh_ = false;
    }
    int width = 0, height = 0;
    window_.framebuffer_size(&width, &height);
    if (width > 0 && height > 0) {
        renderer_.draw(display_, camera_, shown_.scenery, width, height, 0);
    }
}

// As taut render draws it, with soft shadows.
void Viewer::save_picture() {
    int width = 0, height = 0;
    char name[32];
    report cause = {};
    window_.framebuffer_size(&width, &height);
    (void)snprintf(name, sizeof name, "taut-%04zu.png", saved_++);
    Scenery fine = shown_.scenery;
    fine.samples = options_.scenery.samples;
    const Target target(Target::Kind::colour, GL_RGBA8, width, height);
    renderer_.draw(display_, camera_, fine, width, height, target.framebuffer());
    target.bind();
    shown_.message = write_png(read_image(width, height), name, &cause) ? std::string("saved ") + name : cause.text;
}

// Pictures of the window as it is, to these files.
bool Viewer::write_pictures(const std::vector<std::string>& files, report* r) {
    int width = 0, height = 0;
    window_.framebuffer_size(&width, &height);
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    return std::all_of(files.begin(), files.end(),
                       [&](const std::string& file) { return write_png(read_image(width, height), file, r); });
}

int Viewer::run(report* r) {
    for (size_t picture = 0; !window_.closed() && !interrupt_signal() && !s_.ended(); picture++) {
        std::vector<std::string> pictures;
        act(picture, &pictures);
        const bool rests = !scripted_ && !player_.playing() && !player_.busy();
        for (const Event& e : window_.events(rests ? 0.1 : 0)) {
            handle(e);
        }
        if (!update(r)) {
            return EXIT_SIMULATION;
        }
        draw();
        window_.begin_panels();
        draw_panels(s_, player_, tuning_, display_, shown_);
        window_.draw_panels();
        if (!write_pictures(pictures, r)) {
            return EXIT_INPUT;
        }
        window_.show();
    }
    return player_.end(r) ? EXIT_DONE : EXIT_SIMULATION;
}

} // namespace

int show_in_window(const PictureOptions& options, Simulation& s, const Showing& showing, report* r) {
    Tuning tuning(s);
    Viewer viewer(options, s, tuning, showing);
    return viewer.run(r);
}
