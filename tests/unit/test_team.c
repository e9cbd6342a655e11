/* Threads that share the parts of a loop (base/team.h). */
#define _DEFAULT_SOURCE /* usleep */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/team.h"
#include "harness.h"
#include "task_pool.h"

enum { MOST_PARTS = 1000, LOOPS = 20000, CALLERS = 3 };

typedef struct counted {
    _Atomic int ran[MOST_PARTS];
    pthread_t by[MOST_PARTS];
    int nap; /* us */
} counted;

static void count_part(void* loop, uint32_t part) {
    counted* c = loop;
    atomic_fetch_add(&c->ran[part], 1);
    c->by[part] = pthread_self();
    if (c->nap > 0) {
        usleep((useconds_t)c->nap);
    }
}

/* Whether each part has run once, and no other one has. */
static bool each_once(const counted* c, uint32_t parts) {
    bool all = true;
    for (uint32_t i = 0; i < MOST_PARTS; i++) {
        all = all && c->ran[i] == (i < parts ? 1 : 0);
    }
    return all;
}

static bool run_loop(uint32_t threads, uint32_t parts, int nap) {
    counted c = {.nap = nap};
    taut_team_run(threads, parts, count_part, &c);
    return each_once(&c, parts);
}

/* Loops of all lengths and numbers of threads, close to each other and apart. */
static bool run_many(unsigned seed, int loops) {
    bool all = true;
    for (int i = 0; i < loops && all; i++) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t threads = 1 + (seed >> 8) % 6,
                       parts = (seed >> 16) % 4 == 0 ? (seed >> 20) % MOST_PARTS : threads;
        all = run_loop(threads, parts, 0);
        if ((seed >> 12) % 1024 == 0) {
            usleep(300); /* others fall asleep */
        }
    }
    return all;
}

static void* call_many(void* seed) {
    *(bool*)seed = run_many((unsigned)(uintptr_t)seed, LOOPS / 4);
    return NULL;
}

TAUT_PLAIN_TEST(team, runs_each_part_once) {
    CHECK(run_many(1, LOOPS));
    CHECK(run_loop(4, 40, 200));
    CHECK(run_loop(4, 0, 0));
    CHECK(run_loop(2 * TAUT_TEAM_MOST, 3, 0));
}

TAUT_PLAIN_TEST(team, runs_parts_side_by_side) {
    counted c = {.nap = 100000};
    bool others = false;
    taut_team_run(4, 4, count_part, &c);
    for (int i = 0; i < 4; i++) {
        others = others || pthread_equal(c.by[i], pthread_self()) == 0;
    }
    CHECK(each_once(&c, 4) && others);
}

/* Each thread that calls has its own, which end with it. */
TAUT_PLAIN_TEST(team, serves_threads_side_by_side) {
    pthread_t threads[CALLERS];
    bool good[CALLERS] = {false};
    const int before = count_threads();
    for (int i = 0; i < CALLERS; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, call_many, &good[i]) == 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK(good[i]);
    }
    CHECK_INT(count_threads(), before);
}

static void count_inner(void* loop, uint32_t part) {
    (void)part;
    *(_Atomic int*)loop += run_loop(4, 8, 0);
}

TAUT_PLAIN_TEST(team, runs_loops_within_parts) {
    _Atomic int good = 0;
    taut_team_run(3, 30, count_inner, &good);
    CHECK_INT(good, 30);
}

/* The child of a fork has none of its parent's threads, and makes its own. */
TAUT_PLAIN_TEST(team, begins_anew_after_a_fork) {
    CHECK(run_loop(4, 100, 0));
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(run_many(7, 100) ? 0 : 1);
    }
    int status = 1;
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(run_loop(4, 100, 0));
}

TAUT_PLAIN_TEST(team, knows_its_processors) {
    CHECK(taut_processors() >= 1 && taut_processors() < 100000);
}
