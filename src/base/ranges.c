#include "base/ranges.h"

#include <stddef.h>

#ifdef TAUT_WITH_NVTX

#include <nvtx3/nvToolsExt.h>

void* taut_ranges_open(void) {
    return nvtxDomainCreateA("taut");
}

void taut_ranges_close(void* ranges) {
    if (ranges != NULL) {
        nvtxDomainDestroy((nvtxDomainHandle_t)ranges);
    }
}

void taut_range_push(void* ranges, const char* name) {
    const nvtxEventAttributes_t range = {.version = NVTX_VERSION,
                                         .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                         .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                         .message.ascii = name};
    nvtxDomainRangePushEx((nvtxDomainHandle_t)ranges, &range);
}

void taut_range_pop(void* ranges) {
    nvtxDomainRangePop((nvtxDomainHandle_t)ranges);
}

#else

void* taut_ranges_open(void) {
    return NULL;
}

void taut_ranges_close(void* ranges) {
    (void)ranges;
}

void taut_range_push(void* ranges, const char* name) {
    (void)ranges;
    (void)name;
}

void taut_range_pop(void* ranges) {
    (void)ranges;
}

#endif
