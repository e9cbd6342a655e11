#include "file_simulation.h"

FileSimulation::~FileSimulation() {
    taut_world_destroy(world_);
    built_scene_free(&built_);
    scene_file_free(&file_);
}

// A method that cannot have room for dragged points (taut_reserve) makes the world without.
exit_code FileSimulation::make(uint32_t targets, report* r) {
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

exit_code FileSimulation::open(const arguments& a, const std::string& path, uint32_t targets, report* r) {
    if (!scene_file_read(path.c_str(), &file_, r) || !limits_check_file(&a, &file_, r) ||
        !scene_build(&file_, &built_, r) || !limits_check_built(&a, &file_, &built_, r)) {
        return EXIT_INPUT;
    }
    arguments_ = &a;
    file_.world.profile = targets > 0; // what is looked at in a window has plots
    file_.world.residuals = true;
    const exit_code code = make(targets, r);
    return code == EXIT_DONE ? begin(r) : code;
}

bool FileSimulation::may_grow(void* simulation, double contacts) {
    FileSimulation& s = *static_cast<FileSimulation*>(simulation);
    return limits_check_contacts(s.arguments_, &s.file_, &s.built_, contacts, &s.refused_);
}

exit_code FileSimulation::step(report* r) {
    const double start = now_seconds();
    scene_step_spec spec = {};
    spec.integrator = &integrator();
    spec.time = (double)(frame() + 1) / file_.fps;
    spec.dt = 1 / file_.fps;
    spec.may_grow = may_grow;
    spec.context = this;
    spec.budget = file_.budget;
    const taut_status status = scene_step(&built_, world_, &spec);
    if (refused_.text[0]) {
        *r = refused_;
        refused_ = {};
        return EXIT_INPUT;
    }
    return take_step(status, start, r);
}

bool FileSimulation::describe_batch(size_t batch, taut_kind* kind, size_t* count) const {
    return taut_scene_describe_batch(built_.scene, {(uint32_t)batch + 1}, kind, count) == TAUT_OK;
}
