// Rigid bodies, rods and joints as the tool simulates them.
#include "folder.h"
#include "process.h"
#include "read_stats.h"
#include "runs.h"

#include <cmath>
#include <sstream>

using namespace app;

namespace {

using Bodies = Runs;

const double pi = std::acos(-1.0);
const char* const weightless = "\"gravity\": [0, 0, 0], \"solver\": {\"tolerance\": 1e-8}, ";

std::string rigid(const std::string& name, const std::string& members) {
    return "{\"name\": \"" + name + "\", \"type\": \"rigid\", " + members + "}";
}

// A corner of a cube of side 0.5 m, at the origin; its centre of mass is elsewhere.
const char* const cube =
    "v 0 0 0\nv 0.5 0 0\nv 0 0.5 0\nv 0.5 0.5 0\nv 0 0 0.5\nv 0.5 0 0.5\nv 0 0.5 0.5\nv 0.5 0.5 0.5\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

// The rotation of a body about an axis (1: x, ...) from its quaternion in a row of a trace.
double turn(const std::vector<double>& row, size_t first_column, size_t axis) {
    const double* q = &row[first_column + 3];
    return 2 * std::atan2(q[axis], q[0]);
}

// ---- one body -------------------------------------------------------------------------------------------------------

TEST_F(Bodies, FallAndTurnFreely) {
    const Table t = run(scene(rigid("ball", R"("sphere": {"radius": 0.1}, "mass": 2, "translate": [1, 2, 3],
                                               "velocity": [3, 0, 0], "angular_velocity": [0, 0, 2])"),
                              "", "\"fps\": 50, \"substeps\": 1, \"gravity\": [0, -10, 0], "),
                        "ball:0", {"--frames", "10"});
    EXPECT_EQ(t.header, (std::vector<std::string>{"time", "ball.0.x", "ball.0.y", "ball.0.z", "ball.0.qw", "ball.0.qx",
                                                  "ball.0.qy", "ball.0.qz"}));
    const double h = 0.02;
    for (size_t n = 0; n <= 10; n++) {
        const double k = static_cast<double>(n);
        EXPECT_NEAR(t.rows[n][1], 1 + 3 * k * h, 1e-5);
        EXPECT_NEAR(t.rows[n][2], 2 - 10 * h * h * k * (k + 1) / 2, 1e-5);
        EXPECT_NEAR(turn(t.rows[n], 1, 3), 2 * k * h, 1e-5);
    }
    const double inertia = 0.4 * 2 * 0.01, v = 10 * h * 10;
    EXPECT_NEAR(last_stats().at("kinetic"), 0.5 * 2 * (9 + v * v) + 0.5 * inertia * 4, 1e-3);
}

// Potential and kinetic energy after a step too short to matter give mass, place of the centre and inertia.
TEST_F(Bodies, MassAndInertiaFollowFromTheShape) {
    write("cube.obj", cube);
    struct Case {
        const char* members;
        double mass, height, inertia; // about z
    };
    const Case cases[] = {
        {R"("box": {"sides": [0.2, 0.3, 0.4]}, "density": 1000)", 24, 2, 24 * (0.04 + 0.09) / 12},
        {R"("box": {"sides": [0.2, 0.3, 0.4]}, "density": 1000, "scale": [1, -2, 1])", 48, 2, 48 * (0.04 + 0.36) / 12},
        {R"("sphere": {"radius": 0.1}, "density": 1000, "scale": 2)", 1000 * 4 * pi / 3 * 0.008, 2,
         0.4 * 1000 * 4 * pi / 3 * 0.008 * 0.04},
        {R"("cylinder": {"radius": 0.1, "height": 0.5}, "mass": 3)", 3, 2, 3 * 0.01 / 2},
        {R"("cone": {"radius": 0.1, "height": 0.5}, "mass": 3)", 3, 2, 0.3 * 3 * 0.01},
        {R"("mesh": "cube.obj", "density": 8)", 1, 2.25, 0.25 / 6},
        {R"("mesh": "cube.obj", "mass": 5, "scale": [2, 1, 1])", 5, 2.25, 5 * (1 + 0.25) / 12},
        {R"("mesh": "cube.obj", "mass": 5, "scale": [1, -1, 1])", 5, 1.75, 5 * 0.25 / 6},
        {R"("mesh": "cube.obj", "mass": 5, "inertia": [1, 2, 3])", 5, 2.25, 3},
        {R"("mesh": "cube.obj", "mass": 5, "inertia": [1, 2, 3, 0, 0, 0.1], "centre_of_mass": [0, 0.1, 0])", 5, 2.1, 3},
        {R"("box": {"sides": [0.2, 0.3, 0.4]}, "mass": 24, "orientation": [1, 1, 0, 0])", 24, 2,
         24 * (0.04 + 0.16) / 12},
    };
    for (const Case& c : cases) {
        run(scene(rigid("o", std::string(c.members) + R"(, "translate": [0, 2, 0], "angular_velocity": [0, 0, 5])"), "",
                  R"("fps": 1e6, "gravity": [0, -10, 0], )"),
            "o:0");
        EXPECT_NEAR(stats(1).at("potential"), c.mass * 10 * c.height, 1e-4 * c.mass) << c.members;
        EXPECT_NEAR(stats(1).at("kinetic"), 0.5 * c.inertia * 25, 1e-4 * c.inertia) << c.members;
    }
}

TEST_F(Bodies, AnOpenMeshNeedsAllItsMass) {
    write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
    const auto file = [&](const char* members) {
        return write("scene.json", scene(rigid("o", std::string("\"mesh\": \"open.obj\", ") + members)));
    };
    const Result refused = taut({"check", file("\"density\": 1")});
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.err.rfind(path("scene.json") + ": objects[0].mesh: ", 0), 0u) << refused.err;
    EXPECT_TRUE(contains(refused.err, "not closed")) << refused.err;
    EXPECT_EQ(taut({"check", file(R"("mass": 1, "inertia": [1, 1, 1])")}).code, 2);
    EXPECT_EQ(taut({"check", file(R"("mass": 1, "inertia": [1, 1, 1], "centre_of_mass": [0, 0, 0])")}).code, 0);
}

