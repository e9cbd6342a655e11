/* An allocator that counts, checks the sizes it gets back, and can refuse the k-th request. */
#ifndef TAUT_TEST_COUNTING_H
#define TAUT_TEST_COUNTING_H

#include <taut/taut.h>

typedef struct counting {
    size_t requests; /* so far */
    size_t live;     /* blocks not given back */
    size_t live_bytes;
    size_t refuse_from; /* refuses request number refuse_from (from 1) and every later one; 0: never */
    bool misuse;        /* a block came back with another size, or misaligned requests were made */
} counting;

taut_allocator counting_allocator(counting* state);

#endif
