/* Ctrl-C, SIGTERM and SIGHUP end a run after the frame at hand, so that all files can be completed. */
#ifndef TAUT_APP_INTERRUPT_H
#define TAUT_APP_INTERRUPT_H

#include "taut/taut.h"

/* What the caller of the program ignores stays ignored: SIGHUP under nohup, SIGINT of a shell's background jobs. */
void interrupt_watch(void);
/* SIGALRM comes after so many seconds. After a tenth more it stops the step under way; where the program has not ended
 * after twice as long, it is ended with status 1. */
void interrupt_after(unsigned seconds);
/* The world whose steps are stopped then; NULL: none. */
void interrupt_stops(taut_world* world);
/* The first signal that came, 0 if none. A second Ctrl-C ends the program at once; other signals may repeat. */
int interrupt_signal(void);

#endif
