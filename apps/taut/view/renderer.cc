#include "renderer.h"

#include "shaders.h"

#include <cmath>
#include <cstddef>
#include <glm/gtc/matrix_transform.hpp>

static const int lamp_size = 2048, sky_size = 1024; // texels of shadows

/* ---- buffers -------------------------------------------------------------------------------------------------- */

static void attribute(GLuint place, GLint count, GLenum type, GLboolean whole, size_t offset) {
    glEnableVertexAttribArray(place);
    glVertexAttribPointer(place, count, type, whole, sizeof(Vertex), reinterpret_cast<const void*>(offset));
}

Renderer::Renderer()
    : depths_({glsl_version, depth_vertex}, {glsl_version, depth_fragment}),
      surfaces_({glsl_version, surface_vertex}, {glsl_version, light_text, surface_fragment}),
      floors_({glsl_version, floor_vertex}, {glsl_version, light_text, backdrop_text, floor_fragment}),
      backdrop_({glsl_version, whole_vertex}, {glsl_version, backdrop_text, backdrop_fragment}),
      copy_({glsl_version, whole_vertex}, {glsl_version, copy_fragment}),
      tone_({glsl_version, whole_vertex}, {glsl_version, tone_fragment}),
      lamp_depth_(Target::Kind::depth, GL_DEPTH_COMPONENT24, lamp_size, lamp_size),
      sky_depth_(Target::Kind::depth, GL_DEPTH_COMPONENT24, sky_size, sky_size) {
    glGenVertexArrays(1, &array_);
    glGenVertexArrays(1, &empty_);
    glGenBuffers(1, &vertices_);
    glGenBuffers(1, &indices_);
    glBindVertexArray(array_);
    glBindBuffer(GL_ARRAY_BUFFER, vertices_);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_);
    attribute(0, 3, GL_FLOAT, GL_FALSE, offsetof(Vertex, position));
    attribute(1, 3, GL_FLOAT, GL_FALSE, offsetof(Vertex, normal));
    attribute(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(Vertex, colour));
    attribute(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, offsetof(Vertex, look));
}

Renderer::~Renderer() {
    glDeleteVertexArrays(1, &array_);
    glDeleteVertexArrays(1, &empty_);
    glDeleteBuffers(1, &vertices_);
    glDeleteBuffers(1, &indices_);
}

void Renderer::upload(Display& display) {
    display.settle();
    const Shape& shape = display.shape();
    glBindVertexArray(array_);
    glBindBuffer(GL_ARRAY_BUFFER, vertices_);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(shape.vertices.size() * sizeof(Vertex)), shape.vertices.data(),
                 GL_STREAM_DRAW);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(display.corners() * sizeof(uint32_t)), shape.triangles.data(),
                 GL_STREAM_DRAW);
    count_ = (GLsizei)display.corners();
}

void Renderer::resize(int width, int height) {
    if (!sum_ || sum_->width() != width || sum_->height() != height) {
        sample_ = std::make_unique<Target>(Target::Kind::multisampled, GL_RGBA16F, width, height);
        resolved_ = std::make_unique<Target>(Target::Kind::colour, GL_RGBA16F, width, height);
        sum_ = std::make_unique<Target>(Target::Kind::colour, GL_RGBA32F, width, height);
    }
}

/* ---- lights --------------------------------------------------------------------------------------------------- */

// The i-th number of van der Corput's sequence of a base: evenly in [0, 1).
static float evenly(int i, int base) {
    float part = 1, sum = 0;
    for (; i > 0; i /= base) {
        part /= (float)base;
        sum += part * (float)(i % base);
    }
    return sum;
}

// Axes with the given one as the third.
static glm::mat3 axes_about(const glm::vec3& along) {
    const glm::vec3 other = std::fabs(along.y) < 0.9f ? glm::vec3(0, 1, 0) : glm::vec3(1, 0, 0);
    const glm::vec3 side = glm::normalize(glm::cross(other, along));
    return {side, glm::cross(along, side), along};
}

// Evenly within a cone; its cosine is that of half the angle at its tip.
static glm::vec3 in_cone(const glm::vec3& along, float cosine, float u, float v) {
    const float z = 1 - u * (1 - cosine), r = std::sqrt(std::max(0.0f, 1 - z * z)), angle = 2 * 3.14159265f * v;
    return axes_about(along) * glm::vec3(r * std::cos(angle), r * std::sin(angle), z);
}

Renderer::Light Renderer::light_from(const glm::vec3& direction, const Bounds& bounds, int size) {
    const float r = 1.05f * bounds.radius();
    const glm::mat3 axes = axes_about(direction);
    const glm::mat4 view = glm::lookAt(bounds.centre() + 2 * r * direction, bounds.centre(), axes[1]);
    return {direction, glm::ortho(-r, r, -r, r, 0.5f * r, 6 * r) * view, 2 * r / (float)size};
}

void Renderer::draw_surfaces(const Display& display) const {
    glBindVertexArray(array_);
    glDrawElements(GL_TRIANGLES, count_, GL_UNSIGNED_INT, nullptr);
    if (display.shared()) {
        display.shared()->draw();
    }
}

void Renderer::draw_depths(const Display& display, const Light& light, const Target& target) {
    target.bind();
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 2);
    depths_.use();
    depths_.set("matrix", light.matrix);
    draw_surfaces(display);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

/* ---- a picture ------------------------------------------------------------------------------------------------ */

