/* The solver's products: float32 arithmetic. */
#define TAUT_REAL      float
#define SUFFIXED(name) name##_f32
#include "host/cpu/cpu_apply_loops.h"
