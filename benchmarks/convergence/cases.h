/* The scenes of the convergence benchmark. */
#ifndef CONVERGENCE_CASES_H
#define CONVERGENCE_CASES_H

#include <taut/taut.h>

#define CASES_SIZES 4

typedef struct convergence_case {
    const char* name;
    const char* text;  /* one line for --help */
    double compliance; /* where none is asked for */
    bool from_file;
    size_t sizes[CASES_SIZES]; /* where none are asked for; 0 ends them unless it is the first */
    size_t least;              /* size; of files: refinements */
    size_t smoke;              /* the size that shows in seconds that all runs */
    /* The caller destroys the scene; `vertices` receives its particles. */
    taut_scene* (*make)(size_t size, double compliance, const char* file, size_t* vertices);
} convergence_case;

extern const convergence_case convergence_cases[];
extern const size_t convergence_case_count;

#endif
