/* A window in which a simulation plays. */
#ifndef TAUT_VIEW_VIEWER_H
#define TAUT_VIEW_VIEWER_H

#include "arrangement.h"
#include "input_script.h"

struct Showing {
    std::string title;
    bool playing = true;   // from the beginning
    bool scripted = false; // events come from the script, and each picture shows a further frame
    std::vector<Act> script;
};

// Until the window is closed, the simulation ends it, or a signal comes. Returns an exit_code. Throws
// std::runtime_error where no window can be opened.
int show_in_window(const PictureOptions& options, Simulation& s, const Showing& showing, report* r);

#endif
