// taut assemble: matrices and tables as files.
#include "folder.h"
#include "process.h"

#include <sstream>

using namespace app;

namespace {

class Assemble : public Folder {
  public:
    std::string garment() const {
        return write("scene.json", scene(std::string(small_sheet) + ", " + short_rope,
                                         R"({"type": "pin", "at": {"object": "sheet", "vertices": [0, 2]}},
                                            {"type": "attach", "a": ["sheet", 4], "b": ["rope", 0]})"));
    }
    // The size line of a Matrix Market file.
    std::string size(const std::string& name) const {
        const std::vector<std::string> all = lines(read(name));
        return all.size() > 1 ? all[1] : "";
    }
};

// 14 particles; 44 rows, as `check` counts them.
TEST_F(Assemble, WritesEveryMatrix) {
    const Result result = taut({"assemble", garment(), "--frames", "2", "--out", path("a/b")});
    EXPECT_EQ(result.code, 0) << result.err;
    const std::vector<std::string> expected = {"C.mtx",       "G.mtx", "J.mtx",   "M.mtx",   "P.mtx",
                                               "columns.csv", "f.mtx", "lam.mtx", "phi.mtx", "rows.csv"};
    EXPECT_EQ(list("a/b"), expected);
    EXPECT_EQ(size("a/b/M.mtx"), "42 42 42");
    EXPECT_EQ(size("a/b/P.mtx"), "42 42 42");
    EXPECT_EQ(size("a/b/J.mtx").substr(0, 6), "44 42 ");
    EXPECT_EQ(size("a/b/C.mtx").substr(0, 6), "44 44 ");
    EXPECT_EQ(size("a/b/G.mtx").substr(0, 6), "42 42 ");
    EXPECT_EQ(size("a/b/f.mtx"), "42 1");
    EXPECT_EQ(size("a/b/lam.mtx"), "44 1");
    EXPECT_EQ(lines(read("a/b/lam.mtx")).size(), 46u);
}

TEST_F(Assemble, TablesNameObjectsAndConstraints) {
    ASSERT_EQ(taut({"assemble", garment(), "--out", path("out")}).code, 0);
    const std::vector<std::string> columns = lines(read("out/columns.csv"));
    ASSERT_EQ(columns.size(), 15u);
    EXPECT_EQ(columns[1], "1,\"sheet\",0");
    EXPECT_EQ(columns[10], "28,\"rope\",0");
    const std::string rows = read("out/rows.csv");
    EXPECT_TRUE(contains(rows, ",3,attachment,")) << rows;
    EXPECT_TRUE(contains(rows, "\"sheet\",4,\"rope\",0,,,,")) << rows;
}

// A hanging rope at rest: J^T lam + f = 0 on its free particles, from the files alone.
TEST_F(Assemble, ForcesBalanceAtRest) {
    const std::string file = write("scene.json", R"({"taut": 1, "frames": 1, "solver": {"tolerance": 1e-9},
        "objects": [{"name": "r", "type": "rope", "points": [[0, 0, 0], [0, -1, 0]], "segments": 4, "density": 0.2}],
        "constraints": [{"type": "pin", "at": {"object": "r", "vertices": [0]}}]})");
    ASSERT_EQ(taut({"assemble", file, "--frames", "1", "--backend", "cpu", "--out", path("out")}).code, 0);
    std::vector<double> force, lam;
    for (const auto& [name, values] : {std::pair{"out/f.mtx", &force}, std::pair{"out/lam.mtx", &lam}}) {
        const std::vector<std::string> all = lines(read(name));
        for (size_t i = 2; i < all.size(); i++) {
            values->push_back(std::stod(all[i]));
        }
    }
    const std::vector<std::string> entries = lines(read("out/J.mtx"));
    for (size_t i = 2; i < entries.size(); i++) {
        std::istringstream line(entries[i]);
        size_t row = 0, column = 0;
        double value = 0;
        line >> row >> column >> value;
        force.at(column - 1) += value * lam.at(row - 1);
    }
    ASSERT_EQ(force.size(), 15u);
    for (size_t i = 3; i < force.size(); i++) {
        EXPECT_NEAR(force[i], 0, 1e-6) << i;
    }
}

TEST_F(Assemble, Refusals) {
    EXPECT_EQ(taut({"assemble"}).code, 2);
    EXPECT_EQ(taut({"assemble", path("nothing.json")}).code, 2);
    const Result result = taut({"assemble", garment(), "--export", "obj"});
    EXPECT_EQ(result.code, 2);
    EXPECT_TRUE(contains(result.err, "--export")) << result.err;
    write("file", "");
    EXPECT_EQ(taut({"assemble", garment(), "--out", path("file")}).code, 2);
    EXPECT_EQ(taut({"assemble", "--help"}).code, 0);
}

} // namespace
