// Pins that follow a collider: what they hold goes and turns with its surface.
#include "built.h"
#include "folder.h"

#include <array>
#include <cmath>
#include <cstring>

using namespace app;

namespace {

using Point = std::array<double, 3>;

const double pi = std::acos(-1.0);

// What happens to a place of the surface up to a time.
using Motion = Point(double time, const Point& start);

// 30 degrees about z and 0.2 m along x in a second.
Point turned(double time, const Point& p) {
    const double angle = pi / 6 * time, c = std::cos(angle), s = std::sin(angle);
    return {c * p[0] - s * p[1] + 0.2 * time, s * p[0] + c * p[1], p[2]};
}

// A tenth wider along x in a second.
Point stretched(double time, const Point& p) {
    return {(1 + 0.1 * time) * p[0], p[1], p[2]};
}

std::string roof_obj(Motion* motion, double time) {
    static const Point vertices[] = {{-1, 0, -1}, {1, 0, -1}, {-1, 0.5, 0}, {1, 0.5, 0}, {-1, 0, 1}, {1, 0, 1}};
    std::string text;
    for (const Point& v : vertices) {
        const Point at = motion(time, v);
        char line[100];
        (void)snprintf(line, sizeof line, "v %.17g %.17g %.17g\n", at[0], at[1], at[2]);
        text += line;
    }
    return text + "f 1 3 2\nf 2 3 4\nf 3 5 4\nf 4 5 6\n";
}

// Points over a face, beside the ridge and beside the rim; a body; a rod that leaves the surface.
const char* const followers =
    R"(, {"name": "dots", "type": "particles", "positions": [[0.3, 0.4, 0.5], [0.2, 0.7, 0], [1.4, 0.1, 1.2]]},
       {"name": "hat", "type": "rigid", "box": {"sides": [0.1, 0.1, 0.1]}, "mass": 1, "positions": [[0, 0.8, 0.1]]},
       {"name": "hair", "type": "rod", "points": [[0, 0.3, -0.5], [0, 0.8, -0.5]], "segments": 4, "radius": 0.01,
        "density": 1000, "young": 1e6})";

std::string pin(const char* object, const char* vertices, const char* more = "", const char* frames = "") {
    return std::string(R"({"type": "pin", "at": {"object": ")") + object + R"(", "vertices": )" + vertices + frames +
           R"(}, "follow": "roof")" + more + "}";
}

class Following : public Folder {
  protected:
    std::string animated(Motion* motion) {
        for (int i = 0; i <= 10; i++) {
            write("roof_" + std::to_string(i) + ".obj", roof_obj(motion, i / 10.0));
        }
        return R"({"name": "roof", "type": "collider", "mesh": ")" + path("roof_0.obj") +
               R"(", "animation": {"file": ")" + path("roof_%d.obj") + R"(", "first": 0, "fps": 10}})";
    }
    void refused(const std::string& roof, const std::string& constraint, const std::string& why) {
        Built built(scene(roof + followers, constraint));
        EXPECT_FALSE(built.good);
        EXPECT_NE(std::string(built.cause.text).find(why), std::string::npos) << built.cause.text;
    }
};

class World {
  public:
    explicit World(const Built& scene) : built(scene) {
        taut_world_def def = taut_default_world();
        def.gravity[1] = 0;
        EXPECT_EQ(taut_world_create(built.scene.scene, &def, &world), TAUT_OK) << taut_last_error();
        EXPECT_EQ(scene_begin(&built.scene, world), TAUT_OK);
    }
    ~World() { taut_world_destroy(world); }
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    void go_to(double time) {
        EXPECT_EQ(scene_move(&built.scene, world, time, 0.1), TAUT_OK) << taut_last_error();
        EXPECT_EQ(taut_world_step(world, 0.1), TAUT_OK) << taut_last_error();
    }
    size_t particle(size_t object, size_t vertex) const { return built.scene.objects[object].first_point + vertex; }
    Point position(size_t object, size_t vertex) const {
        Point out;
        EXPECT_EQ(taut_world_read(world, TAUT_FIELD_POSITIONS, particle(object, vertex), 1, out.data()), TAUT_OK);
        return out;
    }
    std::array<double, 4> orientation(size_t object, size_t frame) const {
        return orientation_at(built.scene.objects[object].first_frame + frame);
    }
    // Behind the clamp of the rod.
    std::array<double, 4> wall() const { return orientation_at(built.scene.unnamed[0].first_frame); }

  private:
    std::array<double, 4> orientation_at(size_t frame) const {
        std::array<double, 4> out;
        EXPECT_EQ(taut_world_read(world, TAUT_FIELD_ORIENTATIONS, frame, 1, out.data()), TAUT_OK);
        return out;
    }
    const Built& built;
    taut_world* world = nullptr;
};

void expect_near(const Point& actual, const Point& expected) {
    for (size_t a = 0; a < 3; a++) {
        EXPECT_NEAR(actual[a], expected[a], 1e-12) << "xyz"[a];
    }
}

// Of `now` against `start`: about z.
void expect_turn(const std::array<double, 4>& now, const std::array<double, 4>& start, double angle) {
    const double c = std::cos(angle / 2), s = std::sin(angle / 2);
    const double expected[4] = {c * start[0] - s * start[3], c * start[1] - s * start[2], c * start[2] + s * start[1],
                                c * start[3] + s * start[0]};
    double product = 0;
    for (size_t i = 0; i < 4; i++) {
        product += expected[i] * now[i];
    }
    EXPECT_NEAR(std::fabs(product), 1, 1e-12);
}

} // namespace

