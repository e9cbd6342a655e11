/* A simulation that plays: steps beside the drawing, a point that is dragged, and what the last steps were like. The
 * world is touched between two steps only, so that nothing waits for a lock. */
#ifndef TAUT_VIEW_PLAYER_H
#define TAUT_VIEW_PLAYER_H

#include "tuning.h"
#include "worker.h"

#include <array>
#include <deque>
#include <glm/glm.hpp>

// What panels show while the next step runs.
struct PlayState {
    size_t frame = 0;
    double time = 0; // s
    taut_step_info info = {};
};

// One step, for the plots.
struct StepRecord {
    float milliseconds = 0;
    std::array<float, TAUT_STAGE_COUNT> stages{}; // ms
    float iterations = 0;
    float residual = 0;                            // log10
    float kinetic = 0, potential = 0, elastic = 0; // J
};

class Player {
  public:
    // `waits`: `finish` waits for the step that it began, so that a script meets the same frames each
    // time.
    Player(Simulation& s, Tuning& tuning, bool waits) : s_(s), tuning_(tuning), waits_(waits) {}

    // Before a picture: takes a step that is done. True where there is a new state to show. A failure stops the play.
    bool finish(report* r);
    // After what is to be shown has been read: tells the world what has changed, and begins a step where it is time.
    void begin(report* r);
    // At the end: waits for the step that runs, and lets go of what is held.
    bool end(report* r);

    void toggle() { playing_ = !playing_; }
    void step_once() { single_ = true; }
    void restart() { restart_ = true; }
    bool playing() const { return playing_; }
    // A step runs, and points and world may not be read.
    bool busy() const { return stepping_; }

    // Holds a point of the world at a place, m; compliance of the hand, m/N.
    void drag(uint32_t point, const glm::vec3& place);
    void drop() { dragging_ = false; }
    bool dragging() const { return dragging_; }
    float hand_compliance = 1e-3f;

    const std::deque<StepRecord>& history() const { return history_; }
    const PlayState& state() const { return state_; }

  private:
    bool move_hand(report* r);
    bool begin_again(report* r);
    void record();
    bool is_time();

    Simulation& s_;
    Tuning& tuning_;
    bool waits_;
    bool playing_ = true, single_ = false, restart_ = false;
    bool stepping_ = false; // begun, and not yet taken
    exit_code code_ = EXIT_DONE;
    report failure_ = {}; // of the step
    bool dragging_ = false;
    uint32_t point_ = 0;
    glm::dvec3 place_{0};
    taut_added grab_ = {0};
    double due_ = 0; // s, when the next step begins
    std::deque<StepRecord> history_;
    PlayState state_;
    Worker worker_; // the last member: it ends first
};

#endif
