#include "input_script.h"

#include <GLFW/glfw3.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

static const std::map<std::string, int> buttons = {
    {"left", GLFW_MOUSE_BUTTON_LEFT}, {"middle", GLFW_MOUSE_BUTTON_MIDDLE}, {"right", GLFW_MOUSE_BUTTON_RIGHT}};

// A letter or digit, or one of these.
static int key_of(const std::string& name) {
    static const std::map<std::string, int> named = {{"space", GLFW_KEY_SPACE}, {"escape", GLFW_KEY_ESCAPE}};
    const auto found = named.find(name);
    if (found != named.end()) {
        return found->second;
    }
    const bool single = name.size() == 1 && isalnum((unsigned char)name[0]);
    return single ? toupper((unsigned char)name[0]) : GLFW_KEY_UNKNOWN;
}

static bool read_event(std::istringstream& line, const std::string& verb, Act* act) {
    std::string word;
    Event& e = act->event;
    if (verb == "move") {
        e.kind = Event::Kind::move;
        return static_cast<bool>(line >> e.x >> e.y);
    }
    if (verb == "scroll") {
        e.kind = Event::Kind::scroll;
        return static_cast<bool>(line >> e.y);
    }
    if (verb == "press" || verb == "release") {
        e.kind = verb == "press" ? Event::Kind::press : Event::Kind::release;
        line >> word;
        e.code = buttons.count(word) ? buttons.at(word) : -1;
        return e.code >= 0;
    }
    e.kind = Event::Kind::key;
    line >> word;
    e.code = key_of(word);
    return verb == "key" && e.code != GLFW_KEY_UNKNOWN;
}

static bool read_act(const std::string& text, Act* act) {
    std::istringstream line(text);
    std::string verb, more;
    if (!(line >> act->picture >> verb)) {
        return false;
    }
    if (verb == "quit") {
        act->kind = Act::Kind::quit;
    } else if (verb == "picture") {
        act->kind = Act::Kind::picture;
        line >> act->file;
        return !act->file.empty();
    } else if (!read_event(line, verb, act)) {
        return false;
    }
    return !(line >> more);
}

bool read_input_script(const std::string& path, std::vector<Act>* out, report* r) {
    std::ifstream file(path);
    std::string text;
    if (!file) {
        return report_fail(r, "%s: %s", path.c_str(), strerror(errno));
    }
    size_t number = 0;
    while (std::getline(file, text)) {
        Act act;
        number++;
        if (text.find_first_not_of(" \t") == std::string::npos) {
            continue;
        }
        if (!read_act(text, &act) || (!out->empty() && act.picture < out->back().picture)) {
            return report_fail(r, "%s:%zu: is no event, or comes before the one above", path.c_str(), number);
        }
        out->push_back(act);
    }
    return true;
}
