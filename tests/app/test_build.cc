// What scene_build makes of a scene: places, rows and masses.
#include "built.h"
#include "folder.h"

#include <cmath>

using namespace app;

namespace {

void expect_position(const Built& b, size_t i, double x, double y, double z) {
    const double* p = b.position(i);
    EXPECT_NEAR(p[0], x, 1e-12);
    EXPECT_NEAR(p[1], y, 1e-12);
    EXPECT_NEAR(p[2], z, 1e-12);
}

TEST(Build, GridLiesInThePlane) {
    const Built b(scene(R"({"name": "g", "type": "cloth", "grid": {"size": [2, 1], "cells": [4, 3]}, "density": 1})"));
    ASSERT_TRUE(b.good) << b.cause.text;
    EXPECT_EQ(b.particles(), 20u);
    EXPECT_EQ(b.scene.objects[0].triangle_count, 24u);
    expect_position(b, 0, -1, 0, -0.5);
    expect_position(b, 4, 1, 0, -0.5);
    expect_position(b, 5, -1, 0, -0.5 + 1.0 / 3);
    expect_position(b, 19, 1, 0, 0.5);
}

// The sign of the y component of the normal of a triangle of an object.
double upward(const Built& b, size_t triangle) {
    const uint32_t* t = b.scene.objects[0].triangles[triangle];
    const double *p = b.position(t[0]), *q = b.position(t[1]), *r = b.position(t[2]);
    return (q[2] - p[2]) * (r[0] - p[0]) - (q[0] - p[0]) * (r[2] - p[2]);
}

TEST(Build, NormalsPointUpAlsoWhenMirrored) {
    const std::string grid =
        R"({"name": "g", "type": "cloth", "grid": {"size": [1, 1], "cells": [2, 1]}, "density": 1)";
    for (const char* scale : {"[1, 1, 1]", "[-1, 1, 1]", "[1, 1, -2]"}) {
        const Built b(scene(grid + ", \"scale\": " + scale + "}"));
        ASSERT_TRUE(b.good) << b.cause.text;
        for (size_t i = 0; i < 4; i++) {
            EXPECT_GT(upward(b, i), 0) << scale;
        }
    }
}

TEST(Build, ShearAndBendRowsComeWhereAsked) {
    const std::string grid =
        R"({"name": "g", "type": "cloth", "grid": {"size": [1, 1], "cells": [3, 2]}, "density": 1)";
    const size_t edges = 3 * 3 + 4 * 2;
    const size_t membrane = 3 * 12;
    EXPECT_EQ(Built(scene(grid + "}")).rows(), membrane);
    EXPECT_EQ(Built(scene(grid + ", \"model\": \"edges\"}")).rows(), edges);
    EXPECT_EQ(Built(scene(grid + ", \"stretch\": {}}")).rows(), edges);
    EXPECT_EQ(Built(scene(grid + ", \"shear\": {}}")).rows(), edges + 2 * 6);
    EXPECT_EQ(Built(scene(grid + ", \"model\": \"edges\", \"bend\": {}}")).rows(), edges + (6 + 3 * 1 + 2 * 2));
    EXPECT_EQ(Built(scene(grid + ", \"model\": \"membrane\", \"young\": 10}")).rows(), membrane);
    EXPECT_EQ(Built(scene(grid + ", \"model\": \"membrane\", \"young\": 10, \"bend\": {}}")).rows(), membrane + 13);
}

TEST(Build, BlockOfTetrahedra) {
    const std::string block = R"({"name": "b", "type": "soft", "grid": {"size": [3, 2, 1], "cells": [3, 2, 2]},
                                  "density": 1, "young": 1, "model": "strain")";
    for (const char* scale : {"1", "[1, 1, -1]"}) {
        const Built b(scene(block + ", \"scale\": " + scale + ", \"volume\": {}}"));
        ASSERT_TRUE(b.good) << b.cause.text; // the library refuses inverted tetrahedra
        EXPECT_EQ(b.particles(), 4u * 3 * 3);
        EXPECT_EQ(b.rows(), 7u * 6 * 12);
        const built_object& o = b.scene.objects[0];
        EXPECT_EQ(o.triangle_count, 4u * (6 + 4 + 6));
        double volume = 0; // by the divergence theorem, from the outward-facing boundary
        for (size_t i = 0; i < o.triangle_count; i++) {
            const double *p = b.position(o.triangles[i][0]), *q = b.position(o.triangles[i][1]),
                         *r = b.position(o.triangles[i][2]);
            volume += (p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                       p[2] * (q[0] * r[1] - q[1] * r[0])) /
                      6;
        }
        EXPECT_NEAR(volume, 6, 1e-12) << scale;
    }
}

