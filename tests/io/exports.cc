#include "exports.h"

namespace io {

namespace {

const uint32_t square[2][3] = {{0, 1, 2}, {0, 2, 3}};

export_object object(const char* name, export_shape shape, size_t first, size_t count, double width) {
    export_object o{};
    o.name = name;
    o.shape = shape;
    o.first_point = first;
    o.point_count = count;
    o.width = width;
    return o;
}

} // namespace

Scene::Scene() {
    objects = {object("sheet", EXPORT_SURFACE, 0, 4, 0), object("rope", EXPORT_CURVE, 4, 3, 0.02),
               object("p", EXPORT_POINTS, 7, 2, 0.05)};
    objects[0].triangles = square;
    objects[0].triangle_count = 2;
}

Points Scene::frame(size_t f) const {
    Points all;
    for (const export_object& o : objects) {
        for (size_t i = o.first_point; i < o.first_point + o.point_count; i++) {
            const double x = static_cast<double>(i) + 0.1;
            all.push_back({x, x / 3 - static_cast<double>(f), 1e-7 * x + static_cast<double>(f) / 7});
        }
    }
    return all;
}

PointsF Scene::stored(size_t f, size_t which) const {
    const Points all = frame(f);
    const export_object& o = objects[which];
    PointsF out;
    for (size_t i = o.first_point; i < o.first_point + o.point_count; i++) {
        out.push_back({static_cast<float>(all[i][0]), static_cast<float>(all[i][1]), static_cast<float>(all[i][2])});
    }
    return out;
}

exporter* Export::open(const Scene& scene, unsigned formats) {
    exporter* e = nullptr;
    EXPECT_TRUE(export_open(path("out").c_str(), formats, scene.objects.data(), scene.objects.size(), 60, 0, 9, &e, &r))
        << r.text;
    return e;
}

bool Export::put(exporter* e, size_t frame, const Points& positions) {
    return export_frame(e, frame, reinterpret_cast<const double(*)[3]>(positions.data()), &r);
}

void Export::export_all(const Scene& scene, unsigned formats, size_t count, double fps) {
    exporter* e = nullptr;
    ASSERT_TRUE(
        export_open(path("out").c_str(), formats, scene.objects.data(), scene.objects.size(), fps, 0, 9, &e, &r))
        << r.text;
    for (size_t f = 0; f < count; f++) {
        ASSERT_TRUE(put(e, f, scene.frame(f))) << r.text;
    }
    ASSERT_TRUE(export_close(e, &r)) << r.text;
    EXPECT_STREQ(r.text, "");
}

} // namespace io
