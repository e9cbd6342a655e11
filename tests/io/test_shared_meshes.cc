// Files of other projects, where they are at hand: counts as in shared/data/LICENCES.md.
#include "mesh_files.h"

#include <filesystem>

using namespace io;

namespace {

struct Known {
    const char* file;
    size_t points, triangles, tets; // triangles of tetrahedra: not stated
};

void PrintTo(const Known& known, std::ostream* stream) {
    *stream << known.file;
}

std::string data(const std::string& file) {
    return TAUT_TEST_DATA "/" + file;
}

class SharedMesh : public testing::TestWithParam<Known> {};

TEST_P(SharedMesh, HasTheKnownCounts) {
    const Known known = GetParam();
    const std::string path = data(known.file);
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << path << " is not here";
    }
    Read read(path);
    ASSERT_TRUE(read.ok) << read.r.text;
    EXPECT_TRUE(keeps_promises(read.m));
    EXPECT_EQ(read.m.point_count, known.points);
    EXPECT_EQ(read.m.tet_count, known.tets);
    if (known.tets == 0) {
        EXPECT_EQ(read.m.triangle_count, known.triangles);
    }
}

INSTANTIATE_TEST_SUITE_P(Cloth, SharedMesh,
                         testing::Values(Known{"cloth/codim-ipc__square2K.obj", 1939, 3716, 0},
                                         Known{"cloth/codim-ipc__square41.obj", 1681, 3200, 0},
                                         Known{"cloth/diffcloth__flag001.obj", 540, 1026, 0},
                                         Known{"cloth/diffcloth__skirt2011.obj", 1074, 2011, 0},
                                         Known{"cloth/diffcloth__tshirt1900.obj", 1921, 3726, 0},
                                         Known{"cloth/diffcloth__wind24x24.obj", 576, 1058, 0},
                                         Known{"cloth/libuipc-samples__output_panel_top_back.obj", 1281, 2343, 0},
                                         Known{"cloth/libuipc-samples__output_panel_top_front.obj", 1250, 2255, 0},
                                         Known{"cloth/libuipc__cloth80x80.obj", 6400, 12482, 0},
                                         Known{"cloth/sofa__square_2594_triangles.obj", 1364, 2594, 0},
                                         Known{"collider/codim-ipc__bowl.obj", 1196, 2330, 0},
                                         Known{"collider/mujoco__spot.obj", 2930, 5856, 0},
                                         Known{"collider/sofa__icosahedron.obj", 12, 20, 0},
                                         Known{"collider/sofa__sphere.obj", 382, 760, 0},
                                         Known{"collider/sofa__torus_for_collision.obj", 200, 400, 0}));

INSTANTIATE_TEST_SUITE_P(
    Tets, SharedMesh,
    testing::Values(Known{"tets/codim-ipc__cylinder4K.vtk", 3909, 0, 14759},
                    Known{"tets/codim-ipc__mat20x20.vtk", 800, 0, 2166}, Known{"tets/drake__teddy.vtk", 410, 0, 1207},
                    Known{"tets/drake__torus.vtk", 115, 0, 286}, Known{"tets/gaia__Beam_1k.1.node", 1292, 0, 4993},
                    Known{"tets/gaia__Beam_1k.1.ele", 1292, 0, 4993}, Known{"tets/gaia__Beam_lowRes.1.vtk", 29, 0, 42},
                    Known{"tets/gaia__bar990.mesh", 361, 0, 990}, Known{"tets/gaia__cactus.mesh", 5261, 0, 17187},
                    Known{"tets/libuipc__ball.msh", 1647, 0, 7056}, Known{"tets/libuipc__link.msh", 491, 0, 1499},
                    Known{"tets/mujoco__cube_22_ascii_vol_gmshApp.msh", 14, 0, 24},
                    Known{"tets/mujoco__cube_41_ascii_vol_gmshApp.msh", 14, 0, 24},
                    Known{"tets/mujoco__shark_22_ascii_fTetWild.msh", 425, 0, 1070}));

struct Refused {
    const char* file;
    const char* cause;
};

void PrintTo(const Refused& refused, std::ostream* stream) {
    *stream << refused.file;
}

class SharedRefusal : public testing::TestWithParam<Refused> {};

TEST_P(SharedRefusal, NamesTheCause) {
    const std::string path = data(GetParam().file);
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << path << " is not here";
    }
    Read read(path);
    EXPECT_TRUE(is_refusal(read, path));
    EXPECT_NE(std::string(read.r.text).find(GetParam().cause), std::string::npos) << read.r.text;
}

INSTANTIATE_TEST_SUITE_P(
    Refused, SharedRefusal,
    testing::Values(Refused{"tets/drake__one_negative_tetrahedron.vtk", "inverted"},
                    Refused{"tets/mujoco__malformed_cube_22_ascii_missing_node.msh", "$EndNodes"},
                    Refused{"tets/mujoco__malformed_cube_41_ascii_missing_element.msh", "$EndElements"},
                    Refused{"tets/sofa__liver.msh", "version 1"}, Refused{"tets/sofa__truthcylinder1.msh", "version 1"},
                    Refused{"cloth/sofa__tshirt_0.msh", "version 1"},
                    Refused{"rope/libuipc__circle.obj", "no triangle"},
                    Refused{"tets/newton__tetmesh_simple.usda", "usda"}));

} // namespace
