#include "tuning.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

/* ---- what the file has ---------------------------------------------------------------------------------------- */

// The object of a place such as "objects[3].bend", and what follows.
static const scene_object* object_at(const Simulation& s, const char* place, std::string* rest) {
    size_t index = 0;
    int length = 0;
    if (sscanf(place, "objects[%zu]%n", &index, &length) != 1 || index >= s.file().object_count) {
        return nullptr;
    }
    *rest = place + length;
    return &s.file().objects[index];
}

static std::string label_of(const Simulation& s, size_t batch) {
    std::string rest;
    const scene_object* o = object_at(s, s.built().sources[batch].place, &rest);
    return o ? std::string(o->name) + rest : s.built().sources[batch].place;
}

// Membranes and strains of tetrahedra take 1/E.
static double inverse_young(const Simulation& s, size_t batch) {
    std::string rest;
    const scene_object* o = object_at(s, s.built().sources[batch].place, &rest);
    const double young = !o                        ? 0
                         : o->type == OBJECT_CLOTH ? o->as.cloth.young
                         : o->type == OBJECT_SOFT  ? o->as.soft.young
                                                   : 0;
    return young > 0 ? 1 / young : 0;
}

// Young's moduli are known of what a file has.
static bool is_of_file(const Simulation& s, size_t batch) {
    std::string rest;
    return object_at(s, s.built().sources[batch].place, &rest) != nullptr;
}

static bool has_scalar(taut_kind kind) {
    return kind == TAUT_DISTANCE || kind == TAUT_ATTACHMENT || kind == TAUT_TARGET || kind == TAUT_BEND ||
           kind == TAUT_TET_VOLUME || kind == TAUT_LINEAR;
}

// Strains keep 1/E; all others have their values on the diagonal of C.
bool Tuning::read_compliances(const Simulation& s, report* r) {
    if (!rows_.read(s, r)) {
        return false;
    }
    for (const ConstraintRows::Block& block : rows_.blocks()) {
        const auto batch = std::find_if(batches.begin(), batches.end(),
                                        [&](const TunedBatch& b) { return b.batch.id == block.batch.id; });
        if (batch != batches.end() && has_scalar(block.kind)) {
            batch->compliances[block.constraint] = rows_.compliances(block)[0];
        }
    }
    for (TunedBatch& b : batches) {
        b.soft = std::any_of(b.compliances.begin(), b.compliances.end(), [](double v) { return v > 0; });
    }
    return true;
}

Tuning::Tuning(const Simulation& s) {
    for (size_t i = 0; i < s.built().source_count; i++) {
        taut_kind kind = TAUT_DISTANCE;
        size_t count = 0;
        const taut_batch batch = {(uint32_t)i + 1};
        if (!s.describe_batch(i, &kind, &count) || count == 0) {
            continue;
        }
        const bool strain = (kind == TAUT_MEMBRANE || kind == TAUT_TET_STRAIN) && is_of_file(s, i);
        if (kind == TAUT_SURFACE) {
            in_air_.push_back(batch);
        } else if (strain || has_scalar(kind)) {
            TunedBatch tuned;
            tuned.batch = batch;
            tuned.label = label_of(s, i);
            tuned.compliances.assign(count, strain ? inverse_young(s, i) : 0);
            batches.push_back(std::move(tuned));
        }
    }
    reset(s);
}

void Tuning::reset(const Simulation& s) {
    const taut_world_def& world = s.file().world;
    settings = {};
    for (int a = 0; a < 3; a++) {
        settings.gravity[a] = (float)world.gravity[a];
    }
    settings.mass_damping = (float)world.integrator.mass_damping;
    settings.substeps = (int)world.integrator.substeps;
    settings.max_iterations = (int)world.solver.max_iterations;
    settings.tolerance_decade = (float)std::log10(world.solver.tolerance);
    for (TunedBatch& b : batches) {
        b.decades = b.added = b.damping = 0;
        b.changed = b.damping_changed = false;
    }
}

/* ---- what has changed ----------------------------------------------------------------------------------------- */

static taut_status send_batch(taut_world* world, TunedBatch& b) {
    taut_status status = TAUT_OK;
    const size_t count = b.compliances.size();
    if (b.changed) {
        std::vector<double> values = b.compliances;
        for (double& v : values) {
            v = b.soft ? v * std::pow(10.0, b.decades) : b.added;
        }
        status = taut_world_set_compliances(world, b.batch, 0, count, values.data());
    }
    if (status == TAUT_OK && b.damping_changed) {
        const std::vector<double> values(count, b.damping);
        status = taut_world_set_dampings(world, b.batch, 0, count, values.data());
    }
    b.changed = b.damping_changed = false;
    return status;
}

static taut_status send_settings(Simulation& s, const Settings& settings) {
    const double gravity[3] = {settings.gravity[0], settings.gravity[1], settings.gravity[2]};
    taut_integrator integrator = s.integrator();
    taut_solver solver = s.file().world.solver;
    integrator.substeps = (uint32_t)settings.substeps;
    integrator.mass_damping = settings.mass_damping;
    solver.max_iterations = (uint32_t)settings.max_iterations;
    solver.tolerance = std::pow(10.0, settings.tolerance_decade);
    taut_status status = s.set_gravity(gravity);
    status = status == TAUT_OK ? s.set_integrator(integrator) : status;
    return status == TAUT_OK ? s.set_solver(solver) : status;
}

bool Tuning::apply(Simulation& s, report* r) {
    if (wants_compliances && !tried_) {
        tried_ = true;
        if (!read_compliances(s, r)) {
            batches.clear(); // what they have is not known
            return false;
        }
    }
    taut_status status = settings.changed ? send_settings(s, settings) : TAUT_OK;
    const double wind[3] = {settings.wind[0], settings.wind[1], settings.wind[2]};
    for (taut_batch batch : in_air_) {
        status = status == TAUT_OK && settings.wind_changed ? taut_world_set_wind(s.world(), batch, wind) : status;
    }
    for (TunedBatch& b : batches) {
        status = status == TAUT_OK ? send_batch(s.world(), b) : status;
    }
    settings.changed = settings.wind_changed = false;
    return status == TAUT_OK || report_fail(r, "%s", taut_last_error());
}
