// Exports that cannot be written: a sentence, and no half file.
#include "exports.h"

#include <csignal>
#include <filesystem>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

using namespace io;

namespace {

const unsigned all_formats = EXPORT_OBJ | EXPORT_PLY | EXPORT_USDA | EXPORT_PC2;

class ExportFailures : public Export {
  protected:
    void expect_sentence(const std::string& part) {
        EXPECT_NE(std::string(r.text).find(part), std::string::npos) << r.text;
        r = {};
    }

    void expect_no_parts() {
        for (const std::string& name : list("out")) {
            EXPECT_EQ(name.find(".part"), std::string::npos) << name;
            EXPECT_NE(name[0], '.') << name;
        }
    }
};

// Files of this process may not grow beyond `bytes`: a full disk for everybody, root too.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        signal(SIGXFSZ, SIG_DFL);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

  private:
    rlimit before_{};
};

TEST_F(ExportFailures, AFileWhereADirectoryShouldBe) {
    const Scene scene;
    const std::string file = write("file", "x");
    for (const std::string& directory : {file, file + "/below", file + "/below/deeper/"}) {
        exporter* e = nullptr;
        EXPECT_FALSE(export_open(directory.c_str(), all_formats, scene.objects.data(), 3, 60, 0, 9, &e, &r));
        EXPECT_EQ(e, nullptr);
        expect_sentence(file + ": is not a directory");
    }
    exporter* e = nullptr;
    EXPECT_FALSE(export_open("", all_formats, scene.objects.data(), 3, 60, 0, 9, &e, &r));
    expect_sentence("empty name");
}

TEST_F(ExportFailures, ADirectoryWhereAFileShouldBe) {
    const Scene scene;
    std::filesystem::create_directories(path("out/sheet.0000.obj"));
    exporter* e = open(scene, EXPORT_OBJ);
    EXPECT_FALSE(put(e, 0, scene.frame(0)));
    expect_sentence("out/sheet.0000.obj: cannot be written: is a directory");
    EXPECT_FALSE(put(e, 0, scene.frame(0)));
    expect_sentence("after one that could not be written");
    EXPECT_TRUE(export_close(e, &r)) << r.text;
    expect_no_parts();
}

TEST_F(ExportFailures, AllPartsGoWhenOneFileCannotBeOpened) {
    const Scene scene;
    std::filesystem::create_directories(path("out/rope.pc2.part"));
    exporter* e = nullptr;
    EXPECT_FALSE(export_open(path("out").c_str(), all_formats, scene.objects.data(), 3, 60, 0, 9, &e, &r));
    expect_sentence("out/rope.pc2: cannot be written");
    EXPECT_EQ(list("out"), (std::vector<std::string>{"rope.pc2.part"}));
}

TEST_F(ExportFailures, FullDiskInEveryFormat) {
    Scene scene;
    scene.objects = {scene.objects[2]};
    scene.objects[0].first_point = 0;
    scene.objects[0].point_count = 20000;
    for (unsigned format : {EXPORT_OBJ, EXPORT_PLY, EXPORT_USDA, EXPORT_PC2}) {
        const FullDisk limit(100000);
        exporter* e = open(scene, format);
        EXPECT_FALSE(put(e, 0, scene.frame(0))) << format;
        expect_sentence("out/");
        (void)export_close(e, &r);
        EXPECT_TRUE(list("out").empty()) << format;
    }
}

TEST_F(ExportFailures, FramesBeforeTheDiskWasFullAreKept) {
    Scene scene;
    scene.objects = {scene.objects[2]};
    scene.objects[0].first_point = 0;
    scene.objects[0].point_count = 5000;
    exporter* e = open(scene, EXPORT_PC2);
    {
        const FullDisk limit(150000);
        ASSERT_TRUE(put(e, 0, scene.frame(0))) << r.text;
        ASSERT_TRUE(put(e, 1, scene.frame(1))) << r.text;
        EXPECT_FALSE(put(e, 2, scene.frame(2)));
        expect_sentence("out/p.pc2: frame 2 cannot be written");
    }
    EXPECT_TRUE(export_close(e, &r)) << r.text;
    const std::string bytes = read("out/p.pc2");
    EXPECT_EQ(bytes.size(), 32u + 2 * 5000 * 12);
    EXPECT_EQ(bytes[28], 2);
    expect_no_parts();
}

TEST_F(ExportFailures, FramesThatAnotherFormatMissedAreCutOff) {
    const Scene scene;
    exporter* e = open(scene, EXPORT_PC2 | EXPORT_USDA | EXPORT_OBJ);
    ASSERT_TRUE(put(e, 0, scene.frame(0)));
    std::filesystem::create_directories(path("out/p.0001.obj"));
    EXPECT_FALSE(put(e, 1, scene.frame(1)));
    expect_sentence("out/p.0001.obj");
    EXPECT_TRUE(export_close(e, &r)) << r.text;
    EXPECT_EQ(read("out/sheet.pc2").size(), 32u + 4 * 12);
    EXPECT_NE(read("out/scene.usda").find("endTimeCode = 0\n"), std::string::npos);
    expect_no_parts();
}

// The text is several times as large as the positions: room for it is there before a frame is taken.
TEST_F(ExportFailures, UsdaKeepsTheFramesThatFit) {
    Scene scene;
    scene.objects = {scene.objects[2]};
    scene.objects[0].first_point = 0;
    scene.objects[0].point_count = 5000;
    const FullDisk limit(400000);
    exporter* e = open(scene, EXPORT_USDA);
    ASSERT_TRUE(put(e, 0, scene.frame(0))) << r.text;
    EXPECT_FALSE(put(e, 1, scene.frame(1)));
    expect_sentence("out/scene.usda: frame 1 cannot be stored: File too large");
    EXPECT_TRUE(export_close(e, &r)) << r.text;
    EXPECT_NE(read("out/scene.usda").find("endTimeCode = 0\n"), std::string::npos);
    EXPECT_EQ(read("out/scene.usda").back(), '\n');
    EXPECT_EQ(list("out"), std::vector<std::string>{"scene.usda"});
}

TEST_F(ExportFailures, PositionsThatFloat32CannotHold) {
    const Scene scene;
    exporter* e = open(scene, all_formats);
    for (double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e39}) {
        Points positions = scene.frame(0);
        positions[5][1] = bad;
        EXPECT_FALSE(put(e, 0, positions));
        expect_sentence("point 5 of frame 0");
    }
    EXPECT_TRUE(put(e, 0, scene.frame(0))) << r.text;
    EXPECT_TRUE(export_close(e, &r)) << r.text;
    EXPECT_TRUE(exists("out/sheet.pc2"));
}

TEST_F(ExportFailures, FramesOutOfOrder) {
    const Scene scene;
    exporter* e = open(scene, EXPORT_PC2);
    EXPECT_FALSE(put(e, 1, scene.frame(1)));
    expect_sentence("frame 1 is not the next");
    EXPECT_TRUE(put(e, 0, scene.frame(0)));
    EXPECT_FALSE(put(e, 0, scene.frame(0)));
    expect_sentence("frame 0 is not the next");
    EXPECT_TRUE(export_close(e, &r));
}

} // namespace
