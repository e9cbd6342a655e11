/* Reports of the device to the host without a wait: a ring in pinned memory. A kernel writes the next slot between two
 * sequence numbers; the host takes the newest slot whose numbers agree. */
#ifndef TAUT_MAILBOX_CUH
#define TAUT_MAILBOX_CUH

#include "kernels/device.cuh"

/* The host's copy of a slot is spoiled only if so many reports but one arrive while it is made; then it tries again. */
#define TAUT_MAILBOX_SLOTS 4

typedef struct taut_letter {
    unsigned long long begun; /* 1 for the first report; 0: none yet */
    unsigned long long done;
    taut_report report;
} taut_letter;

typedef struct taut_mailbox {
    taut_letter* host;   /* TAUT_MAILBOX_SLOTS, pinned */
    taut_letter* device; /* the same memory */
} taut_mailbox;

cudaError_t mailbox_open(taut_mailbox* mailbox);
void mailbox_close(taut_mailbox* mailbox);
/* Enqueues the report as it then is. */
void mailbox_send(const taut_mailbox* mailbox, const taut_view& view, taut_launch* launch);
/* The newest report; untouched before the first. */
void mailbox_read(const taut_mailbox* mailbox, taut_report* report);

#endif
