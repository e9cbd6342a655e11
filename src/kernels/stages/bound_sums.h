/* What a pass has found at rows with bounds. */
#ifndef TAUT_STAGE_BOUND_SUMS_H
#define TAUT_STAGE_BOUND_SUMS_H

/* Sums over rows, as an array where they are added up: the function that passes of the Schur complement lower,
 * 1/2 gam.S gam - b.gam; the squared projected residual of rows with bounds; rows whose hold has changed. */
typedef struct taut_bound_sums {
    double objective, complementarity, changed;
} taut_bound_sums;

#endif
