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
    std::vector<double> balance() const;
};

// 14 particles; 44 rows, as `check` counts them.
TEST_F(Assemble, WritesEveryMatrix) {
    const Result result = taut({"assemble", garment(), "--frames", "2", "--out", path("a/b")});
    EXPECT_EQ(result.code, 0) << result.err;
    const std::vector<std::string> expected = {"C.mtx",   "G.mtx",    "Gamma.mtx",   "J.mtx", "K.mtx",
                                               "M.mtx",   "P.mtx",    "columns.csv", "f.mtx", "lam.mtx",
                                               "phi.mtx", "rows.csv", "v.mtx"};
    EXPECT_EQ(list("a/b"), expected);
    EXPECT_EQ(size("a/b/M.mtx"), "42 42 42");
    EXPECT_EQ(size("a/b/P.mtx"), "42 42 42");
    EXPECT_EQ(size("a/b/J.mtx").substr(0, 6), "44 42 ");
    EXPECT_EQ(size("a/b/C.mtx").substr(0, 6), "44 44 ");
    EXPECT_EQ(size("a/b/G.mtx").substr(0, 6), "42 42 ");
    EXPECT_EQ(size("a/b/K.mtx"), "42 42 0");
    EXPECT_EQ(size("a/b/f.mtx"), "42 1");
    EXPECT_EQ(size("a/b/Gamma.mtx").substr(0, 6), "42 42 ");
    EXPECT_EQ(size("a/b/v.mtx"), "42 1");
    EXPECT_EQ(size("a/b/lam.mtx"), "44 1");
    EXPECT_EQ(lines(read("a/b/lam.mtx")).size(), 46u);
}

TEST_F(Assemble, TablesNameObjectsAndConstraints) {
    ASSERT_EQ(taut({"assemble", garment(), "--out", path("out")}).code, 0);
    const std::vector<std::string> columns = lines(read("out/columns.csv"));
    ASSERT_EQ(columns.size(), 15u);
    EXPECT_EQ(columns[0], "first_column,object,vertex,frame");
    EXPECT_EQ(columns[1], "1,\"sheet\",0,");
    EXPECT_EQ(columns[10], "28,\"rope\",0,");
    const std::string rows = read("out/rows.csv");
    EXPECT_TRUE(contains(rows, ",3,attachment,")) << rows;
    EXPECT_TRUE(contains(rows, "\"sheet\",4,\"rope\",0,,,,,,,,,\"constraints[1]\",0\n")) << rows;
    for (const char* source : {"\"objects[0].stretch\",0\n", "\"objects[0].shear\",0\n", "\"objects[0].bend\",0\n",
                               "\"objects[1].stretch\",0\n"}) {
        EXPECT_TRUE(contains(rows, source)) << source << " is not in " << rows;
    }
}

// Points in order of addition, then frames; what no object has is named by its place in the file.
TEST_F(Assemble, TablesNameBodiesAndMappedPoints) {
    const std::string file = write(
        "scene.json", scene(std::string(two_particles) +
                                R"(, {"name": "b", "type": "rigid", "sphere": {"radius": 1}, "mass": 1,
              "positions": [[0, 0, 0], [3, 0, 0]]},
             {"name": "rod", "type": "rod", "points": [[0, 5, 0], [1, 5, 0]], "segments": 2, "radius": 0.1,
              "density": 1, "young": 1})",
                            R"({"type": "hinge", "a": "world", "b": ["b", 0], "position": [0, 1, 0]},
           {"type": "attach", "a": ["p", 0], "b": {"object": "b", "body": 1, "at": [3, 1, 0]}})",
                            R"("mappings": [{"name": "d", "type": "distance", "pairs": [[["p", 0], ["p", 1]]]}], )"));
    const Result result = taut({"assemble", file, "--frames", "1", "--backend", "cpu", "--out", path("out")});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::vector<std::string> expected = {"first_column,object,vertex,frame",
                                               "1,\"p\",0,",
                                               "4,\"p\",1,",
                                               "7,\"b\",0,",
                                               "10,\"b\",1,",
                                               "13,\"rod\",0,",
                                               "16,\"rod\",1,",
                                               "19,\"rod\",2,",
                                               "22,\"mappings[0].pairs\",0,",
                                               "25,\"d\",0,",
                                               "28,\"world\",0,",
                                               "31,\"constraints[1].b\",0,",
                                               "34,\"b\",,0",
                                               "37,\"b\",,1",
                                               "40,\"rod\",,0",
                                               "43,\"rod\",,1",
                                               "46,\"world\",,0"};
    EXPECT_EQ(lines(read("out/columns.csv")), expected);
    EXPECT_EQ(size("out/M.mtx").substr(0, 6), "48 48 ");
    EXPECT_EQ(size("out/f.mtx"), "48 1");
    // Rows of the hinge (3 + 2), the attachment (3), the rod's pieces (2 x 3) and its bend (3).
    EXPECT_EQ(size("out/phi.mtx"), "17 1");
    const std::string rows = read("out/rows.csv");
    for (const char* part : {"attachment,5,0,\"p\",0,\"constraints[1].b\",0,,,,,,,,,\"constraints[1]\",0\n",
                             "prismatic,3,2,\"world\",0,\"b\",0,,,,,\"world\",0,\"b\",0,\"constraints[0]\",0\n",
                             "angular,4,1,,,,,,,,,\"world\",0,\"b\",0,\"constraints[0]\",0\n",
                             "alignment,2,0,,,,,,,,,\"rod\",0,\"rod\",1,\"objects[2]\",0\n",
                             "segment,1,1,\"rod\",1,\"rod\",2,,,,,\"rod\",1,,,\"objects[2]\",0\n"}) {
        EXPECT_TRUE(contains(rows, part)) << part << " is not in " << rows;
    }
    // The Jacobian of the attachment leads to the body, past the point on it.
    bool body = false;
    const std::vector<std::string> entries = lines(read("out/J.mtx"));
    for (size_t i = 2; i < entries.size(); i++) {
        std::istringstream line(entries[i]);
        size_t row = 0, column = 0;
        line >> row >> column;
        EXPECT_FALSE(column >= 22 && column <= 27) << entries[i];
        EXPECT_FALSE(column >= 31 && column <= 33) << entries[i];
        body |= column >= 37 && column <= 39;
    }
    EXPECT_TRUE(body);
}

