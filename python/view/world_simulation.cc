#include "world_simulation.h"

#include <cstdio>

WorldSimulation::WorldSimulation(const World& w, nb::object before)
    : state_(w.state), loaded_(w.file), shapes_(w.shapes), before_(std::move(before)) {
    world_ = w.get().world;
    take_scene(w);
}

/* The scene of the world, where it is still there and as it was: compliances and the points of rows are read of it. */
void WorldSimulation::take_scene(const World& w) {
    std::shared_ptr<taut_scene> scene = w.scene.lock();
    if (scene && taut_scene_batch_count(scene.get()) == state_->kinds.size() &&
        taut_scene_particle_count(scene.get()) == taut_world_particle_count(world_)) {
        scene_ = std::move(scene);
    }
}

/* Objects of the file come first, so that places in it name them. */
bool WorldSimulation::take_objects(Shapes shapes, report* r) {
    std::vector<Shapes::Place> positions(taut_world_particle_count(world_));
    if (taut_world_read(world_, TAUT_FIELD_POSITIONS, 0, positions.size(), positions[0].data()) != TAUT_OK) {
        return report_fail(r, "%s", taut_last_error());
    }
    if (!draw_shapes(shapes, positions, &drawn_, r)) {
        return false;
    }
    if (loaded_) {
        objects_.assign(loaded_->built.objects, loaded_->built.objects + loaded_->built.object_count);
    } else {
        file_.objects = drawn_.of_file.data();
        file_.object_count = drawn_.of_file.size();
    }
    objects_.insert(objects_.end(), drawn_.built.begin(), drawn_.built.end());
    lines_ = drawn_.lines;
    built_.objects = objects_.data();
    built_.object_count = objects_.size();
    return true;
}

/* Where batches come from: of those that arrays have added, the kind and the number. */
void WorldSimulation::take_sources() {
    if (loaded_) {
        sources_.assign(loaded_->built.sources, loaded_->built.sources + loaded_->built.source_count);
    }
    for (size_t i = sources_.size(); i < state_->kinds.size(); i++) {
        batch_source source = {};
        (void)snprintf(source.place, sizeof source.place, "%s (batch %zu)", taut_kind_name(state_->kinds[i]), i + 1);
        sources_.push_back(source);
    }
    built_.sources = sources_.data();
    built_.source_count = sources_.size();
}

exit_code WorldSimulation::open(size_t frame, double fps, const std::vector<Shapes::Triangle>& triangles, report* r) {
    if (loaded_) {
        file_ = loaded_->file;
    } else {
        path_ = "world";
        file_.path = path_.data();
        file_.world = taut_default_world();
        file_.fps = 60;
    }
    file_.fps = fps > 0 ? fps : file_.fps;
    file_.world.integrator = state_->integrator;
    file_.world.solver = state_->solver;
    std::copy(state_->gravity.begin(), state_->gravity.end(), file_.world.gravity);
    frame_ = frame;
    built_.scene = scene_.get();
    taut_reserve room, left;
    can_drag_ = taut_world_room(world_, &room, &left) == TAUT_OK && left.targets > 0;
    Shapes shapes = shapes_ ? *shapes_ : Shapes();
    shapes.triangles.insert(shapes.triangles.end(), triangles.begin(), triangles.end());
    if (!take_objects(std::move(shapes), r)) {
        return EXIT_SIMULATION;
    }
    take_sources();
    return begin(r);
}

/* Worlds of one file share what moves its pins: these move with the interpreter's lock. */
exit_code WorldSimulation::step(report* r) {
    const double begun = now_seconds(), time = (double)(frame() + 1) / file_.fps;
    static const built_scene still = {}; /* all is moved */
    taut_status status = TAUT_OK;
    if (loaded_) {
        const nb::gil_scoped_acquire acquired;
        status = scene_move(&loaded_->built, world_, time, 1 / file_.fps);
    }
    const scene_step_spec spec = {&integrator(), time, 1 / file_.fps, file_.budget, nullptr, nullptr};
    state_->keep = true; /* room for contacts may grow */
    status = status == TAUT_OK ? scene_step(&still, world_, &spec) : status;
    state_->keep = false;
    return take_step(status, begun, r);
}

void WorldSimulation::fail() {
    raised_ = std::current_exception();
    ended_ = true;
}

bool WorldSimulation::prepare(report*) {
    if (before_.is_none()) {
        return true;
    }
    const nb::gil_scoped_acquire acquired;
    state_->busy = false; /* the function may use the world */
    try {
        ended_ = before_(frame()).is(nb::handle(Py_False));
    } catch (const nb::python_error&) {
        fail();
    }
    state_->busy = true;
    return !ended_;
}

/* Ctrl-C is an exception of Python's. */
bool WorldSimulation::ended() {
    const nb::gil_scoped_acquire acquired;
    try {
        if (!ended_ && PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    } catch (const nb::python_error&) {
        fail();
    }
    return ended_;
}

bool WorldSimulation::describe_batch(size_t batch, taut_kind* kind, size_t* count) const {
    if (batch >= state_->kinds.size()) {
        return false;
    }
    *kind = state_->kinds[batch];
    *count = state_->counts[batch];
    return true;
}

void WorldSimulation::rethrow() const {
    if (raised_) {
        std::rethrow_exception(raised_);
    }
}
