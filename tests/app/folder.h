// A folder that lives as long as a test, and texts of scenes to put there.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace app {

class Folder : public testing::Test {
  public:
    Folder();
    ~Folder() override;
    std::string path(const std::string& name) const { return factor_ + "/" + name; }
    // Writes a file and returns its path.
    std::string write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;
    bool exists(const std::string& name) const;
    // Names of the files in a folder below, sorted; "" is the folder itself.
    std::vector<std::string> list(const std::string& name = "") const;

  private:
    std::string factor_;
};

// A scene of the given members: {"taut": 1, "frames": 3, EXTRA "objects": [OBJECTS], "constraints": [CONSTRAINTS]}.
std::string scene(const std::string& objects, const std::string& constraints = "", const std::string& extra = "");

// Two particles 'p', 1 m apart along x, and small objects of every other type that needs no file.
extern const char* const two_particles;
extern const char* const small_sheet; // 'sheet', 3 x 3 vertices
extern const char* const short_rope;  // 'rope', 5 vertices

// y = curve (x^2 + z^2) over a square of `size` m with `cells` x `cells` squares of two triangles, without those nearer
// to its middle than `hole`.
std::string square_obj(int cells, double size, double hole = 0, double curve = 0);

std::vector<std::string> lines(const std::string& text);

} // namespace app
