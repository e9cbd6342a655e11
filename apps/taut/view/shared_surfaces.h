/* Surfaces that a world on CUDA moves and OpenGL draws on the same device: their positions pass no memory of the host.
 */
#ifndef TAUT_VIEW_SHARED_SURFACES_H
#define TAUT_VIEW_SHARED_SURFACES_H

#include "shape.h"

#include <memory>

class DevicePositions;
struct taut_world;

// All calls need the context that was current at the first one.
class SharedSurfaces {
  public:
    // Null where the world is on the CPU, OpenGL on another device or in software, or this build without CUDA. The
    // vertices keep their colours and looks; points: of the world, one for each.
    static std::unique_ptr<SharedSurfaces> make(taut_world* world, const Shape& shape,
                                                const std::vector<uint32_t>& points);
    SharedSurfaces(const SharedSurfaces&) = delete;
    SharedSurfaces& operator=(const SharedSurfaces&) = delete;
    ~SharedSurfaces();

    // Between two steps: keeps the frame that the world is at, so that the next step need not wait for a picture of it.
    // False where that fails, as in the two calls below.
    bool take(taut_world* world);
    // Of this frame.
    const Bounds& bounds() const { return bounds_; }
    // The points of the world in this frame, to the host.
    bool read(glm::vec3* positions) const;
    // This frame to the buffer that is drawn.
    bool fill();
    void draw() const;

  private:
    explicit SharedSurfaces(const Shape& shape);

    unsigned array_ = 0, buffers_[3] = {0, 0, 0}; // places and normals, colours and looks, triangles
    int count_;
    Bounds bounds_;
    std::unique_ptr<DevicePositions> device_;
};

#endif
