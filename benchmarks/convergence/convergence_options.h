/* The command line of taut-convergence. */
#ifndef CONVERGENCE_OPTIONS_H
#define CONVERGENCE_OPTIONS_H

#include "cases.h"
#include "convergence_run.h"
#include "option_values.h"

typedef struct asked_case {
    const convergence_case* scene;
    const char* file; /* NULL of generated ones */
} asked_case;

/* Lists that are empty are the scene's own. */
typedef struct convergence_options {
    asked_case scenes[OPTIONS_MOST];
    size_t scene_count;
    size_t sizes[OPTIONS_MOST], size_count;
    double compliances[OPTIONS_MOST];
    size_t compliance_count;
    taut_method methods[OPTIONS_MOST];
    size_t method_count;
    taut_preconditioner preconditioners[OPTIONS_MOST];
    size_t preconditioner_count;
    taut_cycle cycles[OPTIONS_MOST];
    size_t cycle_count;
    taut_geometric_stiffness geometrics[OPTIONS_MOST];
    size_t geometric_count;
    double tolerances[OPTIONS_MOST]; /* largest first */
    size_t tolerance_count;
    run_settings settings;
    const char* csv; /* NULL: none */
    bool smoke;
} convergence_options;

/* Says what is wrong in one line on stderr, or prints the help; `options` is complete where the verdict is to run. */
options_verdict convergence_options_read(int argc, char** argv, convergence_options* options);

#endif
