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

// What several batches of one place are.
static const char* part_of(taut_kind kind) {
    switch (kind) {
    case TAUT_SEGMENT:
        return " stretch and shear";
    case TAUT_ALIGNMENT:
        return " bend and twist";
    case TAUT_PRISMATIC:
        return " translations";
    case TAUT_ANGULAR:
        return " rotations";
    default:
        return "";
    }
}

// A joint adds its drive last, with rows of a kind that it may have before.
static bool is_drive(const Simulation& s, size_t batch, taut_kind kind) {
    const char* place = s.built().sources[batch].place;
    bool same = false;
    for (size_t i = batch; i > 0 && std::string(s.built().sources[i - 1].place) == place; i--) {
        taut_kind other = TAUT_DISTANCE;
        size_t count = 0;
        same |= s.describe_batch(i - 1, &other, &count) && other == kind;
    }
    return same && (kind == TAUT_PRISMATIC || kind == TAUT_ANGULAR);
}

static bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

static std::string label_of(const Simulation& s, size_t batch, taut_kind kind) {
    std::string rest;
    const char* place = s.built().sources[batch].place;
    const scene_object* o = object_at(s, place, &rest);
    const bool named = ends_with(place, ".limits") || ends_with(place, ".motor");
    const char* part = named ? "" : is_drive(s, batch, kind) ? " drive" : part_of(kind);
    return (o ? std::string(o->name) + rest : std::string(place)) + part;
}

// Pa, or N/m of membranes; 0: not known, as of what no file has.
static double young_of(const Simulation& s, size_t batch) {
    std::string rest;
    const scene_object* o = object_at(s, s.built().sources[batch].place, &rest);
    return !o ? 0 : o->type == OBJECT_CLOTH ? o->as.cloth.young : o->type == OBJECT_SOFT ? o->as.soft.young : 0;
}

// Values of a constraint that are on the diagonal of its C; 0: none are.
static size_t axes_of(taut_kind kind) {
    switch (kind) {
    case TAUT_DISTANCE:
    case TAUT_ATTACHMENT:
    case TAUT_TARGET:
    case TAUT_BEND:
    case TAUT_TET_VOLUME:
    case TAUT_LINEAR:
    case TAUT_PRISMATIC:
    case TAUT_ANGULAR:
        return 1;
    case TAUT_ALIGNMENT:
    case TAUT_SEGMENT:
        return 3;
    default:
        return 0;
    }
}

static void find_soft(TunedBatch& b) {
    b.soft = std::any_of(b.values.begin(), b.values.end(), [](double v) { return v > 0; });
}

// Strains keep 1/E, and solids E; all others have their values on the diagonal of C.
bool Tuning::read_compliances(const Simulation& s, report* r) {
    if (!rows_.read(s, r)) {
        return false;
    }
    for (const ConstraintRows::Block& block : rows_.blocks()) {
        const auto batch = std::find_if(batches.begin(), batches.end(),
                                        [&](const TunedBatch& b) { return b.batch.id == block.batch.id; });
        for (size_t a = 0; batch != batches.end() && a < axes_of(block.kind); a++) {
            batch->values[batch->axes * block.constraint + a] = rows_.compliances(block)[a * (block.rows + 1)];
        }
    }
    std::for_each(batches.begin(), batches.end(), find_soft);
    return true;
}

bool Tuning::look(const Simulation& s, report* r) {
    if (!wants_compliances || tried_) {
        return true;
    }
    tried_ = true;
    if (!read_compliances(s, r)) {
        batches.clear(); // what they have is not known
        return false;
    }
    return true;
}

