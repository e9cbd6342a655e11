// What turns along keyframes turns within a frame, too: pins and colliders, what is attached to them, and by any angle.
#include "runs.h"

#include <cmath>

using namespace app;

namespace {

constexpr double pi = 3.14159265358979323846;
// 120 degrees in a frame, by a particle 1 m from the axis: 8.773 J, and 6 J along the chord of a frame.
constexpr double rate = 2 * pi / 3 / 0.5, energy = rate * rate / 2;
const char* const turn = R"("centre": [0, 0, 0], "motion": [{"time": 10, "rotate_degrees": [0, 0, 2400]}])";
const char* const particle = R"({"name": "q", "type": "particles", "positions": [[1, 0, 0]], "masses": 1})";

class TurningPins : public Runs {
  protected:
    double energy_of(const std::string& objects, const std::string& constraints, int substeps) {
        run(scene(objects, constraints,
                  R"("fps": 2, "gravity": [0, 0, 0], "substeps": )" + std::to_string(substeps) + ", "),
            "q:0", {"--frames", "3"});
        return last_stats().at("kinetic");
    }
};

std::string pin(const std::string& object, const std::string& more) {
    return R"({"type": "pin", "at": {"object": ")" + object + R"(", "vertices": [0]}, )" + more + "}";
}

std::string attached(const char* to) {
    return std::string(R"({"type": "attach", "a": [")") + to + R"(", 0], "b": ["q", 0]})";
}

// 24 columns around hips that they are pinned to, 1 cm away.
std::string skirt() {
    std::string text;
    char line[100];
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 24; i++) {
            const double angle = pi / 12 * i, radius = 0.13 + 0.03 * k;
            (void)snprintf(line, sizeof line, "v %.9g %.9g %.9g\n", radius * std::cos(angle), 1 - 0.05 * k,
                           radius * std::sin(angle));
            text += line;
        }
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 24; i++) {
            const int a = 24 * k + i + 1, b = 24 * k + (i + 1) % 24 + 1;
            (void)snprintf(line, sizeof line, "f %d %d %d\nf %d %d %d\n", a, b, a + 24, b, b + 24, a + 24);
            text += line;
        }
    }
    return text;
}

} // namespace

TEST_F(TurningPins, TakeAlongWhatIsAttached) {
    const std::string led = R"({"name": "p", "type": "particles", "positions": [[1, 0, 0]]}, )";
    for (const int substeps : {10, 50}) {
        EXPECT_NEAR(energy_of(led + particle, pin("p", turn) + ", " + attached("p"), substeps), energy, 0.01 * energy);
    }
}

TEST_F(TurningPins, SoCollidersDo) {
    const std::string ball =
        std::string(R"({"name": "p", "type": "collider", "sphere": {"radius": 0.1}, "translate": [1, 0, 0], )") + turn;
    EXPECT_NEAR(energy_of(ball + "}, " + particle, attached("p"), 10), energy, 0.01 * energy);
}

TEST_F(TurningPins, PullWhatFollowsThem) {
    EXPECT_NEAR(energy_of(particle, pin("q", std::string(turn) + R"(, "compliance": 0)"), 10), energy, 0.01 * energy);
}

// By two turns in a frame, of a cube and of one that is joined to it.
TEST_F(TurningPins, TurnByMoreThanHalfATurn) {
    const std::string cube = R"(", "type": "rigid", "box": {"sides": [1, 1, 1]}, "mass": 1})";
    const double fast = 8 * pi, inertia = 1.0 / 6; // rad/s
    const std::string held = pin("p", R"("motion": [{"time": 10, "rotate_degrees": [0, 14400, 0]}])") +
                             R"(, {"type": "fixed", "a": "p", "b": "q", "position": [0, 0, 0]})";
    const double kinetic = energy_of(R"({"name": "p)" + cube + R"(, {"name": "q)" + cube, held, 40);
    EXPECT_NEAR(kinetic, inertia * fast * fast / 2, 0.01 * inertia * fast * fast / 2);
}

// The waist went through the hips in the middle of each frame, and frames were damped.
TEST_F(TurningPins, KeepAWaistOnSpinningHips) {
    write("skirt.obj", skirt());
    std::string waist;
    for (int i = 0; i < 24; i++) {
        waist += (i > 0 ? ", " : "") + std::to_string(i);
    }
    run(scene(R"({"name": "hips", "type": "collider", "translate": [0, 1, 0], "rotate_degrees": [90, 0, 0],
                  "capsule": {"radius": 0.12, "length": 0.2},
                  "motion": [{"time": 0.2, "rotate_degrees": [0, 180, 0]},
                             {"time": 1.2, "rotate_degrees": [0, 1980, 0]}]},
                 {"name": "skirt", "type": "cloth", "mesh": "skirt.obj", "fabric": "denim",
                  "contact": {"thickness": 0.004}})",
              R"({"type": "pin", "at": {"object": "skirt", "vertices": [)" + waist + R"(]}, "follow": "hips"})",
              R"("fps": 24, )"),
        "skirt:0", {"--frames", "8", "--threads", "1"});
    for (size_t frame = 1; frame <= 8; frame++) {
        EXPECT_EQ(stats(frame).strings.at("outcome"), "converged") << "frame " << frame;
        EXPECT_EQ(stats(frame).at("damped"), 0) << "frame " << frame;
    }
}
