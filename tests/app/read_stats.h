// Readers of what a run writes.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace app {

// A JSON object of one line: its numbers by key, those of nested objects and arrays as "outer.inner", and its strings.
struct Record {
    std::map<std::string, double> numbers;
    std::map<std::string, std::string> strings;
    bool has(const std::string& key) const { return numbers.count(key) > 0; }
    double at(const std::string& key) const { return numbers.at(key); }
};

// Throws where a line is not a JSON object.
Record read_record(const std::string& line);
std::vector<Record> read_stats(const std::string& text);

struct Table {
    std::vector<std::string> header;
    std::vector<std::vector<double>> rows;
};

// Plain commas, no quotes.
Table read_table(const std::string& text);

} // namespace app