TEST_F(Bodies, SeveralStandWhereTheyAreListed) {
    const Table t = run(scene(rigid("o", R"("box": {"sides": [1, 1, 1]}, "mass": 1, "positions": [[1, 0, 0], [0, 1, 0]],
        "orientation": [[1, 0, 0, 0], [0, 0, 0, 5]], "velocity": [[1, 0, 0], [0, 1, 0]],
        "rotate_degrees": [0, 0, 90], "scale": 2, "translate": [0, 0, 7])"),
                              "", std::string("\"fps\": 10, ") + weightless),
                        "o:0,o:1", {"--frames", "1"});
    const std::vector<double>& start = t.rows[0];
    const double half = std::sqrt(0.5);
    const std::vector<double> expected = {0, 0, 2, 7, half, 0, 0, half, -2, 0, 7, -half, 0, 0, half};
    for (size_t i = 0; i < expected.size(); i++) {
        EXPECT_NEAR(start[i], expected[i], 1e-12) << i;
    }
    EXPECT_NEAR(t.rows[1][1], 0.1, 1e-6); // velocities are in world axes
    EXPECT_NEAR(t.rows[1][9], 0.1, 1e-6);
}

TEST_F(Bodies, FixedOnesStay) {
    const Table t = run(scene(rigid("o", R"("sphere": {"radius": 1}, "mass": 1, "fixed": true)")), "o:0");
    EXPECT_EQ(t.rows.back()[2], 0);
    EXPECT_EQ(t.rows.back()[4], 1);
}

TEST_F(Bodies, PinsMoveAndTurnThem) {
    const std::string body = rigid("o", R"("box": {"sides": [1, 1, 1]}, "mass": 1, "rotate_degrees": [0, 0, 30])");
    const Table t = run(scene(body, R"({"type": "pin", "at": {"object": "o", "vertices": [0]}, "centre": [1, 0, 0],
                                        "motion": [{"time": 0.3, "rotate_degrees": [0, 0, 90]},
                                                   {"time": 0.6, "translate": [0, 1, 0],
                                                    "rotate_degrees": [0, 0, 90]}]})",
                              "\"fps\": 20, "),
                        "o:0", {"--frames", "12"});
    EXPECT_NEAR(turn(t.rows[0], 1, 3), 30 * pi / 180, 1e-9);
    EXPECT_NEAR(turn(t.rows[3], 1, 3), 75 * pi / 180, 1e-6);
    EXPECT_NEAR(turn(t.rows[12], 1, 3), 120 * pi / 180, 1e-6);
    EXPECT_NEAR(t.rows[6][1], 1, 1e-6);
    EXPECT_NEAR(t.rows[6][2], -1, 1e-6);
    EXPECT_NEAR(t.rows[12][2], 0, 1e-6);
}

