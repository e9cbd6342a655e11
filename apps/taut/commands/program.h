/* What the commands of the tool share: exit status, command table, options. */
#ifndef TAUT_APP_PROGRAM_H
#define TAUT_APP_PROGRAM_H

#include "base/report.h"

#include "taut/taut.h"

typedef enum exit_code {
    EXIT_DONE = 0,
    EXIT_SIMULATION = 1, /* diverged, or did not converge where the scene demands it */
    EXIT_INPUT = 2,      /* bad usage, a bad scene, one with too little memory, a file that cannot be read or written */
    EXIT_BACKEND = 3,    /* the asked-for backend is not available */
    EXIT_SIGNAL = 128    /* plus the number of the signal that ended the run early */
} exit_code;

/* Commands: argv[0] is the command's name. */
int run_command(int argc, char** argv);
int check_command(int argc, char** argv);
int assemble_command(int argc, char** argv);
int info_command(int argc, char** argv);
int bench_command(int argc, char** argv);
int view_command(int argc, char** argv); /* `view` and `render` */

/* Prints the sentence on stderr and returns the code. */
int fail_with(exit_code code, const report* r);

#endif
