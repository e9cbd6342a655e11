/* Which points the constraints of a scene join, and their compliances as the file has them. */
#ifndef TAUT_VIEW_CONSTRAINT_ROWS_H
#define TAUT_VIEW_CONSTRAINT_ROWS_H

#include "simulation.h"

class ConstraintRows {
  public:
    struct Block {
        taut_kind kind;
        taut_batch batch;
        uint32_t constraint; // in its batch
        uint32_t rows;
        uint32_t particle_count, particles[4];
        size_t first; // of its rows x rows compliances
    };

    // Once, when first needed: it takes an assembly, of a world without room for dragged points where there is a scene
    // to make one of.
    bool read(const Simulation& s, report* r);
    bool known() const { return known_; }
    const std::vector<Block>& blocks() const { return blocks_; }
    const double* compliances(const Block& b) const { return &compliances_[b.first]; }

  private:
    taut_status take(const taut_assembly* assembly);

    bool known_ = false;
    std::vector<Block> blocks_;
    std::vector<double> compliances_;
};

#endif