TEST_F(Bodies, ACompliantPinDrawsTheCentreOnly) {
    const Table t =
        run(scene(rigid("o", R"("box": {"sides": [1, 1, 1]}, "mass": 1, "angular_velocity": [0, 0, 1])"),
                  R"({"type": "pin", "at": {"object": "o", "vertices": [0]}, "compliance": 0})", "\"fps\": 20, "),
            "o:0", {"--frames", "10"});
    EXPECT_NEAR(t.rows[10][2], 0, 1e-6);
    EXPECT_NEAR(turn(t.rows[10], 1, 3), 0.5, 1e-5);
}

// ---- bodies on other things -----------------------------------------------------------------------------------------

// A crate hung by a corner from a rope: the corner hangs at its end, and the centre of mass comes to rest below it.
TEST_F(Bodies, HangFromRopes) {
    const Table t =
        run(scene(std::string(short_rope) + "," + rigid("crate", R"("box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1,
                                                    "translate": [0.1, -1.1, 0])"),
                  R"({"type": "pin", "at": {"object": "rope", "vertices": [0]}},
                                 {"type": "attach", "a": ["rope", 4], "b": {"object": "crate", "at": [0, -1, 0]}})"),
            "rope:4,crate:0", {"--frames", "300"});
    for (size_t n : {size_t{1}, size_t{10}, size_t{300}}) {
        const std::vector<double>& row = t.rows[n];
        const double d = std::hypot(row[1] - row[4], row[2] - row[5], row[3] - row[6]);
        EXPECT_NEAR(d, std::sqrt(0.02), n == 300 ? 1e-4 : 1e-3) << n; // linearised, and fast at first
    }
    EXPECT_NEAR(t.rows[300][2], -1, 1e-3);
    EXPECT_LT(t.rows[300][5], -1.1); // 0.1 below at the start, up to 0.14 where it swings
}

TEST_F(Bodies, DistancesBetweenPointsOfBodies) {
    const Table t = run(scene(rigid("o", R"("box": {"sides": [0.2, 0.2, 0.2]}, "mass": 1,
                                            "positions": [[0, 0, 0], [1, 0, 0]], "velocity": [[0, 1, 0], [0, 0, 0]])"),
                              R"({"type": "distance", "a": {"object": "o", "body": 0, "at": [0.1, 0, 0]},
                                  "b": {"object": "o", "body": 1, "at": [0.9, 0, 0]}})",
                              weightless),
                        "o:0,o:1", {"--frames", "30"});
    for (const std::vector<double>& row : t.rows) {
        const auto end = [&row](size_t first, double x) {
            const double angle = turn(row, first, 3);
            return std::pair{row[first] + x * std::cos(angle), row[first + 1] + x * std::sin(angle)};
        };
        const auto [ax, ay] = end(1, 0.1);
        const auto [bx, by] = end(8, -0.1);
        EXPECT_NEAR(std::hypot(ax - bx, ay - by), 0.8, 2e-3);
    }
}

// ---- joints ---------------------------------------------------------------------------------------------------------

const std::string arm = rigid("arm", R"("box": {"sides": [1, 0.1, 0.1]}, "mass": 1, "translate": [0.5, 0, 0])");

TEST_F(Bodies, ABallJointIsAPendulum) {
    const Table t =
        run(scene(arm, R"({"type": "ball", "a": "world", "b": "arm", "position": [0, 0, 0]})", "\"substeps\": 8, "),
            "arm:0", {"--frames", "20"});
    for (const std::vector<double>& row : t.rows) {
        EXPECT_NEAR(std::hypot(row[1], row[2], row[3]), 0.5, 1e-3);
    }
    EXPECT_LT(t.rows[20][2], -0.2);
}

