/* A square sheet that hangs from two corners, as a formula. */
#ifndef CONVERGENCE_DRAPE_H
#define CONVERGENCE_DRAPE_H

typedef struct drape drape;

/* `stretch`: the strain along the rulings at the upper edge; it falls to zero at the lower one. */
drape* drape_make(double stretch);
void drape_free(drape* d);

/* Place of the point (u, v) of the flat sheet, both in [0, 1] m, v downwards from the edge that hangs. */
void drape_at(const drape* d, double u, double v, double out[3]);

#endif
