// Bad usage: exit status 2 and one line that names the option.
#include "folder.h"
#include "process.h"

using namespace app;

namespace {

struct BadArguments {
    const char* name;
    std::vector<std::string> arguments; // "SCENE" stands for a good scene, "DIR" for the test's folder
    const char* sentence;               // part of it
};

void PrintTo(const BadArguments& bad, std::ostream* stream) {
    *stream << bad.name;
}

const std::vector<BadArguments> table = {
    {"none", {}, "needs a command"},
    {"unknown_command", {"simulate"}, "unknown command 'simulate'"},
    {"option_first", {"--frames", "3"}, "unknown command"},
    {"run_no_scene", {"run"}, "taut run: needs a scene file"},
    {"check_no_scene", {"check"}, "taut check: needs a scene file"},
    {"run_two_scenes", {"run", "SCENE", "SCENE"}, "unexpected argument"},
    {"info_argument", {"info", "x"}, "'x': unexpected argument"},
    {"unknown_option", {"run", "SCENE", "--fast"}, "--fast: unknown"},
    {"abbreviated", {"run", "SCENE", "--frame", "3"}, "--frame: unknown option; write --frames in full"},
    {"abbreviated_equals", {"run", "SCENE", "--thr=1"}, "--thr=1: unknown option; write --threads in full"},
    {"unknown_letter", {"run", "SCENE", "-x"}, "-x: unknown"},
    {"check_frames", {"check", "SCENE", "--frames", "3"}, "--frames: unknown"},
    {"quality_unknown", {"run", "SCENE", "--quality", "best"}, "--quality: unknown quality 'best'"},
    {"budget_zero", {"run", "SCENE", "--budget-ms", "0"}, "--budget-ms: '0' is not a whole number"},
    {"frames_no_value", {"run", "SCENE", "--frames"}, "--frames: needs a value"},
    {"frames_text", {"run", "SCENE", "--frames", "many"}, "--frames: 'many' is not a whole number"},
    {"frames_negative", {"run", "SCENE", "--frames", "-1"}, "--frames: '-1'"},
    {"frames_fraction", {"run", "SCENE", "--frames", "1.5"}, "--frames: '1.5'"},
    {"frames_empty", {"run", "SCENE", "--frames", ""}, "--frames: ''"},
    {"frames_huge", {"run", "SCENE", "--frames", "99999999999999999999"}, "--frames: '9999"},
    {"threads_zero", {"run", "SCENE", "--threads", "0"}, "--threads: '0'"},
    {"backend_unknown", {"run", "SCENE", "--backend", "metal"}, "unknown backend 'metal' (known: auto, cpu, cuda)"},
    {"export_unknown", {"run", "SCENE", "--export", "stl"}, "--export: "},
    {"export_empty", {"run", "SCENE", "--export", ""}, "--export: "},
    {"export_repeated", {"run", "SCENE", "--export", "obj,obj"}, "--export: "},
    {"stats_empty", {"run", "SCENE", "--stats", ""}, "--stats: needs a name"},
    {"stats_folder", {"run", "SCENE", "--stats", "/nonexistent/folder/s.jsonl"}, "/nonexistent/folder/s.jsonl"},
    {"forces_without_stats", {"run", "SCENE", "--contact-forces"}, "--contact-forces: goes with --stats"},
    {"out_empty", {"run", "SCENE", "--out", ""}, "--out: needs a name"},
    {"trace_no_file", {"run", "SCENE", "--trace", "p:0"}, "'p:0' is not OBJECT:VERTEX,...=FILE"},
    {"trace_empty_file", {"run", "SCENE", "--trace", "p:0="}, "is not OBJECT:VERTEX,...=FILE"},
    {"trace_no_vertex", {"run", "SCENE", "--trace", "p=DIR/t.csv"}, "'p' is not OBJECT:VERTEX"},
    {"trace_empty_item", {"run", "SCENE", "--trace", "p:0,=DIR/t.csv"}, "'' is not OBJECT:VERTEX"},
    {"trace_text_vertex", {"run", "SCENE", "--trace", "p:a=DIR/t.csv"}, "'p:a' is not OBJECT:VERTEX"},
    {"trace_unknown_object", {"run", "SCENE", "--trace", "q:0=DIR/t.csv"}, "there is no object 'q'"},
    {"trace_vertex_range",
     {"run", "SCENE", "--trace", "p:2=DIR/t.csv"},
     "vertex 2 of 'p' does not exist: it has 2 vertices"},
    {"trace_twice_one_file",
     {"run", "SCENE", "--trace", "p:0=DIR/t.csv", "--trace", "p:1=DIR/t.csv"},
     "is written twice"},
    {"stats_and_trace_one_file", {"run", "SCENE", "--stats", "DIR/t", "--trace", "p:1=DIR/t"}, "is written twice"},
};

class ArgumentTable : public Folder, public testing::WithParamInterface<BadArguments> {
  protected:
    std::vector<std::string> filled_in() {
        const std::string file = write("scene.json", scene(two_particles));
        std::vector<std::string> arguments = GetParam().arguments;
        for (std::string& argument : arguments) {
            if (argument == "SCENE") {
                argument = file;
            }
            const size_t place = argument.find("DIR");
            if (place != std::string::npos) {
                argument.replace(place, 3, path(""));
            }
        }
        return arguments;
    }
};

TEST_P(ArgumentTable, IsRefusedInOneLine) {
    const Result result = taut(filled_in());
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(line_count(result.err), 1u) << result.err;
    EXPECT_TRUE(contains(result.err, GetParam().sentence)) << result.err;
    EXPECT_EQ(list(), std::vector<std::string>{"scene.json"}) << "nothing may be left behind";
}

INSTANTIATE_TEST_SUITE_P(All, ArgumentTable, testing::ValuesIn(table),
                         [](const auto& row) { return std::string(row.param.name); });

} // namespace
