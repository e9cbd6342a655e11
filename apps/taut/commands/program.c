#include "commands/program.h"

#include <stdio.h>

int fail_with(exit_code code, const report* r) {
    fprintf(stderr, "%s\n", r->text);
    return (int)code;
}
