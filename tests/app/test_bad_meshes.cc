// Meshes that a scene names and that must be refused with the scene's place and the mesh's own cause.
#include "folder.h"
#include "process.h"

using namespace app;

namespace {

class BadMeshes : public Folder {
  protected:
    // Checks a scene of one cloth with the given mesh text.
    Result check_cloth(const std::string& obj, const std::string& members = "") {
        write("cloth.obj", obj);
        return taut({"check", write("scene.json", scene(R"({"name": "c", "type": "cloth", "mesh": "cloth.obj", )" +
                                                        members + "\"density\": 0.2}"))});
    }
    Result check_soft(const std::string& file, const std::string& members = "") {
        return taut({"check", write("scene.json", scene(R"({"name": "s", "type": "soft", "mesh": ")" + file + "\", " +
                                                        members + R"("density": 1000, "young": 1e5})"))});
    }
    void expect_refusal(const Result& result, const std::string& place, const std::string& cause) {
        EXPECT_EQ(result.code, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(line_count(result.err), 1u) << result.err;
        EXPECT_EQ(result.err.rfind(path("scene.json") + ": " + place, 0), 0u) << result.err;
        EXPECT_TRUE(contains(result.err, cause)) << result.err;
    }
};

const char* const fan_of_three = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 2 5\n";

TEST_F(BadMeshes, MissingCloth) {
    const Result result = taut({"check", write("scene.json", scene(R"({"name": "c", "type": "cloth", "density": 1,
                                                                      "mesh": "none.obj"})"))});
    expect_refusal(result, "objects[0].mesh: ", path("none.obj"));
}

TEST_F(BadMeshes, MissingSoft) {
    expect_refusal(check_soft("none.msh"), "objects[0].mesh: ", path("none.msh"));
}

TEST_F(BadMeshes, GarbageSoft) {
    write("x.msh", "this is no mesh\n");
    expect_refusal(check_soft("x.msh"), "objects[0].mesh: ", "x.msh");
}

// The reader drops what no triangle uses; were it to stay, build_body would refuse it for want of mass.
TEST_F(BadMeshes, NoVertexIsWithoutMass) {
    const Result result = check_cloth("v 0 0 0\nv 1 0 0\nv 5 5 5\nv 0 1 0\nf 1 2 4\n");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(contains(result.out, "3 particles")) << result.out;
}

TEST_F(BadMeshes, ThreeTrianglesAtAnEdgeCannotBend) {
    EXPECT_EQ(check_cloth(fan_of_three).code, 0);
    expect_refusal(check_cloth(fan_of_three, "\"bend\": {}, "),
                   "objects[0].bend: ", "the edge between vertices 0 and 1 lies in 3 triangles");
    expect_refusal(check_cloth(fan_of_three, "\"shear\": {}, "), "objects[0].shear: ", "lies in 3 triangles");
}

TEST_F(BadMeshes, TwiceTheSameTriangleIsOne) {
    const Result result = check_cloth("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 1 3\n", "\"bend\": {}, ");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(contains(result.err, "cloth.obj: 1 triangle has the corners of another one and is skipped"))
        << result.err;
}

TEST_F(BadMeshes, ShearBetweenVerticesAtOnePlace) {
    expect_refusal(check_cloth("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 1 0\nf 1 2 3\nf 2 1 4\n", "\"shear\": {}, "),
                   "objects[0].shear: ", "are at the same place");
}

} // namespace
