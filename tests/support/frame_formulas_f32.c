/* The formulas of frames and mapped points in the precision of the solver. */
#define TAUT_REAL   float
#define FRAME_TABLE frames_f32
#include "frame_formulas.h"
