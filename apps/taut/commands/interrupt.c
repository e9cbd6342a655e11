#include "commands/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void remember(int signal_number) {
    if (!caught) {
        caught = signal_number;
    }
}

/* Writes go on after a signal: without SA_RESTART one could fail. */
static void watch(int signal_number, int flags) {
    struct sigaction action = {.sa_handler = remember, .sa_flags = flags | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void interrupt_watch(void) {
    struct sigaction hangup;
    watch(SIGINT, (int)SA_RESETHAND);
    watch(SIGTERM, 0);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        watch(SIGHUP, 0);
    }
}

int interrupt_signal(void) {
    return (int)caught;
}
