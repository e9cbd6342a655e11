#define _GNU_SOURCE /* sched_getaffinity */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Looks for the next loop, or the end of one, before a thread sleeps: half a millisecond. To wake it takes up to 50
 * microseconds of a short loop. Every so many looks the core is offered to other programs. */
#define LOOKS       25000
#define LOOKS_ALONE 250
#define LINE        64 /* bytes of a cache line */

/* Parts that a thread is to run and nobody has taken: `next` in the low half, their end in the high one. */
typedef struct share {
    _Alignas(LINE) _Atomic uint64_t left;
} share;

typedef struct team team;

typedef struct member {
    team* team;
    uint32_t number; /* 0: the thread that it belongs to */
    pthread_t thread;
} member;

struct team {
    share share[TAUT_TEAM_MOST];
    member member[TAUT_TEAM_MOST];
    uint32_t members;
    bool full;            /* there can be no more */
    taut_team_part* part; /* of the loop, as long as parts are left or run */
    void* loop;
    uint32_t parts;
    _Atomic uint32_t threads; /* of the loop */
    _Alignas(LINE) _Atomic uint32_t done;
    _Alignas(LINE) _Atomic uint32_t loops; /* so far */
    _Atomic bool asleep;                   /* some may be, and have not been woken since */
    _Atomic bool waits;                    /* number 0 sleeps until all is done */
    _Atomic bool ends;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
};

/* The team of this thread, and whether it runs a part. */
static _Thread_local team* own;
static _Thread_local bool busy;
static pthread_key_t key; /* its value ends with the thread */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

/* After a number of looks. */
static void pause_a_moment(int looks) {
    if (looks % LOOKS_ALONE == LOOKS_ALONE - 1) {
        sched_yield();
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* What is taken belongs to the loop at hand: that does not end before all its parts are done. */
static bool take(share* s, uint32_t* part) {
    uint64_t left = atomic_load_explicit(&s->left, memory_order_acquire);
    while ((uint32_t)left < (uint32_t)(left >> 32)) {
        if (atomic_compare_exchange_weak_explicit(&s->left, &left, left + 1, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            *part = (uint32_t)left;
            return true;
        }
    }
    return false;
}

static void run_taken(team* t, uint32_t part) {
    const uint32_t parts = t->parts;
    busy = true;
    t->part(t->loop, part);
    busy = false;
    if (atomic_fetch_add(&t->done, 1) + 1 == parts && atomic_load(&t->waits)) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_signal(&t->end);
        pthread_mutex_unlock(&t->lock);
    }
}

/* Its own share, then what is left of others'. */
static void take_part(team* t, uint32_t number) {
    const uint32_t threads = atomic_load(&t->threads);
    for (uint32_t i = 0; i < threads && number < threads; i++) {
        share* s = &t->share[(number + i) % threads];
        for (uint32_t part; take(s, &part);) {
            run_taken(t, part);
        }
    }
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

static bool has_nothing_new(team* t, uint32_t seen) {
    return atomic_load(&t->loops) == seen && !atomic_load(&t->ends);
}

/* Waits for more loops than `seen`, or the end. */
static void wait_for_loop(team* t, uint32_t seen) {
    for (int i = 0; i < LOOKS && has_nothing_new(t, seen); i++) {
        pause_a_moment(i);
    }
    if (!has_nothing_new(t, seen)) {
        return;
    }
    pthread_mutex_lock(&t->lock);
    while (has_nothing_new(t, seen)) {
        atomic_store(&t->asleep, true); /* whoever begins a loop looks at this after it has counted that */
        if (has_nothing_new(t, seen)) {
            pthread_cond_wait(&t->begin, &t->lock);
        }
    }
    pthread_mutex_unlock(&t->lock);
}

static void* work(void* context) {
    const member* m = context;
    team* t = m->team;
    for (uint32_t seen = 0; !atomic_load(&t->ends);) {
        wait_for_loop(t, seen);
        seen = atomic_load(&t->loops);
        take_part(t, m->number);
    }
    return NULL;
}

/* Signals are the program's. */
static bool start(member* m) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&m->thread, NULL, work, m) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void end_team(void* context) {
    team* t = context;
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->ends, true);
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (uint32_t i = 1; i < t->members; i++) {
        pthread_join(t->member[i].thread, NULL);
    }
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->begin);
    pthread_cond_destroy(&t->end);
    free(t);
    own = NULL;
}

/* After a fork there is this thread alone. */
static void forget_team(void) {
    own = NULL;
    pthread_setspecific(key, NULL);
}

static void make_key(void) {
    has_key = pthread_key_create(&key, end_team) == 0 && pthread_atfork(NULL, NULL, forget_team) == 0;
}

static team* make_team(void) {
    team* t = NULL;
    pthread_once(&once, make_key);
    if (!has_key || posix_memalign((void**)&t, LINE, sizeof *t) != 0) {
        return NULL;
    }
    *t = (team){.members = 1};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begin, NULL);
    pthread_cond_init(&t->end, NULL);
    if (pthread_setspecific(key, t) != 0) {
        end_team(t);
        return NULL;
    }
    return t;
}

/* With so many threads, or as many as there can be. */
static team* find_team(uint32_t threads) {
    own = own != NULL ? own : make_team();
    while (own != NULL && own->members < threads && !own->full) {
        member* m = &own->member[own->members];
        *m = (member){.team = own, .number = own->members};
        own->full = !start(m);
        own->members += !own->full;
    }
    return own;
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

static void begin_loop(team* t, uint32_t threads, uint32_t parts) {
    atomic_store(&t->done, 0);
    atomic_store(&t->threads, threads);
    for (uint32_t i = 0; i < threads; i++) {
        const uint64_t first = (uint64_t)parts * i / threads, end = (uint64_t)parts * (i + 1) / threads;
        atomic_store_explicit(&t->share[i].left, first | end << 32, memory_order_release);
    }
    atomic_fetch_add(&t->loops, 1);
    if (atomic_load(&t->asleep)) {
        pthread_mutex_lock(&t->lock);
        atomic_store(&t->asleep, false);
        pthread_cond_broadcast(&t->begin);
        pthread_mutex_unlock(&t->lock);
    }
}

/* What others have taken is left. */
static void wait_for_end(team* t) {
    for (int i = 0; i < LOOKS && atomic_load(&t->done) < t->parts; i++) {
        pause_a_moment(i);
    }
    if (atomic_load(&t->done) == t->parts) {
        return;
    }
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->waits, true);
    while (atomic_load(&t->done) < t->parts) {
        pthread_cond_wait(&t->end, &t->lock);
    }
    atomic_store(&t->waits, false);
    pthread_mutex_unlock(&t->lock);
}

void taut_team_run(uint32_t threads, uint32_t parts, taut_team_part* part, void* loop) {
    const uint32_t most = threads < TAUT_TEAM_MOST ? threads : TAUT_TEAM_MOST;
    team* t = most > 1 && parts > 1 && !busy ? find_team(most) : NULL;
    if (t == NULL || t->members == 1) {
        for (uint32_t i = 0; i < parts; i++) {
            part(loop, i);
        }
        return;
    }
    t->part = part;
    t->loop = loop;
    t->parts = parts;
    begin_loop(t, most < t->members ? most : t->members, parts);
    take_part(t, 0);
    wait_for_end(t);
}

uint32_t taut_processors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT
    cpu_set_t set;
    count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : count;
#endif
    return count > 1 ? (uint32_t)count : 1;
}