void Tuning::add_batch(const Simulation& s, size_t number, taut_kind kind, size_t count) {
    const bool strain = kind == TAUT_MEMBRANE || kind == TAUT_TET_STRAIN;
    const double young = strain || kind == TAUT_SOLID ? young_of(s, number) : 0;
    if (axes_of(kind) == 0 && young == 0) {
        return;
    }
    TunedBatch b;
    b.batch = {(uint32_t)number + 1};
    b.kind = kind;
    b.label = label_of(s, number, kind);
    b.axes = std::max<size_t>(axes_of(kind), 1);
    b.values.assign(b.axes * count, strain ? 1 / young : young);
    find_soft(b);
    batches.push_back(std::move(b));
}

Tuning::Tuning(const Simulation& s) {
    for (size_t i = 0; i < s.built().source_count; i++) {
        taut_kind kind = TAUT_DISTANCE;
        size_t count = 0;
        if (!s.describe_batch(i, &kind, &count) || count == 0) {
            continue;
        }
        if (kind == TAUT_SURFACE) {
            in_air_.push_back({(uint32_t)i + 1});
        } else {
            add_batch(s, i, kind, count);
        }
    }
    reset(s);
}

// Of the first object in air; all others get it, too, once it is changed.
static void read_wind(const Simulation& s, float (&wind)[3]) {
    for (size_t i = 0; i < s.file().object_count; i++) {
        const scene_object& o = s.file().objects[i];
        const surface_spec* surface = o.type == OBJECT_CLOTH  ? &o.as.cloth.surface
                                      : o.type == OBJECT_SOFT ? &o.as.soft.surface
                                                              : nullptr;
        if (surface && surface->given) {
            std::copy(surface->wind, surface->wind + 3, wind);
            return;
        }
    }
}

void Tuning::reset(const Simulation& s) {
    const taut_world_def& world = s.file().world;
    settings = {};
    read_wind(s, settings.wind);
    for (int a = 0; a < 3; a++) {
        settings.gravity[a] = (float)world.gravity[a];
    }
    settings.mass_damping = (float)world.integrator.mass_damping;
    settings.substeps = (int)world.integrator.substeps;
    settings.max_iterations = (int)world.solver.max_iterations;
    settings.tolerance_decade = (float)std::log10(world.solver.tolerance);
    for (TunedBatch& b : batches) {
        b.decades = b.damping = 0;
        b.added = TunedBatch::hard;
        b.changed = b.damping_changed = false;
    }
}

/* ---- what has changed ----------------------------------------------------------------------------------------- */

// The values of soft ones are multiplied; those of hard ones are 0.
static taut_status send_values(Simulation& s, const TunedBatch& b) {
    Retuned to;
    to.factor = b.soft ? std::pow(10.0, b.decades) : 1;
    to.added = !b.soft && b.added > TunedBatch::hard ? std::pow(10.0, b.added) : 0;
    std::vector<double> values = b.values;
    for (double& v : values) {
        v = v * to.factor + to.added;
    }
    if (b.kind == TAUT_SOLID) {
        return taut_world_set_moduli(s.world(), b.batch, 0, b.count(), values.data(), nullptr);
    }
    s.retune(b.batch, to);
    return taut_world_set_compliances(s.world(), b.batch, 0, b.count(), values.data());
}

static taut_status send_batch(Simulation& s, TunedBatch& b) {
    taut_status status = b.changed ? send_values(s, b) : TAUT_OK;
    if (status == TAUT_OK && b.damping_changed) {
        const std::vector<double> values(b.count(), b.damping);
        status = taut_world_set_dampings(s.world(), b.batch, 0, b.count(), values.data());
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
    taut_status status = settings.changed ? send_settings(s, settings) : TAUT_OK;
    const double wind[3] = {settings.wind[0], settings.wind[1], settings.wind[2]};
    for (taut_batch batch : in_air_) {
        status = status == TAUT_OK && settings.wind_changed ? taut_world_set_wind(s.world(), batch, wind) : status;
    }
    for (TunedBatch& b : batches) {
        status = status == TAUT_OK ? send_batch(s, b) : status;
    }
    settings.changed = settings.wind_changed = false;
    return status == TAUT_OK || report_fail(r, "%s", taut_last_error());
}
