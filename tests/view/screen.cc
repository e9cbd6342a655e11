#include "screen.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace view {

// Xvfb writes the number of its screen when it is ready, and nothing where it cannot start.
Screen::Screen() {
    int ends[2];
    if (pipe(ends) != 0) {
        return;
    }
    const pid_t process = fork();
    if (process == 0) {
        const std::string end = std::to_string(ends[1]);
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        close(ends[0]);
        execlp("Xvfb", "Xvfb", "-displayfd", end.c_str(), "-screen", "0", "1280x1024x24", "-nolisten", "tcp", nullptr);
        _exit(127);
    }
    close(ends[1]);
    std::string number;
    char c = 0;
    while (read(ends[0], &c, 1) == 1 && c != '\n') {
        number += c;
    }
    close(ends[0]);
    if (c == '\n') {
        setenv("DISPLAY", (":" + number).c_str(), 1);
        process_ = process;
    } else {
        waitpid(process, nullptr, 0);
    }
}

Screen::~Screen() {
    if (there()) {
        kill(process_, SIGTERM);
        waitpid(process_, nullptr, 0);
    }
    unsetenv("DISPLAY");
}

} // namespace view
