#include "simulation.h"

Simulation::~Simulation() {
    taut_world_destroy(world_);
    frame_points_free(&points_);
    built_scene_free(&built_);
    scene_file_free(&file_);
}

// A method that cannot have room for dragged points (taut_reserve) makes the world without.
exit_code Simulation::make(uint32_t targets, report* r) {
    file_.world.reserve.targets = targets;
    const exit_code code = make_world(arguments_, &file_, &built_, &world_, r);
    can_drag_ = code == EXIT_DONE && targets > 0;
    if (code == EXIT_DONE || targets == 0) {
        return code;
    }
    *r = {};
    file_.world.reserve.targets = 0;
    return make_world(arguments_, &file_, &built_, &world_, r);
}

exit_code Simulation::open(const arguments& a, const std::string& path, uint32_t targets, report* r) {
    if (!scene_file_read(path.c_str(), &file_, r) || !limits_check_file(&a, &file_, r) ||
        !scene_build(&file_, &built_, r) || !limits_check_built(&a, &file_, &built_, r)) {
        return EXIT_INPUT;
    }
    arguments_ = &a;
    file_.world.profile = targets > 0; // what is looked at in a window has plots
    const exit_code code = make(targets, r);
    if (code != EXIT_DONE) {
        return code;
    }
    integrator_ = file_.world.integrator;
    if (!frame_points_make(&built_, &points_, r)) {
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

bool Simulation::read_points(report* r) {
    report cause = {};
    return frame_points_read(&points_, world_, frame_, &cause) || report_fail(r, "%s: %s", file_.path, cause.text);
}

bool Simulation::may_grow(void* simulation, double contacts) {
    Simulation& s = *static_cast<Simulation*>(simulation);
    return limits_check_contacts(s.arguments_, &s.file_, &s.built_, contacts, &s.refused_);
}

exit_code Simulation::step(report* r) {
    const double start = now_seconds();
    scene_step_spec spec = {};
    spec.integrator = &integrator_;
    spec.time = (double)(frame_ + 1) / file_.fps;
    spec.dt = 1 / file_.fps;
    spec.may_grow = may_grow;
    spec.context = this;
    spec.budget = file_.budget;
    taut_status status = scene_step(&built_, world_, &spec);
    if (status == TAUT_OK) {
        status = taut_world_info(world_, &info_);
    }
    if (refused_.text[0]) {
        *r = refused_;
        refused_ = {};
        return EXIT_INPUT;
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
    frame_ = 0;
    info_ = {};
    return read_points(r) ? EXIT_DONE : EXIT_SIMULATION;
}

taut_status Simulation::set_integrator(const taut_integrator& integrator) {
    const taut_status status = taut_world_set_integrator(world_, &integrator);
    if (status == TAUT_OK) {
        integrator_ = integrator;
    }
    return status;
}
