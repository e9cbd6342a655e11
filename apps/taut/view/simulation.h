/* A scene file that runs: read, built, stepped frame by frame, and started again. */
#ifndef TAUT_VIEW_SIMULATION_H
#define TAUT_VIEW_SIMULATION_H

#include "tool_rooms.h"

#include <string>
#include <vector>

class Simulation {
  public:
    Simulation() = default;
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    ~Simulation();

    // `targets`: room for points that are dragged; a scene whose method allows none gets none.
    // The arguments must outlive the simulation.
    exit_code open(const arguments& a, const std::string& path, uint32_t targets, report* r);
    // To the next frame.
    exit_code step(report* r);
    // Back to frame 0, with all parameters as the file has them.
    exit_code restart(report* r);

    size_t frame() const { return frame_; }
    double time() const { return (double)frame_ / file_.fps; }
    const scene_file& file() const { return file_; }
    const built_scene& built() const { return built_; }
    // Points and surfaces at the current frame.
    const frame_points& points() const { return points_; }
    taut_world* world() { return world_; }
    const taut_step_info& info() const { return info_; }
    double step_ms() const { return step_ms_; }
    bool can_drag() const { return can_drag_; }
    // Changes of the integrator must be told, because steps with more room for contacts set it again.
    taut_status set_integrator(const taut_integrator& integrator);
    const taut_integrator& integrator() const { return integrator_; }

  private:
    exit_code make(uint32_t targets, report* r);
    bool read_points(report* r);
    static bool may_grow(void* simulation, double contacts);

    const arguments* arguments_ = nullptr;
    report refused_ = {}; // contacts that would take too much memory

    scene_file file_ = {};
    built_scene built_ = {};
    frame_points points_ = {};
    taut_world* world_ = nullptr;
    taut_integrator integrator_ = {};
    taut_step_info info_ = {};
    std::vector<unsigned char> beginning_;
    size_t frame_ = 0;
    double step_ms_ = 0;
    bool can_drag_ = false;
};

#endif
