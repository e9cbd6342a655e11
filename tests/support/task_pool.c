#define _POSIX_C_SOURCE 200809L
#include "task_pool.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST = 16 };

struct task_pool {
    uint32_t workers;
    pthread_t threads[MOST];
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    taut_task_fn* task;
    void* argument;
    uint32_t count, busy;
    _Atomic uint32_t next;
    size_t loops, items;
    bool over;
};

/* The last item first: no order may matter. */
static void take_items(task_pool* pool) {
    for (;;) {
        const uint32_t taken = atomic_fetch_add(&pool->next, 1);
        if (taken >= pool->count) {
            return;
        }
        pool->task(pool->argument, pool->count - 1 - taken);
    }
}

static void* work(void* data) {
    task_pool* pool = data;
    size_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->loops == seen && !pool->over) {
            pthread_cond_wait(&pool->begin, &pool->lock);
        }
        if (pool->over) {
            break;
        }
        seen = pool->loops;
        pthread_mutex_unlock(&pool->lock);
        take_items(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) {
            pthread_cond_signal(&pool->end);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void run(void* context, uint32_t count, taut_task_fn* task, void* argument) {
    task_pool* pool = context;
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->argument = argument;
    pool->count = count;
    pool->busy = pool->workers - 1;
    pool->next = 0;
    pool->loops++;
    pool->items += count;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    take_items(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy > 0) {
        pthread_cond_wait(&pool->end, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

task_pool* task_pool_open(uint32_t workers) {
    task_pool* pool = calloc(1, sizeof *pool);
    if (pool == NULL || workers == 0 || workers > MOST) {
        abort();
    }
    pool->workers = workers;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    for (uint32_t i = 1; i < workers; i++) {
        if (pthread_create(&pool->threads[i], NULL, work, pool) != 0) {
            abort();
        }
    }
    return pool;
}

void task_pool_close(task_pool* pool) {
    pthread_mutex_lock(&pool->lock);
    pool->over = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 1; i < pool->workers; i++) {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    free(pool);
}

taut_tasks task_pool_tasks(task_pool* pool) {
    return (taut_tasks){run, pool, pool->workers};
}

void task_pool_counts(const task_pool* pool, size_t* loops, size_t* items) {
    *loops = pool->loops;
    *items = pool->items;
}

int count_threads(void) {
    DIR* folder = opendir("/proc/self/task");
    int count = 0;
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count > 2 ? count - 2 : 0; /* without . and .. */
}
