/* A task system as a program may have one: threads that take items from a counter. */
#ifndef TAUT_TEST_TASK_POOL_H
#define TAUT_TEST_TASK_POOL_H

#include <taut/taut.h>

typedef struct task_pool task_pool;

/* `workers` threads work at the same time, the calling one among them. Ends the program where there are none. */
task_pool* task_pool_open(uint32_t workers);
void task_pool_close(task_pool* pool);
taut_tasks task_pool_tasks(task_pool* pool);
/* Loops that it has run, and items of them. */
void task_pool_counts(const task_pool* pool, size_t* loops, size_t* items);

/* Threads of this process; 0 where the system does not tell. */
int count_threads(void);

#endif