TEST_F(Bodies, AHingeTurnsAboutItsAxisOnly) {
    const Table t =
        run(scene(arm, R"({"type": "hinge", "a": "world", "b": "arm", "position": [0, 0, 0], "axis": [0, 0, 1]})",
                  "\"gravity\": [0, -5, 5], "),
            "arm:0", {"--frames", "20"});
    for (const std::vector<double>& row : t.rows) {
        EXPECT_NEAR(row[3], 0, 1e-3);
        EXPECT_NEAR(row[5], 0, 1e-3);
        EXPECT_NEAR(row[6], 0, 1e-3);
    }
    EXPECT_LT(t.rows[20][2], -0.1);
}

TEST_F(Bodies, HingesAreDriven) {
    const Table t =
        run(scene(arm, R"({"type": "hinge", "a": "world", "b": "arm", "position": [0, 0, 0], "axis": [0, 0, 1],
                                       "drive": {"motion": [{"time": 0.5, "target": 90},
                                                            {"time": 1, "target": -180}]}})",
                  "\"fps\": 50, "),
            "arm:0", {"--frames", "60"});
    EXPECT_NEAR(turn(t.rows[10], 1, 3), 36 * pi / 180, 1e-3);
    EXPECT_NEAR(turn(t.rows[25], 1, 3), 90 * pi / 180, 1e-3);
    EXPECT_NEAR(t.rows[25][2], 0.5, 1e-3);
    EXPECT_NEAR(t.rows[60][1], -0.5, 1e-3);
    EXPECT_TRUE(last_stats().has("violations.angular"));
    EXPECT_TRUE(last_stats().has("violations.prismatic"));
}

// A drive of compliance c gives way by c times the torque of the weight, m g/2 at the end of an arm of 1 m.
TEST_F(Bodies, SoftDrivesGiveWay) {
    const Table t =
        run(scene(arm, R"({"type": "hinge", "a": "world", "b": "arm", "position": [0, 0, 0], "axis": [0, 0, 1],
                                       "drive": {"compliance": 0.01, "damping": 0.2}})",
                  "\"gravity\": [0, -10, 0], "),
            "arm:0", {"--frames", "200"});
    const double angle = turn(t.rows[200], 1, 3);
    EXPECT_NEAR(angle, -0.01 * 5 * std::cos(angle), 1e-4);
}

TEST_F(Bodies, SlidersSlideAndAreDriven) {
    const char* const rail =
        R"({"type": "slider", "a": "world", "b": "arm", "position": [0.5, 0, 0], "axis": [1, 2, 0])";
    const Table falls = run(scene(arm, std::string(rail) + "}"), "arm:0", {"--frames", "20"});
    EXPECT_LT(falls.rows[20][2], -0.1);
    const Table driven =
        run(scene(arm, std::string(rail) + R"(, "drive": {"motion": [{"time": 0.2, "target": 0.5}]}})"), "arm:0",
            {"--frames", "20"});
    for (const Table* t : {&falls, &driven}) {
        for (const std::vector<double>& row : t->rows) {
            EXPECT_NEAR(2 * (row[1] - 0.5), row[2], 1e-4);
            EXPECT_NEAR(row[4], 1, 1e-6);
        }
    }
    EXPECT_NEAR(std::hypot(driven.rows[20][1] - 0.5, driven.rows[20][2]), 0.5, 1e-4);
}

TEST_F(Bodies, HingesAndSlidersStopAtTheirLimits) {
    const Table hinge =
        run(scene(arm, R"({"type": "hinge", "a": "world", "b": "arm", "position": [0, 0, 0], "axis": [0, 0, 1],
                           "limits": {"lower": -25, "upper": 90}})",
                  "\"gravity\": [0, -10, 0], "),
            "arm:0", {"--frames", "120"});
    EXPECT_NEAR(turn(hinge.rows[120], 1, 3), -25 * pi / 180, 1e-3);
    const Table slider =
        run(scene(arm, R"({"type": "slider", "a": "world", "b": "arm", "position": [0.5, 0, 0], "axis": [0, 1, 0],
                           "limits": {"lower": -0.4}})",
                  "\"gravity\": [0, -10, 0], "),
            "arm:0", {"--frames", "60"});
    EXPECT_NEAR(slider.rows[60][2], -0.4, 1e-4);
}

