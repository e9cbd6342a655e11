/* Draws what a display shows. Needs a current context of OpenGL 3.3. */
#ifndef TAUT_VIEW_RENDERER_H
#define TAUT_VIEW_RENDERER_H

#include "gl_objects.h"
#include "orbit_camera.h"

#include <memory>

struct Scenery {
    int samples = 1; // directions of lamp and sky; 1: no shadows of the sky
    bool floor_lines = true;
    Colour backdrop = {236, 238, 241, 255};
    float lamp_azimuth = -35;  // degrees from the camera's azimuth at the beginning
    std::vector<Floor> floors; // besides those of the scene
};

class Renderer {
  public:
    Renderer();
    ~Renderer();

    // Takes the frame of a display.
    void upload(Display& display);
    // Draws into a framebuffer of this size.
    void draw(const Display& display, const OrbitCamera& camera, const Scenery& scenery, int width, int height,
              GLuint framebuffer);

  private:
    struct Light {
        glm::vec3 direction;
        glm::mat4 matrix;
        float texel; // m
    };

    void resize(int width, int height);
    void draw_surfaces(const Display& display) const;
    void draw_depths(const Display& display, const Light& light, const Target& target);
    void draw_sample(const Display& display, const OrbitCamera& camera, const Scenery& scenery, int sample);
    void set_lights(const Program& program, const Light& lamp, const Light& sky, const OrbitCamera& camera,
                    const Scenery& scenery) const;
    void draw_floors(const Display& display, const OrbitCamera& camera, const Scenery& scenery, const glm::mat4& matrix,
                     const Light& lamp, const Light& sky);
    void accumulate();
    static Light light_from(const glm::vec3& direction, const Bounds& bounds, int size);

    Program depths_, surfaces_, floors_, backdrop_, copy_, tone_;
    Target lamp_depth_, sky_depth_;
    std::unique_ptr<Target> sample_, resolved_, sum_;
    GLuint array_ = 0, empty_ = 0, vertices_ = 0, indices_ = 0;
    GLsizei count_ = 0;
};

#endif
