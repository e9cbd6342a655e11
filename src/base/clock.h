/* The time of the wall, from some moment on. */
#ifndef TAUT_BASE_CLOCK_H
#define TAUT_BASE_CLOCK_H

double taut_seconds(void);

#endif
