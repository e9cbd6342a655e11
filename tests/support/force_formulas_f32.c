/* The formulas of force elements in the precision of the solver. */
#define TAUT_REAL   float
#define FORCE_TABLE forces_f32
#include "force_formulas.h"
