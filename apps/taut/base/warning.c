#include "base/warning.h"

#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>

void warning_print(const char* format, ...) {
    report sentence = {0};
    char text[sizeof sentence.text];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)report_fail(&sentence, "%s", text);
    (void)fprintf(stderr, "taut: warning: %s\n", sentence.text);
}
