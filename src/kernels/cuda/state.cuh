/* The CUDA backend's state, and the parts of it that live in files of their own. */
#ifndef TAUT_CUDA_STATE_CUH
#define TAUT_CUDA_STATE_CUH

#include "kernels/cuda/blas.cuh"
#include "kernels/cuda/collide.cuh"
#include "kernels/cuda/device.cuh"
#include "kernels/cuda/mailbox.cuh"
#include "kernels/cuda/uploads.cuh"

/* Sets of parameters in device memory. */
enum {
    TAUT_PARAMS_STEP,
    TAUT_PARAMS_INSPECT,
    TAUT_PARAMS_JOINED,
    TAUT_PARAMS_RETUNED,
    TAUT_PARAMS_LIVE, /* of the attempt under way, where steps are guarded */
    TAUT_PARAMS_COUNT
};
/* Of each as many as the guard has levels; without it the first counts. */
#define TAUT_LEVELS_OF_PARAMS (TAUT_GUARD_SAFE + 1)

static inline const taut_device_params* params_of(const taut_device_params* all, int which) {
    return all + which * TAUT_LEVELS_OF_PARAMS;
}

struct taut_backend_state {
    taut_plan* plan;
    taut_allocator allocator;
    int device;
    taut_view view;    /* of steps */
    taut_view inspect; /* of linearisations: the same with parameters of its own */
    taut_view joined;  /* of steps in graphs of the user's: likewise */
    taut_levels levels;
    void* block; /* device copy of the plan's block */
    void* extra; /* device: parameters, control, partial sums, description of the levels */
    taut_mailbox mailbox;
    taut_uploads uploads;
    cudaStream_t stream; /* where all work goes */
    cudaStream_t own;    /* NULL where the user gave one */
    cudaStream_t side;   /* captures the step */
    cudaGraph_t source;  /* of the graph: the handles of its loops live as long as it does */
    cudaGraphExec_t graph;
    taut_scheme captured;                         /* of the graph */
    taut_scheme joined_scheme;                    /* of the user's */
    uint32_t joins;                               /* into graphs of the user's, and changes for those */
    taut_device_params params[TAUT_PARAMS_COUNT]; /* as on the device, the first level; all 0: not set yet */
    taut_blas blas;
    taut_collide_scratch collide;
    cudaError_t fault; /* the first of what had nobody to be reported to */
    const char* fault_place;
};

/* Makes the device of a world the thread's current one until the end of the scope. */
class taut_device_scope {
  public:
    explicit taut_device_scope(int device) : before_(device), device_(device), error_(cudaGetDevice(&before_)) {
        if (error_ == cudaSuccess && before_ != device_) {
            error_ = cudaSetDevice(device_);
        }
    }
    ~taut_device_scope() {
        if (before_ != device_) {
            cudaSetDevice(before_);
        }
    }
    taut_device_scope(const taut_device_scope&) = delete;
    taut_device_scope& operator=(const taut_device_scope&) = delete;
    cudaError_t error() const { return error_; }

  private:
    int before_, device_;
    cudaError_t error_;
};

static inline int levels_of_params(const taut_backend_state* s) {
    return s->plan->settings.integrator.guard ? TAUT_LEVELS_OF_PARAMS : 1;
}

/* Captures the step where there is no graph of the present structure. */
taut_status step_graph_prepare(taut_backend_state* s);
taut_status step_graph_launch(taut_backend_state* s);
void step_graph_drop(taut_backend_state* s);
/* The step into the capture that is under way on the stream. */
taut_status step_graph_join(taut_backend_state* s, const taut_device_params params[TAUT_LEVELS_OF_PARAMS]);

#endif
