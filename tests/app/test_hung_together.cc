// Lines that hang from one place: their ends are neighbours as those of one line are.
#include "runs.h"

#include <cmath>
#include <tuple>

using namespace app;

namespace {

// From one place of a body that is fixed; a ball beside them falls.
class Hung : public Runs, public testing::WithParamInterface<std::tuple<std::string, int>> {};

TEST_P(Hung, LeavesABystanderAlone) {
    const auto& [line, legs] = GetParam();
    std::string objects = R"({"name": "hand", "type": "rigid", "box": {"sides": [0.05, 0.05, 0.05]}, "mass": 1,
                              "translate": [0, 1, 0], "fixed": true},
                             {"name": "ball", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 1,
                              "translate": [2, 9, 0], "contact": {}})";
    std::string joints;
    for (int i = 0; i < legs; i++) {
        const double angle = 2 * std::acos(-1.0) * i / legs;
        const std::string name = "line" + std::to_string(i);
        const std::string end =
            std::to_string(0.5 * std::cos(angle)) + ", 0.8, " + std::to_string(0.5 * std::sin(angle));
        objects += R"(, {"name": ")" + name + R"(", "points": [[0, 1, 0], [)" + end +
                   R"(]], "segments": 8, "contact": {"radius": 0.005}, )" + line + "}";
        joints += (i > 0 ? ", " : "") +
                  std::string(R"({"type": "attach", "a": {"object": "hand", "at": [0, 1, 0]}, "b": [")") + name +
                  R"(", 0]})";
    }
    const Table t = run(scene(objects, joints), "ball:0", {"--frames", "60"});
    for (const Record& frame : read_stats(read("stats.jsonl"))) {
        EXPECT_EQ(frame.strings.at("outcome"), "converged") << "frame " << frame.at("frame");
    }
    EXPECT_NEAR(t.rows[60][2], 9 - 9.81 / 2, 0.1);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, Hung,
    testing::Combine(testing::Values(R"("type": "rope", "density": 0.1)",
                                     R"("type": "rod", "radius": 0.005, "density": 1000, "young": 1e7)"),
                     testing::Values(3, 5)));

} // namespace