TEST_F(Following, GoesAndTurnsWithTheSurface) {
    Built built(scene(animated(turned) + followers, pin("dots", "[0, 1, 2]") + ", " + pin("hat", "[0]") + ", " +
                                                        pin("hair", "[0]", "", R"(, "frames": [0, 2])")));
    ASSERT_TRUE(built.good) << built.cause.text;
    EXPECT_EQ(built.scene.fixed_count, 6 + 3 + 1 + 1u);
    World world(built);
    Point starts[5];
    for (size_t i = 0; i < 5; i++) {
        starts[i] = world.position(i < 3 ? 1 : i - 1, i < 3 ? i : 0);
    }
    const auto hat = world.orientation(2, 0), piece = world.orientation(3, 2), wall = world.wall();
    for (int frame = 1; frame <= 10; frame++) {
        const double time = frame / 10.0;
        world.go_to(time);
        for (size_t i = 0; i < 5; i++) {
            expect_near(world.position(i < 3 ? 1 : i - 1, i < 3 ? i : 0), turned(time, starts[i]));
        }
        expect_turn(world.orientation(2, 0), hat, pi / 6 * time);
        expect_turn(world.orientation(3, 2), piece, pi / 6 * time);
        expect_turn(world.wall(), wall, pi / 6 * time);
    }
}

// Its place in the triangle stays, and so does its height above it.
TEST_F(Following, StretchesWithTheSurface) {
    Built built(
        scene(animated(stretched) + followers, pin("dots", "[0]") + ", " + pin("dots", "[1]", R"(, "compliance": 0)")));
    ASSERT_TRUE(built.good) << built.cause.text;
    World world(built);
    const Point starts[] = {world.position(1, 0), world.position(1, 1)};
    for (int frame = 1; frame <= 10; frame++) {
        world.go_to(frame / 10.0);
        expect_near(world.position(1, 0), stretched(frame / 10.0, starts[0]));
        const Point soft = world.position(1, 1), expected = stretched(frame / 10.0, starts[1]);
        EXPECT_NEAR(soft[0], expected[0], 1e-3); // a hard target
        EXPECT_NEAR(soft[1], expected[1], 1e-3);
    }
}

// A collider of a motion turns about its own place.
TEST_F(Following, GoesWithAColliderOfAMotion) {
    const std::string roof =
        R"({"name": "roof", "type": "collider", "box": {"sides": [1, 1, 1]}, "translate": [1, 0, 0],
        "motion": [{"time": 1, "translate": [0, 0.5, 0], "rotate_degrees": [0, 0, 90]}]})";
    Built built(scene(roof + followers, pin("dots", "[0]") + ", " + pin("hat", "[0]")));
    ASSERT_TRUE(built.good) << built.cause.text;
    World world(built);
    const auto hat = world.orientation(2, 0);
    for (int frame = 1; frame <= 10; frame++) {
        world.go_to(frame / 10.0);
    }
    expect_near(world.position(1, 0), {1 - 0.4, 0.5 - 0.7, 0.5});
    expect_near(world.position(2, 0), {1 - 0.8, 0.5 - 1, 0.1});
    expect_turn(world.orientation(2, 0), hat, pi / 2);
}

TEST_F(Following, Refused) {
    const std::string roof = animated(turned);
    refused(roof, pin("dots", "[0]", R"(, "motion": [{"time": 1}])"), "motion: does not go with 'follow'");
    refused(roof, R"({"type": "pin", "at": {"object": "dots", "vertices": [0]}, "follow": "hat"})",
            "follow: 'hat' is no collider with a 'motion' or an 'animation'");
    refused(roof, R"({"type": "pin", "at": {"object": "dots", "vertices": [0]}, "follow": 1})", "follow: ");
    refused(roof, pin("dots", "[0]") + ", " + pin("dots", "[0]"), "already held in another way");
    refused(roof, pin("roof", "[0]"), "vertex 0 of 'roof' is already fixed by its object");
    refused(roof, R"({"type": "pin", "at": {"object": "roof", "vertices": [0]}})", "already fixed by its object");
    const std::string on_body = R"({"name": "hat2", "type": "rigid", "box": {"sides": [1, 1, 1]}, "mass": 1,
        "positions": [[5, 0, 0]]}, {"name": "roof", "type": "collider", "sphere": {"radius": 1}, "body": "hat2"})";
    refused(on_body, pin("dots", "[0]"), "fix a vertex to its body by 'attach'");
}

// A triangle that shrinks to a line has no direction from there on.
TEST_F(Following, RefusesATriangleThatLosesItsArea) {
    const std::string roof = animated(turned);
    const int32_t numbers[] = {1, 6};
    const float times[] = {0, 1};
    const int32_t samples = 2;
    std::string cache("POINTCACHE2", 12);
    const auto append = [&](const void* bytes, size_t size) { cache.append(static_cast<const char*>(bytes), size); };
    append(numbers, sizeof numbers);
    append(times, sizeof times);
    append(&samples, sizeof samples);
    for (int sample = 0; sample < 2; sample++) {
        for (int i = 0; i < 6; i++) {
            const float place[] = {sample == 1 && i < 4 ? 0.0f : (i % 2 == 0 ? -1.0f : 1.0f), i / 2 == 1 ? 0.5f : 0.0f,
                                   i / 2 - 1.0f};
            append(place, sizeof place);
        }
    }
    const std::string file = write("roof.pc2", cache);
    std::string shrunk = roof;
    shrunk.replace(shrunk.find(path("roof_%d.obj")), path("roof_%d.obj").size(), file);
    shrunk.replace(shrunk.find(R"("first": 0, )"), 12, "");
    refused(shrunk, pin("dots", "[0, 1, 2]"), "has no area in sample 1 of the animation");
}
