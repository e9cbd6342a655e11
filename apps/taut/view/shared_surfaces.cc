#include "shared_surfaces.h"

#include "device_positions.h"
#include "gl_objects.h"

#include <cstddef>
#include <cstring>

static_assert(sizeof(glm::vec3) == 3 * sizeof(float), "positions are read as they lie on the device");

#ifdef TAUT_VIEW_WITH_CUDA
static std::unique_ptr<DevicePositions> open_device(taut_world* world, GLuint buffer, const Shape& shape,
                                                    const std::vector<uint32_t>& points) {
    taut_array view;
    return taut_world_view(world, TAUT_FIELD_POSITIONS_F32, &view) == TAUT_OK
               ? open_device_positions(view, buffer, points, shape.triangles)
               : nullptr;
}
#else
static std::unique_ptr<DevicePositions> open_device(taut_world*, GLuint, const Shape&, const std::vector<uint32_t>&) {
    return nullptr;
}
#endif

/* ---- buffers -------------------------------------------------------------------------------------------------- */

static void attribute(GLuint place, GLint count, GLenum type, size_t stride, size_t offset) {
    glEnableVertexAttribArray(place);
    glVertexAttribPointer(place, count, type, type == GL_UNSIGNED_BYTE, (GLsizei)stride,
                          reinterpret_cast<const void*>(offset));
}

template <class T> static void store(GLenum target, GLuint buffer, const std::vector<T>& values) {
    glBindBuffer(target, buffer);
    glBufferData(target, (GLsizeiptr)(values.size() * sizeof(T)), values.data(), GL_STATIC_DRAW);
}

// The places of attributes are those of the renderer. Room for positions and normals must stay where it is.
SharedSurfaces::SharedSurfaces(const Shape& shape) : count_((int)shape.triangles.size()) {
    glGenVertexArrays(1, &array_);
    glGenBuffers(3, buffers_);
    glBindVertexArray(array_);
    glBindBuffer(GL_ARRAY_BUFFER, buffers_[0]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(shape.vertices.size() * sizeof(Placed)), nullptr, GL_DYNAMIC_DRAW);
    attribute(0, 3, GL_FLOAT, sizeof(Placed), offsetof(Placed, position));
    attribute(1, 3, GL_FLOAT, sizeof(Placed), offsetof(Placed, normal));
    store(GL_ARRAY_BUFFER, buffers_[1], shape.vertices);
    attribute(2, 4, GL_UNSIGNED_BYTE, sizeof(Vertex), offsetof(Vertex, colour));
    attribute(3, 4, GL_UNSIGNED_BYTE, sizeof(Vertex), offsetof(Vertex, look));
    store(GL_ELEMENT_ARRAY_BUFFER, buffers_[2], shape.triangles);
}

// CUDA lets go of a buffer before it is deleted.
SharedSurfaces::~SharedSurfaces() {
    device_.reset();
    glDeleteVertexArrays(1, &array_);
    glDeleteBuffers(3, buffers_);
}

std::unique_ptr<SharedSurfaces> SharedSurfaces::make(taut_world* world, const Shape& shape,
                                                     const std::vector<uint32_t>& points) {
    if (shape.triangles.empty() || strcmp(taut_world_backend(world), "cuda") != 0) {
        return nullptr;
    }
    std::unique_ptr<SharedSurfaces> made(new SharedSurfaces(shape));
    made->device_ = open_device(world, made->buffers_[0], shape, points);
    return made->device_ ? std::move(made) : nullptr;
}

/* ---- frames --------------------------------------------------------------------------------------------------- */

bool SharedSurfaces::take(taut_world* world) {
    taut_array view; // its memory moves where the world grows
    return taut_world_view(world, TAUT_FIELD_POSITIONS_F32, &view) == TAUT_OK && taut_world_sync(world) == TAUT_OK &&
           device_->take(view, &bounds_.low[0], &bounds_.high[0]);
}

bool SharedSurfaces::read(glm::vec3* positions) const {
    return device_->read(&positions[0][0]);
}

bool SharedSurfaces::fill() {
    return device_->fill();
}

void SharedSurfaces::draw() const {
    glBindVertexArray(array_);
    glDrawElements(GL_TRIANGLES, count_, GL_UNSIGNED_INT, nullptr);
}
