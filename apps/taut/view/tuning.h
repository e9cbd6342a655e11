/* What a user changes while a scene runs: settings of the world, and compliances or moduli and dampings of its batches.
 */
#ifndef TAUT_VIEW_TUNING_H
#define TAUT_VIEW_TUNING_H

#include "constraint_rows.h"

#include <string>
#include <vector>

// A batch whose compliance, or Young's modulus, can be changed: each of its constraints has the value of the file times
// a power of ten.
struct TunedBatch {
    static constexpr float hard = -12; // and below: 0
    taut_batch batch = {};
    taut_kind kind = TAUT_DISTANCE;
    std::string label;          // "shirt.bend"
    std::vector<double> values; // compliances, or Young's moduli of solids; `axes` of each constraint
    size_t axes = 1;
    bool soft = false;  // not all are 0
    float decades = 0;  // 0: as in the file
    float added = hard; // log10 of the compliance that hard ones get, in its unit
    float damping = 0;  // s; sent when it was changed
    bool changed = false, damping_changed = false;
    size_t count() const { return values.size() / axes; }
};

struct Settings {
    float gravity[3] = {0, -9.81f, 0};
    float wind[3] = {0, 0, 0};
    float mass_damping = 0;
    int substeps = 1;
    int max_iterations = 1000;
    float tolerance_decade = -4;
    bool changed = false, wind_changed = false;
};

class Tuning {
  public:
    explicit Tuning(const Simulation& s);
    // Reads compliances when batches are first looked at. Between two steps.
    bool look(const Simulation& s, report* r);
    // Tells the world what has changed. Between two steps.
    bool apply(Simulation& s, report* r);
    // After a restart: all as in the file.
    void reset(const Simulation& s);

    Settings settings;
    std::vector<TunedBatch> batches;
    bool wants_compliances = false; // batches are looked at
    bool has_wind() const { return !in_air_.empty(); }

  private:
    void add_batch(const Simulation& s, size_t number, taut_kind kind, size_t count);
    bool read_compliances(const Simulation& s, report* r);
    ConstraintRows rows_;
    bool tried_ = false;             // to read compliances
    std::vector<taut_batch> in_air_; // surfaces
};

#endif