TEST(Build, BlockOfForceElements) {
    const std::string block = R"({"name": "b", "type": "soft", "grid": {"size": [3, 2, 1], "cells": [3, 2, 2]},
                                  "density": 1, "young": 1, "model": )";
    for (const char* model : {"corotational", "neo_hookean", "st_venant_kirchhoff"}) {
        const Built b(scene(block + "\"" + model + R"(", "air": {"wind": [1, 0, 0]}, "pressure": 2, "volume": {}})"));
        ASSERT_TRUE(b.good) << b.cause.text;
        EXPECT_EQ(b.particles(), 4u * 3 * 3);
        EXPECT_EQ(b.rows(), 6u * 12) << model; // those of "volume" alone
    }
    const Built strain(scene(block + R"("strain"})"));
    ASSERT_TRUE(strain.good) << strain.cause.text;
    EXPECT_EQ(strain.rows(), 6u * 6 * 12);
}

// What resists any loss of volume is the default, up to what keeps it; constraints are, where it is very stiff.
TEST(Build, SoftBodiesAreNeoHookean) {
    const std::string block =
        R"({"name": "b", "type": "soft", "grid": {"size": [1, 1, 1], "cells": [1, 1, 1]}, "density": 1)";
    const Built plain(scene(block + ", \"young\": 1e9}")), rubber(scene(block + ", \"young\": 1, \"poisson\": 0.5}")),
        stiff(scene(block + ", \"young\": 1.1e9, \"poisson\": 0.5}"));
    ASSERT_TRUE(plain.good && rubber.good && stiff.good) << plain.cause.text << rubber.cause.text;
    EXPECT_EQ(stiff.rows(), 6u * 6);
    EXPECT_EQ(plain.file.objects[0].as.soft.model, SOFT_NEO_HOOKEAN);
    EXPECT_EQ(rubber.file.objects[0].as.soft.model, SOFT_NEO_HOOKEAN);
    EXPECT_EQ(plain.rows() + rubber.rows(), 0u);
}

TEST(Build, RopeIsResampledByArcLength) {
    const Built b(scene(R"({"name": "r", "type": "rope", "points": [[0, 0, 0], [1, 0, 0], [1, 3, 0]], "segments": 8,
                           "density": 1, "bend": {}})"));
    ASSERT_TRUE(b.good) << b.cause.text;
    EXPECT_EQ(b.particles(), 9u);
    EXPECT_EQ(b.rows(), 8u + 3 * 7);
    expect_position(b, 0, 0, 0, 0);
    expect_position(b, 1, 0.5, 0, 0);
    expect_position(b, 2, 1, 0, 0);
    expect_position(b, 5, 1, 1.5, 0);
    expect_position(b, 8, 1, 3, 0);
}

TEST(Build, RopeWithoutSegmentsKeepsItsPoints) {
    const Built b(scene(R"({"name": "r", "type": "rope", "points": [[0, 0, 0], [1, 0, 0], [1, 3, 0]], "density": 1,
                           "scale": 2, "translate": [0, 0, 1]})"));
    ASSERT_TRUE(b.good) << b.cause.text;
    EXPECT_EQ(b.particles(), 3u);
    EXPECT_EQ(b.rows(), 2u);
    expect_position(b, 2, 2, 6, 1);
}

TEST(Build, BoxesSelectWhereObjectsStand) {
    const Built b(scene(R"({"name": "g", "type": "cloth", "grid": {"size": [1, 1], "cells": [2, 2]}, "density": 1,
                           "translate": [0, 5, 0]})",
                        R"({"type": "pin", "at": {"object": "g", "box": [[-1, 4.9, -0.6], [1, 5.1, -0.4]]}})"));
    ASSERT_TRUE(b.good) << b.cause.text;
    EXPECT_EQ(b.scene.fixed_count, 3u);
}

