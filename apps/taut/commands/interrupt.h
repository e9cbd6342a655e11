/* Ctrl-C and SIGTERM end a run after the frame at hand, so that all files can be completed. */
#ifndef TAUT_APP_INTERRUPT_H
#define TAUT_APP_INTERRUPT_H

void interrupt_watch(void);
/* The signal that came, 0 if none. A second one ends the program at once. */
int interrupt_signal(void);

#endif
