#include "read_stats.h"

#include "folder.h"

#include <cJSON.h>
#include <sstream>
#include <stdexcept>

namespace app {
namespace {

void add_members(const cJSON* object, const std::string& prefix, Record& record) {
    size_t index = 0;
    for (const cJSON* member = object->child; member; member = member->next) {
        const std::string key = prefix + (cJSON_IsArray(object) ? std::to_string(index++) : member->string);
        if (cJSON_IsNumber(member)) {
            record.numbers[key] = member->valuedouble;
        } else if (cJSON_IsString(member)) {
            record.strings[key] = member->valuestring;
        } else if (cJSON_IsObject(member) || cJSON_IsArray(member)) {
            add_members(member, key + ".", record);
        }
    }
}

std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> all;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) {
        all.push_back(field);
    }
    return all;
}

} // namespace

Record read_record(const std::string& line) {
    cJSON* object = cJSON_Parse(line.c_str());
    if (!cJSON_IsObject(object)) {
        cJSON_Delete(object);
        throw std::runtime_error("not a JSON object: " + line);
    }
    Record record;
    add_members(object, "", record);
    cJSON_Delete(object);
    return record;
}

std::vector<Record> read_stats(const std::string& text) {
    std::vector<Record> records;
    for (const std::string& line : lines(text)) {
        records.push_back(read_record(line));
    }
    return records;
}

Table read_table(const std::string& text) {
    Table table;
    for (const std::string& line : lines(text)) {
        if (table.header.empty()) {
            table.header = fields(line);
            continue;
        }
        table.rows.emplace_back();
        for (const std::string& field : fields(line)) {
            table.rows.back().push_back(std::stod(field));
        }
    }
    return table;
}

} // namespace app
