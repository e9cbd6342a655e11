#include "chain_cases.h"

#include <math.h>

#define LENGTH 1.0 /* m */
#define MASS   0.1 /* kg */
#define TILT   0.1 /* rad */
#define RATIO  1e5

springs make_chain(size_t links, double compliance) {
    springs s = springs_make(links + 1);
    const double link = LENGTH / (double)links;
    for (size_t i = 0; i <= links; i++) {
        s.positions[3 * i] = link * (double)i * sin(TILT);
        s.positions[3 * i + 1] = -link * (double)i * cos(TILT);
        s.masses[i] = MASS / (double)links;
        if (i > 0) {
            springs_add(&s, (uint32_t)(i - 1), (uint32_t)i, link, compliance);
        }
    }
    s.fixed[0] = true;
    return s;
}

springs make_loaded_chain(size_t links, double compliance) {
    springs s = make_chain(links, compliance);
    s.masses[links] += RATIO * MASS;
    return s;
}
