// Runs a program and catches what it says.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace app {

struct Result {
    int code = -1; // exit status; 128 + signal where a signal ended the program
    std::string out;
    std::string err;
};

// `meanwhile`, where given, is called with the process id once the program runs.
Result run_program(const std::string& program, const std::vector<std::string>& arguments,
                   const std::function<void(int)>& meanwhile = {});

// The tool under test.
Result taut(const std::vector<std::string>& arguments, const std::function<void(int)>& meanwhile = {});

size_t line_count(const std::string& text);
bool contains(const std::string& text, const std::string& part);

} // namespace app
