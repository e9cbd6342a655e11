/* Motors without a largest force, and what hangs together with them (kernels/stages/contact/stalling.h). */
#ifndef TAUT_COMPILE_EAGER_H
#define TAUT_COMPILE_EAGER_H

#include "host/compile/ordering.h"
#include "host/compile/topology.h"

uint32_t eager_count(const taut_scene* scene);
/* After laws and bounds of rows, of which it bounds those. */
taut_status eager_fill(const topology* t, const ordering* order, const taut_allocator* allocator, taut_plan* plan);

#endif
