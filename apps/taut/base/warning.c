#include "base/warning.h"

#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local warning_sink sink_of_thread;
static _Thread_local void* user_of_thread;

void warning_send(warning_sink sink, void* user) {
    sink_of_thread = sink;
    user_of_thread = user;
}

void warning_print(const char* format, ...) {
    report sentence = {0};
    char text[sizeof sentence.text];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)report_fail(&sentence, "%s", text);
    if (sink_of_thread) {
        sink_of_thread(sentence.text, user_of_thread);
        return;
    }
    (void)fprintf(stderr, "taut: warning: %s\n", sentence.text);
}
