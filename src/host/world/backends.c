/* Which backends and devices there are, and the choice among them. */
#include "base/memory.h"
#include "base/status.h"
#include "host/world/world_data.h"

#include <stdio.h>

taut_status taut_backend_available(taut_backend_kind backend) {
    switch (backend) {
    case TAUT_BACKEND_AUTO:
    case TAUT_BACKEND_CPU:
        return TAUT_OK;
    case TAUT_BACKEND_CUDA:
#ifdef TAUT_WITH_CUDA
        return taut_cuda_backend.available();
#else
        return taut_fail(TAUT_BACKEND_UNAVAILABLE, "the CUDA backend is not built into this library.");
#endif
    }
    return taut_fail(TAUT_INVALID_ARGUMENT, "backend %d does not exist.", (int)backend);
}

int taut_cuda_device_count(void) {
#ifdef TAUT_WITH_CUDA
    return taut_cuda_devices();
#else
    return 0;
#endif
}

taut_status taut_cuda_device_describe_sized(int device, taut_device_info* info, size_t size) {
    const int count = taut_cuda_device_count();
    if (info == NULL || device < 0 || device >= count) {
        return taut_fail(TAUT_INVALID_ARGUMENT, "CUDA device %d does not exist (there are %d), or info is NULL.",
                         device, count);
    }
#ifdef TAUT_WITH_CUDA
    taut_device_info known = {{0}, 0, 0, 0, 0};
    const taut_status status = taut_cuda_describe(device, &known);
    if (status == TAUT_OK) {
        taut_copy_sized(info, size, &known, sizeof known);
    }
    return status;
#else
    (void)size;
    return TAUT_BACKEND_UNAVAILABLE;
#endif
}

static taut_status check_direct(const taut_world_def* def) {
    if (def->backend == TAUT_BACKEND_CUDA) {
        return taut_fail(TAUT_INVALID_DEFINITION, "solver: the direct method is for the CPU backend only.");
    }
    return taut_direct_available();
}

static taut_status check_sleep(const taut_world_def* def) {
    return def->backend == TAUT_BACKEND_CUDA && def->sleep.speed > 0
               ? taut_fail(TAUT_INVALID_DEFINITION, "sleep: nothing sleeps on CUDA; sleep.speed must be 0 there.")
               : TAUT_OK;
}

taut_status world_choose_backend(const taut_world_def* def, const taut_backend** backend) {
    const bool direct = def->solver.method == TAUT_METHOD_DIRECT;
    taut_status status = direct ? check_direct(def) : TAUT_OK;
    status = status == TAUT_OK ? check_sleep(def) : status;
    if (status == TAUT_OK) {
        status = taut_backend_available(def->backend);
    }
    if (status != TAUT_OK) {
        return status;
    }
    *backend = &taut_cpu_backend;
#ifdef TAUT_WITH_CUDA
    if (def->backend == TAUT_BACKEND_CUDA || (def->backend == TAUT_BACKEND_AUTO && !direct && !(def->sleep.speed > 0) &&
                                              taut_cuda_backend.available() == TAUT_OK)) {
        *backend = &taut_cuda_backend;
    }
    if (*backend == &taut_cuda_backend) {
        const taut_status admitted = taut_cuda_admits(def->cuda_device, def->cuda_stream);
        if (admitted != TAUT_OK) {
            return admitted;
        }
    }
#endif
    return TAUT_OK;
}

void world_tell_backend(const taut_world_def* def, const taut_backend* backend, const char* reason) {
    if (def->backend == TAUT_BACKEND_AUTO && def->log != NULL) {
        char text[512];
        snprintf(text, sizeof text, "backend: %s%s%s", backend->name, reason != NULL ? ", since " : ".",
                 reason != NULL ? reason : "");
        def->log(reason != NULL ? TAUT_LOG_WARNING : TAUT_LOG_INFO, text, def->log_user);
    }
}
