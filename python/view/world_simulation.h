/* A world of Python's as the viewer shows it. */
#ifndef TAUT_PYTHON_WORLD_SIMULATION_H
#define TAUT_PYTHON_WORLD_SIMULATION_H

#include "../binding/handles.h"
#include "../binding/loaded.h"
#include "drawn_objects.h"

#include <exception>

class WorldSimulation : public Simulation {
  public:
    // `before`: called with the number of the frame before each step, or None.
    WorldSimulation(const World& w, nb::object before);

    // frame: that the world is at; fps: 0: that of its file, or 60; triangles: shown too.
    exit_code open(size_t frame, double fps, const std::vector<Shapes::Triangle>& triangles, report* r);
    exit_code step(report* r) override;
    bool prepare(report* r) override;
    bool ended() override;
    bool describe_batch(size_t batch, taut_kind* kind, size_t* count) const override;
    // Raises what the caller's function has raised, with the interpreter's lock.
    void rethrow() const;

  private:
    void told(const taut_integrator& integrator) override { state_->integrator = integrator; }
    void told(const taut_solver& solver) override { state_->solver = solver; }
    void told(const double (&gravity)[3]) override { std::copy(gravity, gravity + 3, state_->gravity.begin()); }
    bool take_objects(Shapes shapes, report* r);
    void take_sources();
    void take_scene(const World& w);
    void fail();

    std::shared_ptr<WorldState> state_;
    std::shared_ptr<Loaded> loaded_;
    std::shared_ptr<const Shapes> shapes_;
    std::shared_ptr<taut_scene> scene_;
    nb::object before_;
    std::exception_ptr raised_;
    bool ended_ = false;
    std::string path_;
    DrawnObjects drawn_;
    std::vector<built_object> objects_;
    std::vector<batch_source> sources_;
};

#endif
