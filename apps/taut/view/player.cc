#include "player.h"

#include <cmath>

static const size_t most_records = 240;

void Player::drag(uint32_t point, const glm::vec3& place) {
    dragging_ = true;
    point_ = point;
    place_ = place;
}

bool Player::move_hand(report* r) {
    taut_status status = TAUT_OK;
    if (dragging_) {
        status = taut_world_grab(s_.world(), point_, &place_[0], hand_compliance, &grab_);
    } else if (grab_.id) {
        status = taut_world_release(s_.world(), &grab_);
    }
    if (status != TAUT_OK) {
        dragging_ = false;
        return report_fail(r, "%s", taut_last_error());
    }
    return true;
}

void Player::record() {
    const taut_step_info& info = s_.info();
    state_ = {s_.frame(), s_.time(), info};
    StepRecord step;
    step.milliseconds = (float)s_.step_ms();
    for (size_t i = 0; i < step.stages.size(); i++) {
        step.stages[i] = (float)(1e3 * info.stage_seconds[i]);
    }
    step.iterations = (float)info.iterations;
    step.residual = (float)std::log10(std::max(info.residual, 1e-12));
    step.kinetic = (float)info.kinetic;
    step.potential = (float)info.potential;
    step.elastic = (float)info.elastic;
    history_.push_back(step);
    if (history_.size() > most_records) {
        history_.pop_front();
    }
}

bool Player::begin_again(report* r) {
    restart_ = false;
    dragging_ = false;
    grab_ = {0};
    history_.clear();
    tuning_.reset(s_);
    state_ = {};
    return s_.restart(r) == EXIT_DONE;
}

// Steps keep the time of the scene, or come as fast as they can. What was late is not caught up.
bool Player::is_time() {
    const double now = now_seconds();
    if (!playing_ || (!waits_ && now < due_)) {
        return false;
    }
    due_ = std::max(due_ + 1 / s_.file().fps, now);
    return true;
}

bool Player::finish(report* r) {
    if (restart_ && !busy()) {
        return begin_again(r);
    }
    if (!busy() || (!waits_ && !worker_.idle())) {
        return false;
    }
    worker_.wait();
    stepping_ = false;
    if (code_ != EXIT_DONE) {
        *r = failure_;
        failure_ = {};
        code_ = EXIT_DONE;
        playing_ = false;
        return false;
    }
    record();
    return true;
}

void Player::begin(report* r) {
    if (busy() || restart_ || !tuning_.look(s_, r) || !(single_ || is_time())) {
        return;
    }
    single_ = false;
    if (s_.prepare(r) && tuning_.apply(s_, r) && move_hand(r)) {
        stepping_ = true;
        worker_.start([this] { code_ = s_.step(&failure_); });
    }
}

bool Player::end(report* r) {
    worker_.wait();
    dragging_ = false;
    if (code_ != EXIT_DONE) {
        *r = failure_;
    }
    return code_ == EXIT_DONE && move_hand(r);
}
