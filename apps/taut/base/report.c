#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>

bool report_fail(report* r, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(r->text, sizeof r->text, format, arguments);
    va_end(arguments);
    for (char* c = r->text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == 0x7f) {
            *c = '?';
        }
    }
    return false;
}