// An arm that hangs from a ball joint at its end falls as far as the cone allows: its x, which is the joint's, by 40
// degrees.
TEST_F(Bodies, BallJointsStopAtTheirCone) {
    const Table t = run(scene(arm, R"({"type": "ball", "a": "world", "b": "arm", "position": [0, 0, 0],
                                       "limits": {"swing": 40, "twist": [-10, 10]}})",
                              "\"gravity\": [0, -10, 3], "),
                        "arm:0", {"--frames", "200"});
    const std::vector<double>& end = t.rows[200];
    EXPECT_NEAR(std::atan2(std::hypot(end[2], end[3]), end[1]), 40 * pi / 180, 2e-3);
}

// From 90 degrees a second at the start to none after a second.
TEST_F(Bodies, MotorsKeepTheirSpeed) {
    const Table t =
        run(scene(arm, R"({"type": "hinge", "a": "world", "b": "arm", "position": [0, 0, 0], "axis": [0, 0, 1],
                           "motor": {"speed": 90, "motion": [{"time": 1, "speed": 0}]}})",
                  "\"gravity\": [0, 0, 0], \"fps\": 50, "),
            "arm:0", {"--frames", "60"});
    EXPECT_NEAR(turn(t.rows[50], 1, 3), 45 * pi / 180, 0.02);
    EXPECT_NEAR(turn(t.rows[60], 1, 3), turn(t.rows[51], 1, 3), 1e-3);
}

TEST_F(Bodies, FixedJointsHoldAndBend) {
    const auto cantilever = [](const char* law) {
        return scene(arm,
                     std::string(R"({"type": "fixed", "a": "world", "b": "arm", "position": [0, 0, 0])") + law + "}",
                     "\"gravity\": [0, -10, 0], ");
    };
    const Table hard = run(cantilever(""), "arm:0", {"--frames", "20"});
    EXPECT_NEAR(hard.rows[20][2], 0, 1e-4);
    const Table soft =
        run(cantilever(R"(, "rotation": {"compliance": [0, 0, 0.01], "damping": 0.2})"), "arm:0", {"--frames", "200"});
    const double angle = turn(soft.rows[200], 1, 3);
    EXPECT_NEAR(angle, -0.01 * 5 * std::cos(angle), 1e-4);
    const Table bent = run(cantilever(R"(, "rotation": {"rest_degrees": [0, 0, 30]})"), "arm:0", {"--frames", "20"});
    EXPECT_NEAR(turn(bent.rows[20], 1, 3), pi / 6, 1e-3);
    const Table moved = run(cantilever(R"(, "translation": {"rest": [0, 0.2, 0]})"), "arm:0", {"--frames", "20"});
    EXPECT_NEAR(moved.rows[20][2], 0.2, 1e-3);
}

// The free angles are those about x of a and y of b: gravity along z finds one of them, along y none, as long as the
// arm lies along x.
// Two balls that overlap on a slider: with contact they part, without they stay.
TEST_F(Bodies, JoinedBodiesTouchIfTheyShould) {
    const auto apart = [this](const char* contact) {
        const std::string ball = R"("sphere": {"radius": 0.1}, "mass": 1, "contact": {})";
        const Table t = run(
            scene(rigid("a", ball + ", \"fixed\": true") + ", " + rigid("b", ball + ", \"translate\": [0.15, 0, 0]"),
                  std::string(R"({"type": "slider", "a": "a", "b": "b", "position": [0, 0, 0])") + contact + "}",
                  "\"gravity\": [0, 0, 0], "),
            "b:0", {"--frames", "20"});
        return t.rows[20][1];
    };
    EXPECT_NEAR(apart(""), 0.15, 1e-9);
    EXPECT_GT(apart(", \"contact\": true"), 0.1999);
}