TEST(Build, TwoPinsAtRestMayShareAVertex) {
    const Built b(scene(two_particles, R"({"type": "pin", "at": {"object": "p", "vertices": [0]}},
                                          {"type": "pin", "at": {"object": "p", "vertices": [0, 1]}})"));
    ASSERT_TRUE(b.good) << b.cause.text;
    EXPECT_EQ(b.scene.fixed_count, 2u);
}

TEST(Build, CompliantPinsAreTargets) {
    const Built b(scene(two_particles, R"({"type": "pin", "at": {"object": "p", "vertices": [0, 1]}, "compliance": 0,
                                           "motion": [{"time": 1, "translate": [0, 1, 0]}]})"));
    ASSERT_TRUE(b.good) << b.cause.text;
    EXPECT_EQ(b.scene.fixed_count, 0u);
    EXPECT_EQ(b.rows(), 6u);
    ASSERT_EQ(b.scene.pin_count, 1u);
    EXPECT_NE(b.scene.pins[0].batch.id, 0u);
}

TEST(Build, SchemesSetBothFactors) {
    const auto integrator = [](const std::string& members) {
        return Built(scene(two_particles, "", "\"integrator\": {" + members + "}, ")).file.world.integrator;
    };
    EXPECT_EQ(integrator("").alpha, 1);
    EXPECT_EQ(integrator("").hard_row_damping, 0);
    EXPECT_EQ(integrator("\"scheme\": \"implicit_euler\", \"alpha\": 1, \"beta\": 1").beta, 1);
    EXPECT_EQ(integrator("\"scheme\": \"midpoint\"").alpha, 0.5);
    EXPECT_EQ(integrator("\"scheme\": \"midpoint\"").beta, 0.5);
    EXPECT_EQ(integrator("\"scheme\": \"midpoint\"").hard_row_damping, 1);
    EXPECT_EQ(integrator("\"scheme\": \"theta\", \"alpha\": 0.7").beta, 0.7);
    EXPECT_EQ(integrator("\"scheme\": \"theta\", \"alpha\": 0.7, \"beta\": 1").beta, 1);
    EXPECT_EQ(integrator("\"scheme\": \"theta\", \"alpha\": 0.7, \"hard_row_damping\": 0.5").hard_row_damping, 0.5);
    EXPECT_EQ(integrator("\"geometric_stiffness\": \"none\"").geometric_stiffness, TAUT_GEOMETRIC_NONE);
    EXPECT_EQ(integrator("\"newton\": 1").geometric_stiffness, TAUT_GEOMETRIC_FULL);
}

TEST(Build, SolidsLineariseMoreThanOnce) {
    const std::string cloth =
        R"({"name": "g", "type": "cloth", "grid": {"size": [1, 1], "cells": [3, 2]}, "density": 0.2)";
    const auto linearisations = [](const std::string& object, const std::string& settings) {
        const Built b(scene(object, "", settings));
        EXPECT_TRUE(b.good) << b.cause.text;
        return b.file.world.integrator.newton;
    };
    const std::string solid =
        R"({"name": "s", "type": "soft", "grid": {"size": [1, 1, 1], "cells": [1, 1, 1]}, "density": 1000, "young": 1e5)";
    EXPECT_EQ(linearisations(cloth + "}", ""), 1u);
    EXPECT_EQ(linearisations(cloth + "}", R"("integrator": {"scheme": "theta", "alpha": 0.65}, )"), 3u);
    EXPECT_EQ(linearisations(cloth + "}, " + solid + "}", ""), 3u);
    EXPECT_EQ(linearisations(solid + "}", ""), 3u);
    EXPECT_EQ(linearisations(solid + "}", R"("integrator": {"newton_tolerance": 1e-9}, )"), 3u);
    EXPECT_EQ(linearisations(solid + "}", R"("integrator": {"newton": 1}, )"), 1u);
    EXPECT_EQ(linearisations(solid + "}", R"("integrator": {"mass_damping": 1}, )"), 3u);
    EXPECT_EQ(linearisations(solid + "}", R"("integrator": {"scheme": "implicit_euler"}, )"), 1u);
    EXPECT_EQ(linearisations(solid + R"(, "contact": {}})", ""), 1u);
    EXPECT_EQ(linearisations(two_particles, ""), 1u);
    EXPECT_EQ(Built(scene(two_particles, "", "")).file.world.integrator.further, 3u);
    EXPECT_EQ(Built(scene(two_particles, "", R"("integrator": {"newton": 1}, )")).file.world.integrator.further, 0u)
        << "a scene that says how many gets no others";
}

// Stretching goes 1.7 m in a sixtieth of a second in felt, and 3.7 m in cotton of 0.2 kg/m2.
TEST(Build, SheetsThatStepsFollowTakeTwoStages) {
    const std::string cloth = R"({"name": "g", "type": "cloth", "grid": {"size": [1, 1], "cells": [3, 2]}, )";
    const std::string fine = R"({"name": "g", "type": "cloth", "grid": {"size": [1, 1], "cells": [64, 64]}, )";
    const auto stages = [](const std::string& object, const std::string& settings) {
        const Built b(scene(object, "", settings));
        EXPECT_TRUE(b.good) << b.cause.text;
        const taut_integrator& i = b.file.world.integrator;
        return i.sdirk ? i.substeps * i.newton : 0;
    };
    EXPECT_EQ(stages(cloth + R"("fabric": "felt"})", ""), 2u);
    EXPECT_EQ(stages(cloth + R"("fabric": "jersey"})", ""), 6u) << "three substeps";
    EXPECT_EQ(stages(cloth + R"("young": 1e-3, "density": 1})", ""), 8u) << "four at most";
    EXPECT_EQ(stages(fine + R"("fabric": "denim"})", ""), 4u) << "what stretches by a quarter takes two substeps";
    EXPECT_EQ(stages(fine + R"("fabric": "denim"})", R"("fps": 24, )"), 8u) << "and more where frames are longer";
    EXPECT_EQ(stages(cloth + R"("fabric": "denim"})", R"("fps": 24, )"), 0u) << "coarse meshes stretch little";
    EXPECT_EQ(stages(fine + R"("young": 1e5, "density": 0.2})", R"("fps": 24, )"), 0u) << "as stiff sheets do";
    EXPECT_EQ(stages(cloth + R"("density": 0.2})", ""), 0u);
    EXPECT_EQ(stages(cloth + R"("density": 0.2})", R"("fps": 240, )"), 2u);
    EXPECT_EQ(stages(cloth + R"("fabric": "felt"})", R"("substeps": 2, )"), 0u);
    EXPECT_EQ(stages(cloth + R"("fabric": "felt", "contact": {}})", ""), 0u);
    EXPECT_EQ(stages(cloth + R"("fabric": "felt"}, {"name": "b", "type": "rigid", "sphere": {"radius": 1}, "mass": 1},)"
                             R"({"name": "c", "type": "collider", "sphere": {"radius": 1}, "body": "b"})",
                     ""),
              0u)
        << "its collider can meet others";
    EXPECT_EQ(stages(cloth + R"("fabric": "felt"})", R"("integrator": {"newton": 3}, )"), 0u);
    EXPECT_EQ(stages(cloth + R"("fabric": "felt"})", R"("integrator": {"guard": false}, )"), 0u);
    EXPECT_EQ(stages(cloth + R"("fabric": "felt"})", R"("integrator": {"project_positions": 1}, )"), 0u);
    EXPECT_EQ(stages(cloth + R"("fabric": "felt"})", R"("integrator": {"scheme": "theta", "alpha": 0.7}, )"), 0u);
    EXPECT_EQ(stages(cloth + R"("density": 0.2})", R"("integrator": {"scheme": "sdirk2", "newton": 5}, )"), 5u);
}

TEST(Build, EveryFormulation) {
    const auto integrator = [](const std::string& members) {
        const Built b(scene(two_particles, "", "\"integrator\": {" + members + "}, "));
        EXPECT_TRUE(b.good) << b.cause.text;
        return b.file.world.integrator;
    };
    taut_integrator i = integrator(R"("scheme": "explicit_euler")");
    EXPECT_EQ(i.beta, 0);
    EXPECT_TRUE(i.split_forces);
    EXPECT_EQ(i.hard_row_damping, 1);
    i = integrator(R"("scheme": "symplectic_euler")");
    EXPECT_EQ(i.force_theta_q, 0);
    EXPECT_EQ(i.force_theta_v, 1);
    EXPECT_EQ(i.beta, 1);
    i = integrator(R"("scheme": "theta", "alpha": 0.5, "theta_q": 0.25, "two_stage": true, "newton": 7)");
    EXPECT_EQ(i.force_theta_q, 0.25);
    EXPECT_EQ(i.force_theta_v, 0.5);
    EXPECT_TRUE(i.two_stage);
    EXPECT_EQ(i.newton, 7u);
    i = integrator(R"("scheme": "primal", "primal": {"a": 2, "g": 0.5}, "mass_damping": 0.1)");
    EXPECT_EQ(i.formulation, TAUT_FORMULATION_PRIMAL);
    EXPECT_EQ(i.primal.a, 2);
    EXPECT_EQ(i.primal.b, 1);
    EXPECT_EQ(i.primal.g, 0.5);
    EXPECT_EQ(i.mass_damping, 0.1);
    i = integrator(R"("scheme": "acceleration", "stepper": "rk4", "time_constant": 0.5, "ratio": 2)");
    EXPECT_EQ(i.formulation, TAUT_FORMULATION_ACCELERATION);
    EXPECT_EQ(i.stepper, TAUT_STEPPER_RK4);
    EXPECT_EQ(i.baumgarte_velocity, 8);
    EXPECT_EQ(i.baumgarte_position, 4);
    i = integrator(R"("project_positions": 2, "project_velocities": true, "newton_tolerance": 1e-9)");
    EXPECT_EQ(i.project_positions, 2u);
    EXPECT_TRUE(i.project_velocities);
    EXPECT_EQ(i.newton_tolerance, 1e-9);
}

} // namespace