static glm::vec3 linear(const Colour& c) {
    return glm::pow(glm::vec3(c.r, c.g, c.b) / 255.0f, glm::vec3(2.2f));
}

static void set_backdrop(const Program& program, const Scenery& scenery, int height) {
    const glm::vec3 colour = linear(scenery.backdrop);
    program.set("backdrop_low", colour);
    program.set("backdrop_high", 0.82f * colour);
    program.set("picture_height", (float)height);
}

void Renderer::set_lights(const Program& program, const Light& lamp, const Light& sky, const OrbitCamera& camera,
                          const Scenery& scenery) const {
    program.set("lamp_depth", 0);
    program.set("sky_depth", 1);
    program.set("lamp_matrix", lamp.matrix);
    program.set("sky_matrix", sky.matrix);
    program.set("lamp_direction", lamp.direction);
    program.set("sky_direction", sky.direction);
    program.set("lamp_texel", lamp.texel);
    program.set("sky_texel", sky.texel);
    program.set("up", camera.up);
    program.set("sampled", scenery.samples > 1);
}

// The power of ten below a fifth of the radius of what is shown.
static float spacing_of_lines(const Bounds& bounds) {
    return std::pow(10.0f, std::floor(std::log10(0.5f * bounds.radius())));
}

void Renderer::draw_floors(const Display& display, const OrbitCamera& camera, const Scenery& scenery,
                           const glm::mat4& matrix, const Light& lamp, const Light& sky) {
    std::vector<Floor> all = display.floors();
    all.insert(all.end(), scenery.floors.begin(), scenery.floors.end());
    floors_.use();
    set_lights(floors_, lamp, sky, camera, scenery);
    set_backdrop(floors_, scenery, sum_->height());
    floors_.set("matrix", matrix);
    floors_.set("extent", 12 * std::max(display.bounds().radius(), 0.3f * camera.distance));
    floors_.set("spacing", spacing_of_lines(display.bounds()));
    floors_.set("lines", scenery.floor_lines ? 1.0f : 0.0f);
    glBindVertexArray(empty_);
    for (const Floor& floor : all) {
        const glm::mat3 axes = axes_about(floor.normal);
        const glm::vec3 centre = display.bounds().centre();
        floors_.set("centre", centre - floor.normal * glm::dot(centre - floor.point, floor.normal));
        floors_.set("side", axes[0]);
        floors_.set("other", axes[1]);
        floors_.set("normal", floor.normal);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    }
}

void Renderer::draw_sample(const Display& display, const OrbitCamera& camera, const Scenery& scenery, int sample) {
    const bool sampled = scenery.samples > 1;
    const float u = sampled ? ((float)sample + 0.5f) / (float)scenery.samples : 0.0f;
    OrbitCamera stand = camera;
    stand.azimuth = scenery.lamp_azimuth;
    stand.elevation = 52;
    const glm::vec3 aim =
        sampled ? in_cone(stand.towards(), 0.994f, evenly(sample, 3), evenly(sample, 2)) : stand.towards();
    const Light lamp = light_from(aim, display.bounds(), lamp_size);
    const Light sky = light_from(in_cone(camera.up, 0, u, evenly(sample, 2)), display.bounds(), sky_size);
    glEnable(GL_DEPTH_TEST);
    draw_depths(display, lamp, lamp_depth_);
    if (sampled) {
        draw_depths(display, sky, sky_depth_);
    }

    sample_->bind();
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(empty_);
    backdrop_.use();
    set_backdrop(backdrop_, scenery, sum_->height());
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, sky_depth_.texture());
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, lamp_depth_.texture());

    const float width = (float)sum_->width(), height = (float)sum_->height();
    const glm::vec2 shift = sampled ? glm::vec2(evenly(sample, 5), evenly(sample, 7)) - 0.5f : glm::vec2(0);
    const glm::mat4 jitter = glm::translate(glm::mat4(1), glm::vec3(2 * shift.x / width, 2 * shift.y / height, 0));
    const glm::mat4 matrix = jitter * camera.projection(width / height) * camera.view();
    draw_floors(display, camera, scenery, matrix, lamp, sky); // behind everything, so that nothing hides under them
    glEnable(GL_DEPTH_TEST);
    surfaces_.use();
    set_lights(surfaces_, lamp, sky, camera, scenery);
    surfaces_.set("matrix", matrix);
    surfaces_.set("eye", camera.eye());
    draw_surfaces(display);
    glDisable(GL_DEPTH_TEST);
}

// Adds the sample to the sum.
void Renderer::accumulate() {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, sample_->framebuffer());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_->framebuffer());
    glBlitFramebuffer(0, 0, sum_->width(), sum_->height(), 0, 0, sum_->width(), sum_->height(), GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    sum_->bind();
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    copy_.use();
    copy_.set("picture", 0);
    glBindTexture(GL_TEXTURE_2D, resolved_->texture());
    glBindVertexArray(empty_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_BLEND);
}

void Renderer::draw(const Display& display, const OrbitCamera& camera, const Scenery& scenery, int width, int height,
                    GLuint framebuffer) {
    resize(width, height);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    sum_->bind();
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    for (int sample = 0; sample < scenery.samples; sample++) {
        draw_sample(display, camera, scenery, sample);
        accumulate();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, width, height);
    tone_.use();
    tone_.set("picture", 0);
    tone_.set("part", 1 / (float)scenery.samples);
    glBindTexture(GL_TEXTURE_2D, sum_->texture());
    glBindVertexArray(empty_);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}