// A ball that rolls down a slope of 3:4 without slip: 5/7 of the acceleration that it would slide with.
TEST_F(Bodies, SpeedsMakeABallRoll) {
    const Table t =
        run(scene(rigid("ball", R"("sphere": {"radius": 0.5}, "mass": 2)"),
                  R"({"type": "linear", "terms": [[["ball", 0], "x", 0.6], [["ball", 0], "y", 0.8]], "rest": 0},
                                 {"type": "speed", "terms": [[["ball", 0], "x", 0.8], [["ball", 0], "y", -0.6],
                                                             ["ball", "turn_z", 0.5]]})",
                  "\"fps\": 100, \"gravity\": [0, -10, 0], \"solver\": {\"tolerance\": 1e-8}, "),
            "ball:0", {"--frames", "20"});
    const double a = 10 * 0.6 * 5 / 7, h = 0.01;
    const double way = a * h * h * 20 * 21 / 2;
    EXPECT_NEAR(t.rows[20][1], 0.8 * way, 1e-5);
    EXPECT_NEAR(t.rows[20][2], -0.6 * way, 1e-5);
    EXPECT_NEAR(turn(t.rows[20], 1, 3), -way / 0.5, 1e-4);
}

TEST_F(Bodies, UniversalJointsHoldOneRotation) {
    const char* const joint = R"({"type": "universal", "a": "world", "b": "arm", "position": [0, 0, 0],
                                  "axis": [1, 0, 0], "second_axis": [0, 1, 0]})";
    const Table free = run(scene(arm, joint, "\"gravity\": [0, 0, -10], "), "arm:0", {"--frames", "10"});
    EXPECT_LT(free.rows[10][3], -0.05);
    const Table held = run(scene(arm, joint, "\"gravity\": [0, -10, 0], "), "arm:0", {"--frames", "10"});
    EXPECT_NEAR(held.rows[10][2], 0, 1e-3);
}

// Four hinges hold the plane four times over. After a full turn of the crank all is where it was.
TEST_F(Bodies, AFourBarLinkageGoesRound) {
    const auto bar = [](const char* name, double x0, double y0, double x1, double y1) {
        std::ostringstream s;
        s << "\"box\": {\"sides\": [" << std::hypot(x1 - x0, y1 - y0) << ", 0.02, 0.02]}, \"density\": 1000, "
          << "\"rotate_degrees\": [0, 0, " << std::atan2(y1 - y0, x1 - x0) * 180 / pi << "], \"translate\": ["
          << (x0 + x1) / 2 << ", " << (y0 + y1) / 2 << ", 0]";
        return rigid(name, s.str());
    };
    const double cx = 0.422474, cy = 0.467423;
    const auto pivot = [](const char* a, const char* b, double x, double y, const char* more) {
        std::ostringstream s;
        s << R"({"type": "hinge", "a": ")" << a << R"(", "b": ")" << b << R"(", "axis": [0, 0, 1], "position": [)" << x
          << ", " << y << ", 0]" << more << "}";
        return s.str();
    };
    const Table t = run(
        scene(bar("crank", 0, 0, 0, 0.2) + "," + bar("coupler", 0, 0.2, cx, cy) + "," + bar("rocker", 0.6, 0, cx, cy),
              pivot("world", "crank", 0, 0, R"(, "drive": {"motion": [{"time": 1, "target": 360}]})") + "," +
                  pivot("crank", "coupler", 0, 0.2, "") + "," + pivot("coupler", "rocker", cx, cy, "") + "," +
                  pivot("world", "rocker", 0.6, 0, ""),
              "\"substeps\": 2, "),
        "crank:0,rocker:0", {"--frames", "60"});
    EXPECT_NEAR(t.rows[30][2], -0.1, 1e-3);
    EXPECT_GT(std::fabs(t.rows[30][8] - t.rows[0][8]), 0.05);
    for (size_t column = 1; column < 4; column++) {
        EXPECT_NEAR(t.rows[60][column], t.rows[0][column], 1e-3);
        EXPECT_NEAR(t.rows[60][column + 7], t.rows[0][column + 7], 1e-3);
    }
}

// ---- rods -----------------------------------------------------------------------------------------------------------

// 1 m long, E I = 7.854 N m^2, 0.314 kg.
std::string rod(const std::string& members) {
    return R"({"name": "rod", "type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "segments": 10, "radius": 0.01,
               "density": 1000, "young": 1e9, "poisson": 0.25, "damping": 0.05, )" +
           members + "}";
}

