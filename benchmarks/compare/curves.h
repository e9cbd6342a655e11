/* The two modes: one step within growing budgets, and a motion of many frames. */
#ifndef COMPARE_CURVES_H
#define COMPARE_CURVES_H

#include "compare_rows.h"
#include "methods.h"

typedef struct curve_settings {
    double seconds;     /* a curve ends with the step that took longer */
    double least_error; /* and with the one that came so near */
    int repeats;        /* of steps much shorter than `seconds`, for the median time; 9 at most */
    size_t frames;
} curve_settings;

typedef void curve_receiver(void* user, const compare_row* row);

/* Where all methods start and what they are measured against; references are made when a method first needs them. */
typedef struct curve_case curve_case;

/* After `prepare` steps of some of Newton's iterations from the model's positions at rest; `compare_nonlinear`: whether
 * errors from the nonlinear step are wanted of linear methods. */
curve_case* curve_case_make(const step_problem* p, size_t prepare, bool compare_nonlinear);
void curve_case_free(curve_case* c);

/* Budgets from the least on, each from the same state, cold. */
void curve_step(curve_case* c, const curve_settings* settings, const compared_method* m, curve_receiver* receive,
                void* user);
/* A few budgets, `frames` steps each. */
void curve_frames(curve_case* c, const curve_settings* settings, const compared_method* m, curve_receiver* receive,
                  void* user);

#endif
