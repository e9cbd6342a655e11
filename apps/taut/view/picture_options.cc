#include "picture_options.h"

#include "frame_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace {

const char* const option_names[PICTURE_OPTION_COUNT] = {"frames",   "every",   "out",     "size",     "camera",
                                                        "target",   "colour",  "range",   "contacts", "floor",
                                                        "backdrop", "samples", "compare", "script",   "framing"};
const size_t most_frames = 100000000;

// One option with its text; nothing to read where it was not given.
struct Given {
    const arguments* a;
    picture_option option;
    report* r;

    const char* text() const { return a->picture[option]; }
    bool refuse(const char* wanted) const {
        return report_fail(r, "taut %s: --%s: '%s' is not %s", a->command, option_names[option], text(), wanted);
    }
};

// `count` numbers between commas, all of the text; returns how many there are.
size_t numbers(const char* text, size_t most, double* out) {
    size_t count = 0;
    for (const char* at = text; count < most; at++) {
        char* end = nullptr;
        out[count] = strtod(at, &end);
        if (end == at || !std::isfinite(out[count])) {
            return 0;
        }
        count++;
        at = end;
        if (*at == '\0') {
            return count;
        }
        if (*at != ',') {
            return 0;
        }
    }
    return 0;
}

// A whole number at the start of a text.
bool whole(const char** at, size_t least, size_t most, size_t* out) {
    char* end = nullptr;
    const unsigned long long value = strtoull(*at, &end, 10);
    if (**at < '0' || **at > '9' || value < least || value > most) {
        return false;
    }
    *at = end;
    *out = value;
    return true;
}

bool read_frames(const Given& g, PictureOptions* o) {
    const char* at = g.text();
    if (!at) {
        return true;
    }
    o->frames_given = true;
    bool good = whole(&at, 0, most_frames, &o->first);
    o->last = o->first;
    if (good && *at == ':') {
        at++;
        good = whole(&at, o->first, most_frames, &o->last);
    }
    return (good && *at == '\0') || g.refuse("FRAME or FIRST:LAST");
}

bool read_whole(const Given& g, size_t most, const char* wanted, size_t* out) {
    const char* at = g.text();
    return !at || (whole(&at, 1, most, out) && *at == '\0') || g.refuse(wanted);
}

bool read_size(const Given& g, PictureOptions* o) {
    const char* at = g.text();
    size_t size[2];
    if (!at) {
        return true;
    }
    bool good = whole(&at, 16, 8192, &size[0]) && *at == 'x';
    at += good;
    good = good && whole(&at, 16, 8192, &size[1]) && *at == '\0';
    if (!good) {
        return g.refuse("WxH in pixels between 16 and 8192");
    }
    o->width = (int)size[0];
    o->height = (int)size[1];
    return true;
}

bool read_camera(const Given& g, PictureOptions* o) {
    double v[3];
    if (!g.text()) {
        return true;
    }
    const size_t count = numbers(g.text(), 3, v);
    if (count < 2 || std::fabs(v[1]) > 89 || (count == 3 && !(v[2] > 0))) {
        return g.refuse("AZIMUTH,ELEVATION[,DISTANCE] with an elevation between -89 and 89 degrees");
    }
    o->camera.azimuth = (float)v[0];
    o->camera.elevation = (float)v[1];
    o->distance_given = count == 3;
    o->camera.distance = count == 3 ? (float)v[2] : o->camera.distance;
    return true;
}

bool read_target(const Given& g, PictureOptions* o) {
    double v[3];
    o->target_given = g.text() != nullptr;
    if (o->target_given && numbers(g.text(), 3, v) != 3) {
        return g.refuse("X,Y,Z");
    }
    o->camera.target = o->target_given ? glm::vec3(v[0], v[1], v[2]) : glm::vec3(0);
    return true;
}

bool read_colour(const Given& g, PictureOptions* o) {
    if (!g.text()) {
        return true;
    }
    for (size_t i = 0; i < quantity_count; i++) {
        if (strcmp(g.text(), quantity_names[i].name) == 0) {
            o->display.quantity = quantity_names[i].quantity;
            return true;
        }
    }
    return g.refuse("object, strain, speed, violation, multiplier or residual");
}

bool read_number(const Given& g, bool positive, float* out) {
    double value = 0;
    if (!g.text()) {
        return true;
    }
    if (numbers(g.text(), 1, &value) != 1 || (positive && !(value > 0))) {
        return g.refuse(positive ? "a number above 0" : "a number");
    }
    *out = (float)value;
    return true;
}

bool read_floor(const Given& g, PictureOptions* o) {
    o->no_floor = g.text() && strcmp(g.text(), "none") == 0;
    o->floor_given = g.text() && !o->no_floor;
    return !o->floor_given || read_number(g, false, &o->floor);
}

bool read_backdrop(const Given& g, PictureOptions* o) {
    if (!g.text()) {
        return true;
    }
    if (strlen(g.text()) != 6 || strspn(g.text(), "0123456789abcdefABCDEF") != 6) {
        return g.refuse("a colour RRGGBB");
    }
    const unsigned long colour = strtoul(g.text(), nullptr, 16);
    o->scenery.backdrop = {(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour, 255};
    return true;
}

bool read_framing(const Given& g, PictureOptions* o) {
    static const struct {
        const char* name;
        Framing framing;
    } framings[] = {{"motion", Framing::whole}, {"first", Framing::first}, {"follow", Framing::follow}};
    for (const auto& known : framings) {
        if (g.text() && strcmp(g.text(), known.name) == 0) {
            o->framing = known.framing;
            return true;
        }
    }
    return !g.text() || g.refuse("motion, first or follow");
}

bool read_out(const Given& g, PictureOptions* o) {
    o->out = g.text() ? g.text() : o->out;
    return output_kind(o->out) != OutputKind::unknown ||
           g.refuse("a picture (X.png, X%04d.png) or a video (X.mp4, .mkv, .mov, .webm)");
}

} // namespace

bool read_picture_options(const arguments& a, PictureOptions* out, report* r) {
    size_t samples = 24;
    const auto given = [&](picture_option option) { return Given{&a, option, r}; };
    out->display.contacts = a.picture[PICTURE_CONTACTS] != nullptr;
    out->camera_given = a.picture[PICTURE_CAMERA] != nullptr;
    const bool good = read_frames(given(PICTURE_FRAMES), out) &&
                      read_whole(given(PICTURE_EVERY), most_frames, "a whole number above 0", &out->every) &&
                      read_out(given(PICTURE_OUT), out) && read_size(given(PICTURE_SIZE), out) &&
                      read_camera(given(PICTURE_CAMERA), out) && read_target(given(PICTURE_TARGET), out) &&
                      read_colour(given(PICTURE_COLOUR), out) && read_framing(given(PICTURE_FRAMING), out) &&
                      read_number(given(PICTURE_RANGE), true, &out->display.range) &&
                      read_floor(given(PICTURE_FLOOR), out) && read_backdrop(given(PICTURE_BACKDROP), out) &&
                      read_whole(given(PICTURE_SAMPLES), 4096, "a whole number between 1 and 4096", &samples);
    out->scenery.samples = (int)samples;
    return good;
}
