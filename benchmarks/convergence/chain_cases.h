/* Hard chains, held at one end, 0.1 rad off the vertical. */
#ifndef CONVERGENCE_CHAIN_CASES_H
#define CONVERGENCE_CHAIN_CASES_H

#include "springs.h"

springs make_chain(size_t links, double compliance);
/* With 1e5 times its mass at its end. */
springs make_loaded_chain(size_t links, double compliance);

#endif
