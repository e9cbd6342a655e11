#include "simulation.h"

bool Simulation::prepare(report*) {
    return true;
}

bool Simulation::read_points(report* r) {
    report cause = {};
    const bool good = needs_all_
                          ? frame_points_read(&points_, world_, frame_, &cause)
                          : frame_points_read_some(&points_, world_, needed_.size(), needed_.data(), frame_, &cause);
    return good || report_fail(r, "%s: %s", file_.path, cause.text);
}

void Simulation::need(const std::vector<taut_range>& ranges) {
    needs_all_ = false;
    needed_ = ranges;
}

bool Simulation::need_all(report* r) {
    const bool missing = !needs_all_;
    needs_all_ = true;
    return !missing || read_points(r);
}

exit_code Simulation::begin(report* r) {
    integrator_ = file_.world.integrator;
    first_ = frame_;
    const size_t points = taut_world_particle_count(world_), frames = taut_world_frame_count(world_);
    if (!frame_points_make_for(&built_, points, frames, &points_, r)) {
        return EXIT_INPUT;
    }
    size_t bytes = 0;
    if (taut_world_state_size(world_, &bytes) == TAUT_OK) {
        beginning_.resize(bytes);
    }
    if (taut_world_save(world_, beginning_.size(), beginning_.data(), &bytes) != TAUT_OK) {
        report_fail(r, "%s: %s", file_.path, taut_last_error());
        return EXIT_SIMULATION;
    }
    beginning_.resize(bytes);
    return read_points(r) ? EXIT_DONE : EXIT_SIMULATION;
}

exit_code Simulation::take_step(taut_status status, double start, report* r) {
    if (status == TAUT_OK) {
        status = taut_world_info(world_, &info_);
    }
    if (status != TAUT_OK) {
        report_fail(r, "%s: frame %zu: %s", file_.path, frame_ + 1, taut_last_error());
        return exit_code_of(status);
    }
    frame_++;
    step_ms_ = 1e3 * (now_seconds() - start);
    return read_points(r) ? EXIT_DONE : EXIT_SIMULATION;
}

exit_code Simulation::restart(report* r) {
    if (taut_world_load(world_, beginning_.data(), beginning_.size()) != TAUT_OK) {
        report_fail(r, "%s: %s", file_.path, taut_last_error());
        return EXIT_SIMULATION;
    }
    integrator_ = file_.world.integrator;
    retuned_.clear();
    told(integrator_);
    told(file_.world.solver);
    told(file_.world.gravity);
    frame_ = first_;
    info_ = {};
    return read_points(r) ? EXIT_DONE : EXIT_SIMULATION;
}

Retuned Simulation::retuned(taut_batch batch) const {
    const auto found = retuned_.find(batch.id);
    return found == retuned_.end() ? Retuned() : found->second;
}

taut_status Simulation::set_integrator(const taut_integrator& integrator) {
    const taut_status status = taut_world_set_integrator(world_, &integrator);
    if (status == TAUT_OK) {
        integrator_ = integrator;
        told(integrator);
    }
    return status;
}

taut_status Simulation::set_solver(const taut_solver& solver) {
    const taut_status status = taut_world_set_solver(world_, &solver);
    if (status == TAUT_OK) {
        told(solver);
    }
    return status;
}

taut_status Simulation::set_gravity(const double (&gravity)[3]) {
    const taut_status status = taut_world_set_gravity(world_, gravity);
    if (status == TAUT_OK) {
        told(gravity);
    }
    return status;
}