// J^T lam + f of every coordinate, from the files alone.
std::vector<double> Assemble::balance() const {
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
    return force;
}

// A hanging rope at rest: no force is left on its free particles.
TEST_F(Assemble, ForcesBalanceAtRest) {
    const std::string file = write("scene.json", R"({"taut": 1, "frames": 1, "solver": {"tolerance": 1e-9},
        "objects": [{"name": "r", "type": "rope", "points": [[0, 0, 0], [0, -1, 0]], "segments": 4, "density": 0.2}],
        "constraints": [{"type": "pin", "at": {"object": "r", "vertices": [0]}}]})");
    ASSERT_EQ(taut({"assemble", file, "--frames", "1", "--backend", "cpu", "--out", path("out")}).code, 0);
    const std::vector<double> force = balance();
    ASSERT_EQ(force.size(), 15u);
    for (size_t i = 3; i < force.size(); i++) {
        EXPECT_NEAR(force[i], 0, 1e-6) << i;
    }
}

// A ball and a particle on a slope that holds them: contacts are rows like others.
TEST_F(Assemble, ContactsBalanceAtRest) {
    const std::string file = write("scene.json", R"({"taut": 1, "frames": 20, "solver": {"tolerance": 1e-9},
        "objects": [
          {"name": "floor", "type": "collider", "plane": {"normal": [0.1, 1, 0]}},
          {"name": "stone", "type": "particles", "positions": [[0, 0, 0], [-1, 0.1, 0]], "contact": {}},
          {"name": "spring", "type": "particles", "positions": [[0, 1, 1], [0, 0, 1]]}],
        "constraints": [{"type": "pin", "at": {"object": "spring", "vertices": [0]}},
          {"type": "distance", "a": ["spring", 0], "b": ["spring", 1], "compliance": 1e-3, "damping": 0.1, "force": true}]})");
    const Result result = taut({"assemble", file, "--frames", "60", "--backend", "cpu", "--out", path("out")});
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string rows = read("out/rows.csv");
    EXPECT_TRUE(contains(rows, "\n2,3,contact,0,0,\"stone\",0,,,,,,,,,,,\"contacts\",0\n")) << rows;
    EXPECT_TRUE(contains(rows, "\n5,3,contact,0,1,\"stone\",1,,,,,,,,,,,\"contacts\",0\n")) << rows;
    EXPECT_TRUE(contains(rows, "\"spring\",0,\"spring\",1,,,,,,,,,\"constraints[1]\",1\n")) << rows;
    EXPECT_EQ(size("out/J.mtx").substr(0, 5), "7 12 ");
    EXPECT_EQ(size("out/phi.mtx"), "7 1");
    const std::vector<double> force = balance();
    ASSERT_EQ(force.size(), 12u);
    for (size_t i = 0; i < 6; i++) {
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
