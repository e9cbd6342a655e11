/* What a user should know of an input that is read all the same. */
#ifndef TAUT_APP_WARNING_H
#define TAUT_APP_WARNING_H

/* One line on standard error: 'taut: warning: ...', control characters replaced. */
void warning_print(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Takes the sentences of this thread in place of standard error; NULL: none does. */
typedef void (*warning_sink)(const char* sentence, void* user);
void warning_send(warning_sink sink, void* user);

#endif
