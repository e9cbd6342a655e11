// Thousands of damaged mesh files through the readers, in this process: whatever comes back, it must be a mesh that
// keeps all promises or a sentence, never a crash. Run it under sanitizers.
#include "folder.h"
#include "mesh_files.h"

#include <random>

using namespace io;

namespace {

class FileMutations : private InMemory, public app::Folder {
  protected:
    std::mt19937 random{20240611};
    size_t accepted = 0;
    size_t refused = 0;

    size_t below(size_t n) { return random() % n; }

    // Most of these stay well-formed words and get through to the checks of the mesh.
    void change_number(std::string& text) {
        static const char* const numbers[] = {
            "0",   "1",      "-1",   "2",    "4294967295", "4294967296",           "1e999",
            "nan", "1e-999", "1e30", "-0.0", "inf",        "18446744073709551615", "3"};
        const size_t begin = text.find_first_of("0123456789", below(text.size()));
        if (begin == std::string::npos) {
            return;
        }
        const size_t end = text.find_first_not_of("0123456789.", begin);
        const std::string number = below(2) ? numbers[below(std::size(numbers))] : std::to_string(below(12));
        text.replace(begin, end - begin, number);
    }

    void damage(std::string& text) {
        static const std::string bytes = "0123456789eE.+-/ \n\t#$vfn\\\r\x01\x7f\xff";
        const size_t at = below(text.size());
        switch (below(10)) {
        case 0:
            text[at] = static_cast<char>(random());
            break;
        case 1:
            text[at] = bytes[below(bytes.size())];
            break;
        case 2:
            text.erase(at, 1 + below(8));
            break;
        case 3:
            text.insert(at, text.substr(below(text.size()), 1 + below(60)));
            break;
        case 4:
            text.resize(at + 1);
            break;
        default:
            change_number(text);
            break;
        }
        if (text.empty()) {
            text = "\n";
        }
    }

    void check(const std::string& path, const std::string& damaged) {
        Read read(path);
        read.ok ? accepted++ : refused++;
        const testing::AssertionResult good = read.ok ? keeps_promises(read.m) : is_refusal(read, path);
        ASSERT_TRUE(good) << damaged;
    }

    // `partner` is the other file of a pair.
    void mutate(const std::string& name, const std::string& good, size_t count, const std::string& partner = "",
                const std::string& partner_text = "") {
        for (size_t i = 0; i < count && !HasFatalFailure(); i++) {
            std::string text = good;
            for (size_t k = 0; k < 1 + i % 3; k++) {
                damage(text);
            }
            if (!partner.empty()) {
                write(partner, partner_text);
            }
            check(write(name, text), text);
        }
        // A test that never passes the reader tests only its first lines.
        EXPECT_GT(accepted, count / 50) << name;
        EXPECT_GT(refused, count / 5) << name;
    }
};

TEST_F(FileMutations, Obj) {
    mutate("m.obj", obj_text, 8000);
}
TEST_F(FileMutations, Gmsh2) {
    mutate("m.msh", gmsh_2_text, 8000);
}
TEST_F(FileMutations, Gmsh4) {
    mutate("m.msh", gmsh_4_text, 8000);
}
TEST_F(FileMutations, Vtk2) {
    mutate("m.vtk", vtk_2_text, 8000);
}
TEST_F(FileMutations, Vtk5) {
    mutate("m.vtk", vtk_5_text, 8000);
}
TEST_F(FileMutations, TetgenNodes) {
    mutate("m.node", node_text, 5000, "m.ele", ele_text);
}
TEST_F(FileMutations, TetgenTets) {
    mutate("m.ele", ele_text, 5000, "m.node", node_text);
}

// A child process each.
TEST_F(FileMutations, Ply) {
    mutate("m.ply", ply_text, 60);
}
TEST_F(FileMutations, Off) {
    mutate("m.off", off_text, 60);
}
TEST_F(FileMutations, Stl) {
    mutate("m.stl", stl_text, 60);
}

} // namespace
