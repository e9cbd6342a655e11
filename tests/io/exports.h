// A scene to export, and files read back.
#pragma once

extern "C" {
#include "export/export.h"
}

#include "folder.h"

#include <array>
#include <string>
#include <vector>

namespace io {

using Points = std::vector<std::array<double, 3>>;
using PointsF = std::vector<std::array<float, 3>>;

// A square 'sheet' of 4 points, a 'rope' of 3 and 2 points 'p', in this order.
struct Scene {
    Scene();
    std::vector<export_object> objects;
    // Positions of frame f: other numbers in each, none of them a float32.
    Points frame(size_t f) const;
    // The same as the files should hold them, of one object.
    PointsF stored(size_t f, size_t object) const;
};

class Export : public app::Folder {
  protected:
    // Opens DIR 'out', writes frames 0 to count - 1 and closes; every call must succeed.
    void export_all(const Scene& scene, unsigned formats, size_t count, double fps = 60);

    exporter* open(const Scene& scene, unsigned formats);
    bool put(exporter* e, size_t frame, const Points& positions);

    report r{};
};

} // namespace io
