// Point caches and sequences: what they hold at a time, and what is refused.
#include "folder.h"
#include "mesh_files.h"

extern "C" {
#include "base/file_sequence.h"
#include "mesh/point_cache.h"
}

#include <cmath>
#include <cstring>
#include <vector>

using namespace io;

namespace {

std::string word(uint32_t bits, bool big) {
    std::string out(4, '\0');
    for (int i = 0; i < 4; i++) {
        out[static_cast<size_t>(big ? 3 - i : i)] = static_cast<char>(bits >> 8 * i & 255u);
    }
    return out;
}

std::string real(float value, bool big) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return word(bits, big);
}

// Samples of the square of mesh_files.h: sample s has it s m higher.
std::string square_samples(int count, bool big) {
    const float points[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    std::string out;
    for (int s = 0; s < count; s++) {
        for (const auto& p : points) {
            out += real(p[0], big) + real(p[1], big) + real(static_cast<float>(s), big);
        }
    }
    return out;
}

std::string pc2(uint32_t points, int samples, float rate = 1, uint32_t stated = 3) {
    return std::string("POINTCACHE2\0", 12) + word(1, false) + word(points, false) + real(0, false) +
           real(rate, false) + word(stated, false) + square_samples(samples, false);
}

std::string mdd(const std::vector<float>& times) {
    std::string out = word(static_cast<uint32_t>(times.size()), true) + word(4, true);
    for (float t : times) {
        out += real(t, true);
    }
    return out + square_samples(static_cast<int>(times.size()), true);
}

class PointCaches : public app::Folder {
  protected:
    void SetUp() override {
        const Read read(write("square.obj", obj_text));
        ASSERT_TRUE(read.ok);
        report r{};
        ASSERT_TRUE(mesh_read_surface(path("square.obj").c_str(), &square, &r));
    }
    void TearDown() override {
        mesh_free(&square);
        point_cache_free(&cache);
    }
    bool read(const std::string& file, double fps = 0, size_t first = 1) {
        point_cache_free(&cache);
        cause = {};
        return point_cache_read(file.c_str(), &square, first, fps, 10, &cache, &cause);
    }
    double height(double time) {
        double now[4][3];
        point_cache_at(&cache, time, now);
        EXPECT_EQ(now[2][0], 1);
        EXPECT_EQ(now[2][1], 1);
        return now[2][2];
    }
    void refused(const std::string& file, const std::string& why, double fps = 0) {
        EXPECT_FALSE(read(file, fps));
        const std::string text = cause.text;
        EXPECT_EQ(text.rfind(file, 0), 0u) << text;
        EXPECT_NE(text.find(why), std::string::npos) << text;
        EXPECT_EQ(cache.points, nullptr);
    }

    mesh square{};
    point_cache cache{};
    report cause{};
};

TEST_F(PointCaches, Pc2IsLinearBetweenItsSamplesAndHeldBeyond) {
    const std::string file = write("a.pc2", pc2(4, 3, 2));
    ASSERT_TRUE(read(file)) << cause.text;
    EXPECT_EQ(cache.sample_count, 3u);
    EXPECT_NEAR(height(0.1), 0.5, 1e-15); // samples are 2 / 10 s apart
    EXPECT_NEAR(height(0.3), 1.5, 1e-15);
    EXPECT_EQ(height(-1), 0);
    EXPECT_EQ(height(9), 2);
    ASSERT_TRUE(read(file, 20));
    EXPECT_NEAR(height(0.1), 1, 1e-15);
}

TEST_F(PointCaches, MddHasTimesOfItsOwn) {
    const std::string file = write("a.mdd", mdd({5, 5.5F, 7}));
    ASSERT_TRUE(read(file)) << cause.text;
    EXPECT_NEAR(height(0.25), 0.5, 1e-15);
    EXPECT_NEAR(height(1.25), 1.5, 1e-15);
    ASSERT_TRUE(read(file, 4)); // other than those
    EXPECT_NEAR(height(0.375), 1.5, 1e-15);
}

TEST_F(PointCaches, SequencesEndWhereAFileIsMissing) {
    for (int i = 7; i < 10; i++) {
        const std::string z = " " + std::to_string(i) + "\n";
        write("walk_00" + std::to_string(i) + ".obj",
              "v 0 0" + z + "v 1 0" + z + "v 1 1" + z + "v 0 1" + z + "f 1 2 3 4\n");
    }
    ASSERT_TRUE(read(path("walk_%03d.obj"), 0, 7)) << cause.text;
    EXPECT_EQ(cache.sample_count, 3u);
    EXPECT_NEAR(height(0.05), 7.5, 1e-14);
    EXPECT_EQ(height(1), 9);
    EXPECT_FALSE(read(path("walk_%03d.obj"), 0, 1));
    EXPECT_NE(strstr(cause.text, "walk_001.obj: does not exist"), nullptr) << cause.text;
    write("walk_010.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 4\nf 2 3 4\n");
    EXPECT_FALSE(read(path("walk_%03d.obj"), 0, 7));
    EXPECT_NE(strstr(cause.text, "other triangles"), nullptr) << cause.text;
}

TEST_F(PointCaches, NamesOfSequences) {
    for (const char* good : {"%d.obj", "a_%04d.obj"}) {
        EXPECT_TRUE(is_file_sequence(good)) << good;
    }
    for (const char* bad : {"a.obj", "%s.obj", "%d_%d.obj", "%%d.obj", "%4d.obj", "%n", "%", "%0", "%00000d"}) {
        EXPECT_FALSE(is_file_sequence(bad)) << bad;
    }
}

TEST_F(PointCaches, Refused) {
    refused(path("none.pc2"), "cannot be read");
    refused(write("e.pc2", ""), "is empty");
    refused(write("short.pc2", "POINT"), "truncated");
    refused(write("other.pc2", std::string(64, 'x')), "no PC2 point cache");
    refused(write("points.pc2", pc2(5, 3)), "has 5 points, and the mesh 4");
    refused(write("cut.pc2", pc2(4, 2)), "states 3 samples, and holds 2");
    refused(write("huge.pc2", pc2(4, 2, 1, 0xffffffffU)), "4294967295 samples");
    refused(write("none_in.pc2", pc2(4, 0, 1, 0)), "0 samples");
    refused(write("still.pc2", pc2(4, 3, 0)), "frames per sample");
    std::string bad = pc2(4, 3);
    bad.replace(40, 4, real(NAN, false));
    refused(write("nan.pc2", bad), "not finite");
    refused(write("times.mdd", mdd({1, 1, 2})), "not later");
    refused(write("cut.mdd", mdd({1, 2, 3}).substr(0, 90)), "truncated");
    refused(write("a.abc", "x"), "neither a point cache");
}

} // namespace
