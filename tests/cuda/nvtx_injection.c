#include "nvtx_injection.h"

#include <nvtx3/nvToolsExt.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* Handles of domains are our own to choose. */
static struct nvtxDomainRegistration_st { int number; } ours, others;

static char text[1 << 16];
static int depth, domains;

EXPORT const char* ranges_text(void) {
    return text;
}

EXPORT void ranges_clear(void) {
    text[0] = '\0';
}

EXPORT int ranges_depth(void) {
    return depth;
}

EXPORT int ranges_domains(void) {
    return domains;
}

static void append(const char* more) {
    strncat(text, more, sizeof text - strlen(text) - 1);
}

static nvtxDomainHandle_t NVTX_API create_domain(const char* name) {
    const int is_ours = strcmp(name, "taut") == 0;
    domains += is_ours;
    return is_ours ? &ours : &others;
}

static void NVTX_API destroy_domain(nvtxDomainHandle_t domain) {
    domains -= domain == &ours;
}

static int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) {
    if (domain != &ours) {
        return 0;
    }
    append(range->messageType == NVTX_MESSAGE_TYPE_ASCII ? range->message.ascii : "?");
    append("(");
    return depth++;
}

static int NVTX_API pop(nvtxDomainHandle_t domain) {
    if (domain != &ours) {
        return 0;
    }
    append(")");
    return --depth;
}

/* Called by NVTX for each library that uses it, at its first range. */
EXPORT int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of);
EXPORT int NVTX_API InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
    const NvtxExportTableCallbacks* callbacks = table_of(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned int size = 0;
    if (callbacks == NULL || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ||
        size <= NVTX_CBID_CORE2_DomainDestroy) {
        return 0;
    }
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create_domain;
    *table[NVTX_CBID_CORE2_DomainDestroy] = (NvtxFunctionPointer)destroy_domain;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    return 1;
}