// The whole length bends, with an error of (1/10)^2.
TEST_F(Bodies, AClampedRodSags) {
    const Table t = run(scene(rod("\"clamp\": [\"start\"]"), "", "\"gravity\": [0, -10, 0], "), "rod:0,rod:10",
                        {"--frames", "240"});
    const double weight = 1000 * pi * 1e-4 * 10, stiffness = 1e9 * pi * 1e-8 / 4, length = 1;
    EXPECT_NEAR(t.rows[240][5], -weight * std::pow(length, 4) / (8 * stiffness), 0.001);
    EXPECT_EQ(t.rows[240][2], 0);
    EXPECT_TRUE(last_stats().has("violations.segment"));
    EXPECT_TRUE(last_stats().has("violations.alignment"));
}

// The end of ten pieces of 0.1 m, each turned by the curvature times 0.1 m against the last, and the first by half of
// that against its clamp.
std::pair<double, double> end_of_arc(double curvature) {
    double x = 0, y = 0;
    for (int k = 0; k < 10; k++) {
        x += 0.1 * std::cos(0.1 * (k + 0.5) * curvature);
        y += 0.1 * std::sin(0.1 * (k + 0.5) * curvature);
    }
    return {x, y};
}

TEST_F(Bodies, EndTorquesBendRodsIntoArcs) {
    const double stiffness = 1e9 * pi * 1e-8 / 4, torque = 3;
    const Table t = run(scene(rod("\"clamp\": [\"start\"], \"torques\": {\"end\": [0, 0, 3]}"), "", weightless),
                        "rod:10", {"--frames", "240"});
    const auto [x, y] = end_of_arc(torque / stiffness);
    EXPECT_NEAR(t.rows[240][1], x, 1e-3);
    EXPECT_NEAR(t.rows[240][2], y, 1e-3);
}

TEST_F(Bodies, RodsRestAsToldTo) {
    const std::string bent = R"({"name": "rod", "type": "rod", "points": [[0, 0, 0], [1, 0, 0], [1, 1, 0]],
        "segments": 10, "radius": 0.01, "density": 1000, "young": 1e9, "damping": 0.05, "clamp": ["start"])";
    const auto end = [&](const std::string& text) {
        const Table t = run(scene(text, "", weightless), "rod:10", {"--frames", "200"});
        return std::hypot(t.rows[200][1], t.rows[200][2], t.rows[200][3]);
    };
    EXPECT_NEAR(end(bent + "}"), std::sqrt(2), 1e-4);
    EXPECT_NEAR(end(bent + ", \"rest\": \"drawn\"}"), std::sqrt(2), 1e-4);
    EXPECT_NEAR(end(bent + ", \"rest\": \"straight\"}"), 2, 1e-3);
    // A straight rod that wants to be a quarter of a circle.
    const auto [x, y] = end_of_arc(pi / 2);
    EXPECT_NEAR(end(rod("\"clamp\": [\"start\"], \"rest\": [0, 1.5707963, 0]")), std::hypot(x, y), 1e-3);
}

TEST_F(Bodies, PinsTurnTheEndsOfRods) {
    const Table t = run(scene(rod("\"inextensible\": true"),
                              R"({"type": "pin", "at": {"object": "rod", "vertices": [0], "frames": [0]},
                                  "motion": [{"time": 1, "rotate_degrees": [0, 0, 90]}]})",
                              weightless),
                        "rod:10", {"--frames", "240"});
    EXPECT_NEAR(t.rows[240][1], 0, 1e-3);
    EXPECT_NEAR(t.rows[240][2], 1, 1e-3);
}

TEST_F(Bodies, ARodOfOnePiece) {
    const std::string stick = R"({"name": "rod", "type": "rod", "points": [[0, 0, 0], [1, 0, 0]], "radius": 0.01,
        "density": 1000, "young": 1e9, "torques": {"start": [0, 0, 1], "end": [0, 0, -1]}, "rest": [1, 0, 0]})";
    const Table t = run(scene(stick, "", weightless), "rod:1");
    EXPECT_NEAR(t.rows.back()[1], 1, 1e-6);
    EXPECT_NEAR(t.rows.back()[2], 0, 1e-6);
    EXPECT_FALSE(last_stats().has("violations.alignment"));
}

} // namespace
