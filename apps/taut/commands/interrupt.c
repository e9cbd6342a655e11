#include "commands/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void remember(int signal_number) {
    if (!caught) {
        caught = signal_number;
    }
}

/* Writes go on after a signal: without SA_RESTART one could fail. */
static void watch(int signal_number, int flags) {
    struct sigaction before, action = {.sa_handler = remember, .sa_flags = flags | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(signal_number, &action, NULL);
    }
}

void interrupt_watch(void) {
    watch(SIGINT, (int)SA_RESETHAND);
    watch(SIGTERM, 0);
    watch(SIGHUP, 0);
}

/* A run that is not over is stopped within a frame when another part of its time has passed, and ended after twice of
 * it: what it has written so far stays in the .part files. */
#define PARTS 10

static volatile sig_atomic_t alarms;
static taut_world* volatile steps;

static void end_late(int signal_number) {
    static const char sentence[] = "taut: ended at twice --max-seconds, in the middle of a step\n";
    taut_world* world = steps;
    alarms = alarms + 1;
    if (alarms > PARTS) {
        const ssize_t ignored = write(STDERR_FILENO, sentence, sizeof sentence - 1);
        (void)ignored;
        _exit(1);
    }
    if (alarms > 1 && world != NULL) {
        taut_world_stop(world);
    }
    remember(signal_number);
}

void interrupt_after(unsigned seconds) {
    const time_t part = (time_t)(seconds / PARTS);
    const suseconds_t rest = (suseconds_t)(seconds % PARTS) * (1000000 / PARTS);
    const struct itimerval timer = {{part, rest}, {(time_t)seconds, 0}};
    struct sigaction action = {.sa_handler = end_late, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

void interrupt_stops(taut_world* world) {
    steps = world;
}

int interrupt_signal(void) {
    return (int)caught;
}
