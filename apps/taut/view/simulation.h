/* What the viewer shows: a world that goes from frame to frame, and what its scene looks like. */
#ifndef TAUT_VIEW_SIMULATION_H
#define TAUT_VIEW_SIMULATION_H

#include "tool_rooms.h"

#include <map>
#include <string>
#include <vector>

// A line between two points of the world, which no object of the scene has.
struct Line {
    uint32_t ends[2];
    float radius; // m
};

// The compliances of a batch that a user has changed: so many times those of the file, and what is added to them.
struct Retuned {
    double factor = 1, added = 0;
};

class Simulation {
  public:
    Simulation() = default;
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    virtual ~Simulation() { frame_points_free(&points_); }

    // To the next frame; on a thread of its own.
    virtual exit_code step(report* r) = 0;
    // What a program does before a step, where the world is not in use. False after setting the report.
    virtual bool prepare(report* r);
    // Whether a program asks for the end. Once a picture.
    virtual bool ended() { return false; }
    // Back to the first frame, with all parameters of the beginning.
    exit_code restart(report* r);
    // The kind of a batch of the scene, counted from 0, and how many constraints it has.
    virtual bool describe_batch(size_t batch, taut_kind* kind, size_t* count) const = 0;

    size_t frame() const { return frame_; }
    double time() const { return (double)frame_ / file_.fps; }
    const scene_file& file() const { return file_; }
    const built_scene& built() const { return built_; }
    const std::vector<Line>& lines() const { return lines_; }
    // Points and surfaces at the current frame: all, or those that are needed.
    const frame_points& points() const { return points_; }
    // What the steps from now on leave in `points`. What else is shown never comes to the host.
    void need(const std::vector<taut_range>& ranges);
    // All points; those of the current frame are read at once. Between two steps.
    bool need_all(report* r);
    taut_world* world() const { return world_; }
    const taut_step_info& info() const { return info_; }
    double step_ms() const { return step_ms_; }
    bool can_drag() const { return can_drag_; }
    // Changes must be told, because steps with more room for contacts set the integrator again.
    taut_status set_integrator(const taut_integrator& integrator);
    taut_status set_solver(const taut_solver& solver);
    taut_status set_gravity(const double (&gravity)[3]);
    const taut_integrator& integrator() const { return integrator_; }
    // Until a restart.
    void retune(taut_batch batch, const Retuned& to) { retuned_[batch.id] = to; }
    Retuned retuned(taut_batch batch) const;

  protected:
    // Once there are a file, a built scene and a world: makes the points, and keeps the state to begin again from.
    exit_code begin(report* r);
    // After a step that began at `start` of now_seconds().
    exit_code take_step(taut_status status, double start, report* r);

    scene_file file_ = {};
    built_scene built_ = {};
    std::vector<Line> lines_;
    taut_world* world_ = nullptr;
    taut_integrator integrator_ = {};
    size_t frame_ = 0;
    bool can_drag_ = false;

    // What a user has set last.
    virtual void told(const taut_integrator&) {}
    virtual void told(const taut_solver&) {}
    virtual void told(const double (&)[3]) {}

  private:
    bool read_points(report* r);

    frame_points points_ = {};
    bool needs_all_ = true;
    std::vector<taut_range> needed_; // otherwise
    taut_step_info info_ = {};
    std::vector<unsigned char> beginning_;
    std::map<uint32_t, Retuned> retuned_; // by batches
    size_t first_ = 0;
    double step_ms_ = 0;
};

#endif
