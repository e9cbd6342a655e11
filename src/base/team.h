/* Threads that run the parts of a loop together. Those that a thread has started belong to it, and wait for its next
 * loop: for a moment awake, then asleep, so that they take no time from other programs. A part that no thread has taken
 * yet is anyone's, so that a loop never waits for a thread that has no core. */
#ifndef TAUT_BASE_TEAM_H
#define TAUT_BASE_TEAM_H

#include <stdint.h>

/* Threads of a loop at most. */
#define TAUT_TEAM_MOST 256

typedef void taut_team_part(void* loop, uint32_t part);

/* Calls part(loop, i) once for each i of [0, parts), on this thread and up to `threads` - 1 others. Equal shares of
 * neighbouring parts go to the same threads every time, as long as these come. Within a part: on this thread alone. */
void taut_team_run(uint32_t threads, uint32_t parts, taut_team_part* part, void* loop);

/* Processors that this process may use. */
uint32_t taut_processors(void);

#endif
