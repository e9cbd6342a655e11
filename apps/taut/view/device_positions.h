/* What CUDA does for surfaces that it shares with OpenGL. Nothing of CUDA is to be known here. */
#ifndef TAUT_VIEW_DEVICE_POSITIONS_H
#define TAUT_VIEW_DEVICE_POSITIONS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <taut/taut.h>
#include <vector>

// Of each vertex in the buffer.
struct Placed {
    float position[3]; // m
    float normal[3];
};

class DevicePositions {
  public:
    DevicePositions() = default;
    DevicePositions(const DevicePositions&) = delete;
    DevicePositions& operator=(const DevicePositions&) = delete;
    virtual ~DevicePositions() = default;

    // Copies the positions on the device, and waits for that and for `fill` of the picture before. low, high: of all
    // vertices, m.
    virtual bool take(const taut_array& positions, float* low, float* high) = 0;
    // Of the points of the world, as they were taken, to the host: 3 each.
    virtual bool read(float* positions) = 0;
    // Into the buffer, which OpenGL may use at once. Does not wait.
    virtual bool fill() = 0;
};

// Null where CUDA does not reach the buffer of OpenGL, or something else fails; only in builds with CUDA. positions: of
// a world, on its device, float32; points: of the world, one per vertex; triangles: of vertices, three each.
std::unique_ptr<DevicePositions> open_device_positions(const taut_array& positions, unsigned buffer,
                                                       const std::vector<uint32_t>& points,
                                                       const std::vector<uint32_t>& triangles);

#endif
