/* Scenes and worlds as Python holds them. A world lives as long as a view of it does. */
#ifndef TAUT_PYTHON_HANDLES_H
#define TAUT_PYTHON_HANDLES_H

#include "batch.h"
#include "fields.h"
#include "scene_shapes.h"

#include <atomic>
#include <memory>
#include <utility>

/* Marks a scene or world as in use by this thread; the library does not allow two at the same time. */
class Use {
  public:
    explicit Use(std::atomic<bool>& busy) : busy_(busy) {
        if (busy_.exchange(true)) {
            throw std::runtime_error("another thread uses this scene or world at the moment");
        }
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() { busy_ = false; }

  private:
    std::atomic<bool>& busy_;
};

struct Loaded;

/* No two scenes of a process have the same. */
inline uint64_t next_scene_number() {
    static std::atomic<uint64_t> last{0};
    return ++last;
}

/* A scene, alone or within what a scene file has made. */
struct Scene {
    std::shared_ptr<taut_scene> owned;
    std::shared_ptr<std::atomic<bool>> busy = std::make_shared<std::atomic<bool>>(false);
    std::shared_ptr<Shapes> shapes = std::make_shared<Shapes>();
    uint64_t number = next_scene_number(); /* by which its batches know it */

    /* To add to; worlds go on to have what there was. */
    Shapes& own_shapes() {
        if (shapes.use_count() > 1) {
            shapes = std::make_shared<Shapes>(*shapes);
        }
        return *shapes;
    }
    taut_scene* get() const {
        if (!owned) {
            throw nb::value_error("the scene is closed");
        }
        return owned.get();
    }
    /* Not while another thread makes a world of it. */
    void close() {
        const Use use(*busy);
        owned.reset();
    }
};

/* What belongs to one taut_world. */
struct WorldState {
    taut_world* world = nullptr;
    std::atomic<bool> busy{false};
    bool closed = false; /* hands and records have it, too */
    taut_integrator integrator = {};
    taut_solver solver = {};
    std::array<double, 3> gravity = {}; /* m/s^2 */
    uint64_t scene = 0;                 /* Scene::number of that which it was made of */
    std::vector<taut_kind> kinds;       /* of batches, by id - 1 */
    std::vector<size_t> counts;         /* of their constraints */
    PyObject* log = nullptr;            /* that of the worlds that hold this; NULL: nothing is told */
    uint64_t linearisations = 0;
    double budget = 0;       /* s a frame, of the world of a file; 0: none */
    bool keep = false;       /* views may point to what is released now */
    std::vector<void*> kept; /* until the world ends */

    WorldState() = default;
    WorldState(const WorldState&) = delete;
    WorldState& operator=(const WorldState&) = delete;
    ~WorldState();
};

struct World {
    std::shared_ptr<WorldState> state;
    std::shared_ptr<Loaded> file; /* the scene file that moves things in it, if there is one */
    std::shared_ptr<const Shapes> shapes;
    std::weak_ptr<taut_scene> scene; /* that it was made of, as long as that is there */
    nb::object log;                  /* called with level and message, or none; each copy has its own reference */

    WorldState& get() const {
        if (closed()) {
            throw nb::value_error("the world is closed");
        }
        return *state;
    }
    bool closed() const { return !state || state->closed; }
    /* Not while a call runs on it, which another thread may have made. */
    void close() {
        const std::shared_ptr<WorldState> ending = state; /* the world ends after its use */
        if (ending) {
            const Use use(ending->busy);
            ending->closed = true;
            state.reset();
        }
    }
};

inline World& world_in(World& w) {
    return w;
}
template <class Holder> World& world_in(Holder& holder) {
    return holder.world;
}

/* Python's collector finds and breaks cycles of a world and a log function that reaches it. */
template <class T> int visit_log(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) {
        Py_VISIT(world_in(*nb::inst_ptr<T>(self)).log.ptr());
    }
    return 0;
}

template <class T> int clear_log(PyObject* self) {
    if (nb::inst_ready(self)) {
        World& w = world_in(*nb::inst_ptr<T>(self));
        if (w.state) {
            w.state->log = nullptr;
        }
        const nb::object gone = std::move(w.log);
    }
    return 0;
}

/* Slots of types that hold a world. */
template <class T>
inline PyType_Slot log_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(&visit_log<T>)},
    {Py_tp_clear, reinterpret_cast<void*>(&clear_log<T>)},
    {0, nullptr},
};

/* Calls a function of the library on a world, open or closed, without the lock of Python's interpreter. */
template <class Call> void with_state(WorldState& s, Call&& call) {
    taut_status status;
    std::string sentence;
    {
        Use use(s.busy);
        nb::gil_scoped_release released;
        status = call(s.world);
        if (status != TAUT_OK) {
            sentence = taut_last_error();
        }
    }
    if (status != TAUT_OK) {
        raise_error(status, sentence.c_str());
    }
}

template <class Call> void with_world(const World& w, Call&& call) {
    with_state(w.get(), std::forward<Call>(call));
}

/* The world of a scene by a definition that has its defaults, or those of a file. */
World make_world(const Scene& scene, taut_world_def def, const nb::dict& given);

void bind_scene(nb::module_& m);
void bind_adders(nb::class_<World>& c);
void bind_world(nb::module_& m);
void bind_state(nb::class_<World>& c);
void bind_queries(nb::class_<World>& c);
void bind_assembly(nb::module_& m, nb::class_<World>& c);
void bind_files(nb::module_& m);
void bind_gradients(nb::module_& m);
void bind_device_arrays(nb::module_& m);

/* The number of the device that memory lies on. */
int device_of(const void* memory);

#endif
