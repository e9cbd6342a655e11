/* Events from a file, in place of mouse and keys: a line has the number of a picture, and what happens before it.
 *
 *     0 move 320 240        12 key space          20 picture FILE.png
 *     1 press left          13 scroll 1           30 quit
 *     9 release left
 */
#ifndef TAUT_VIEW_INPUT_SCRIPT_H
#define TAUT_VIEW_INPUT_SCRIPT_H

#include "tool_rooms.h"
#include "window.h"

struct Act {
    size_t picture = 0;
    enum class Kind { event, picture, quit } kind = Kind::event;
    Event event = {};
    std::string file;
};

// False with 'SCRIPT:LINE: cause'.
bool read_input_script(const std::string& path, std::vector<Act>* out, report* r);

#endif
