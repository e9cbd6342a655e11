#include "process.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace app {
namespace {

struct Pipe {
    int read_end = -1;
    int write_end = -1;
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::runtime_error("pipe2");
        }
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close(read_end);
        close_write_end();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close_write_end() {
        if (write_end >= 0) {
            close(write_end);
        }
        write_end = -1;
    }
};

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments, const Pipe& out,
                         const Pipe& err) {
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str()));
    }
    argv.push_back(nullptr);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(out.write_end, STDOUT_FILENO);
    dup2(err.write_end, STDERR_FILENO);
    for (const int ends : {SIGINT, SIGTERM, SIGHUP}) { // ignored where these tests run in the background
        std::signal(ends, SIG_DFL);
    }
    execv(program.c_str(), argv.data());
    _exit(127);
}

// Both at once: a program that fills one pipe while we wait on the other would hang.
void drain(const Pipe& out, const Pipe& err, Result& result) {
    std::array<pollfd, 2> waiting{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
    const std::array<std::string*, 2> texts{&result.out, &result.err};
    for (int open_ends = 2; open_ends > 0;) {
        poll(waiting.data(), waiting.size(), -1);
        for (size_t i = 0; i < waiting.size(); i++) {
            if (waiting[i].fd < 0 || waiting[i].revents == 0) {
                continue;
            }
            std::array<char, 4096> buffer;
            const ssize_t got = read(waiting[i].fd, buffer.data(), buffer.size());
            if (got > 0) {
                texts[i]->append(buffer.data(), static_cast<size_t>(got));
            } else {
                waiting[i].fd = -1;
                open_ends--;
            }
        }
    }
}

} // namespace

Result run_program(const std::string& program, const std::vector<std::string>& arguments,
                   const std::function<void(int)>& meanwhile) {
    Pipe out, err;
    const pid_t child = fork();
    if (child == 0) {
        become(program, arguments, out, err);
    }
    out.close_write_end();
    err.close_write_end();
    if (meanwhile) {
        meanwhile(child);
    }
    Result result;
    drain(out, err, result);
    int status = 0;
    waitpid(child, &status, 0);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

Result taut(const std::vector<std::string>& arguments, const std::function<void(int)>& meanwhile) {
    return run_program(TAUT_PROGRAM, arguments, meanwhile);
}

size_t line_count(const std::string& text) {
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace app
