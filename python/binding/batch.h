/* A batch as Python holds it. */
#ifndef TAUT_PYTHON_BATCH_H
#define TAUT_PYTHON_BATCH_H

#include <cstdint>

struct Batch {
    uint32_t id; /* 0: none */
};

#endif
