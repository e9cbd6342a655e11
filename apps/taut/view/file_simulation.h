/* A scene file that runs: read, built, stepped frame by frame, and started again. */
#ifndef TAUT_VIEW_FILE_SIMULATION_H
#define TAUT_VIEW_FILE_SIMULATION_H

#include "simulation.h"

class FileSimulation : public Simulation {
  public:
    ~FileSimulation() override;

    // `targets`: room for points that are dragged; a scene whose method allows none gets none.
    // The arguments must outlive the simulation.
    exit_code open(const arguments& a, const std::string& path, uint32_t targets, report* r);
    exit_code step(report* r) override;
    bool describe_batch(size_t batch, taut_kind* kind, size_t* count) const override;

  private:
    exit_code make(uint32_t targets, report* r);
    static bool may_grow(void* simulation, double contacts);

    const arguments* arguments_ = nullptr;
    report refused_ = {}; // contacts that would take too much memory
};

#endif
