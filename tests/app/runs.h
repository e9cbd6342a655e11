// Runs of the tool on the CPU whose traces and statistics are read back.
#pragma once

#include "folder.h"
#include "process.h"
#include "read_stats.h"

#include <stdexcept>

namespace app {

class Runs : public Folder {
  protected:
    // Runs a scene with a trace of the given vertices.
    Table run(const std::string& text, const std::string& vertices, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"run", write("scene.json", text), "--backend", "cpu"};
        arguments.insert(arguments.end(), {"--trace", vertices + "=" + path("trace.csv")});
        arguments.insert(arguments.end(), {"--stats", path("stats.jsonl")});
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Result result = taut(arguments);
        if (result.code != 0) {
            throw std::runtime_error("the run failed: " + result.err);
        }
        return read_table(read("trace.csv"));
    }
    // Of frame 1, 2, ...; of the last one.
    Record stats(size_t frame) { return read_stats(read("stats.jsonl")).at(frame - 1); }
    Record last_stats() {
        const std::vector<Record> all = read_stats(read("stats.jsonl"));
        return all.at(all.size() - 1);
    }
};

} // namespace app
