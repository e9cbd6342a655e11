/* Reports of the device to the host without a wait: a ring in pinned memory. A kernel writes the next slot between two
 * sequence numbers; the host takes the newest slot whose numbers agree. */
#ifndef TAUT_CUDA_MAILBOX_CUH
#define TAUT_CUDA_MAILBOX_CUH

#include "kernels/cuda/device.cuh"

/* The host's copy of a slot is spoiled only if so many reports but one arrive while it is made; then it tries again. */
#define TAUT_MAILBOX_SLOTS 4

typedef struct taut_mailbox {
    taut_letter* host;   /* TAUT_MAILBOX_SLOTS, pinned */
    taut_letter* device; /* the same memory */
} taut_mailbox;

#ifdef __CUDACC__

/* The report as it is, by one thread. */
__device__ inline void send_report(taut_control* control, taut_letter* slots) {
    const unsigned long long number = ++control->letters;
    taut_letter* slot = &slots[number % TAUT_MAILBOX_SLOTS];
    *(volatile unsigned long long*)&slot->begun = number;
    __threadfence_system();
    slot->report = control->report;
    __threadfence_system();
    *(volatile unsigned long long*)&slot->done = number;
}

#endif

cudaError_t mailbox_open(taut_mailbox* mailbox);
void mailbox_close(taut_mailbox* mailbox);
/* The newest report; untouched before the first. */
void mailbox_read(const taut_mailbox* mailbox, taut_report* report);

#endif
