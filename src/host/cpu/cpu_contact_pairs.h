/* Contacts of loose bodies, side by side: what sweeps and Newton's method for them work on. */
#ifndef TAUT_CPU_CPU_CONTACT_PAIRS_H
#define TAUT_CPU_CPU_CONTACT_PAIRS_H

#include "host/cpu/cpu_block_cholesky.h"
#include "host/cpu/cpu_deadline.h"
#include "model/backend.h"

#define PAIR_NONE UINT32_MAX
/* Newton's method takes the time of so many sweeps at least: with fewer left nothing is ordered for it. */
#define CONTACT_NEWTON_LEAST 120

/* Contacts of a heap that is solved on its own; others share a system with their like. */
#define CONTACT_HEAP_LEAST 32

/* A contact: its axes, and of each side the part of its centre and the arm. */
#define SIDE_VALUES (3 * BLOCK_STRIDE) /* rows of J at a side */
typedef struct contact_pair {
    double axis[3][3], weight[2], arm[2][3];
    double turned[2][3][3];             /* arm x axis */
    double softness[2];                 /* R of the normal and the tangents */
    double stiffness[2];                /* 1/R */
    double metric[2];                   /* R + J M^-1 J^T, of heaps alone */
    double mu, bound, b[3], impulse[3]; /* bound: N s, given to friction; below 0: none */
    double kept[3];                     /* the impulse before an attempt */
    double motion[3], along[3];         /* J w, J p */
    float derivative[6];
} contact_pair;

/* For sweeps, in float32: x, y and z of something, and one value of each of LANES contacts. */
#define LANES 8
typedef float quad __attribute__((vector_size(16)));
typedef float lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t lane_bits __attribute__((vector_size(4 * LANES)));

/* Contacts that share no body; with M^-1 = L L^T their rows are those of J L. */
typedef struct contact_batch {
    lanes axis[3][3], weight[2], turned[2][3][3];
    lanes b[3], impulse[3], way[3], change[3];
    lanes softness[2], step[2], metric[2]; /* R, 1/(R + J M^-1 J^T), and what that is of */
    lanes mu, ratio, share, bound;         /* ratio: mu step_n/step_t; share: 1/(1 + mu ratio); bound or 0 */
    uint32_t vertex[2][LANES], contact[LANES];
    bool idle; /* nothing has pressed since the start */
} contact_batch;

typedef struct swept_motion {
    quad motion, spin;
} swept_motion;

typedef struct swept_body {
    double root, factor[3][3]; /* L */
    swept_motion last, way;    /* before a sweep, and how it moves on */
} swept_body;

/* How far sweeps have come. */
typedef struct sweep_progress {
    double last, looked; /* squared length of the last change, and the length at the last look */
    float keep;          /* of the direction */
    uint32_t sweeps;
} sweep_progress;

/* A contact of an attempt at a part of a substep, with what it ended with. */
typedef struct tried_contact {
    uint32_t pair[2], feature;
    double impulse[3], parting; /* of the world; how much b followed */
} tried_contact;

/* A thing has one vertex, with its centre and its frame if it has one; what is fixed has none. */
typedef struct contact_pairs {
    taut_allocator allocator;
    const taut_plan* plan;
    void* memory;
    size_t bytes;
    size_t vertices, contacts;
    uint32_t* vertex_of;      /* nodes */
    uint32_t *centre, *frame; /* vertices; PAIR_NONE where there is none */
    uint32_t *side, *place;   /* contacts: both vertices; where they stand in the factors; */
    uint32_t* source;         /* and their numbers */
    uint32_t* taken;          /* of those that are gathered, before they are sorted by heaps */
    size_t apart, held;       /* beside others: contacts that are solved apart in this substep, and others of loose
                                 bodies */
    double *w, *p, *r;        /* BLOCK_ROWS a vertex: dv - u, a direction, a residual */
    float *mass, *rows;       /* for factors: M of vertices, as a block; rows of J of both sides of contacts */
    contact_pair* contact;
    contact_batch* batch;
    swept_motion* moving; /* L^-1 w of vertices, and of one for what is fixed */
    swept_body* body;
    uint32_t *all_batch, *busy_batch, *met; /* in the order of sweeps; met: marks of vertices */
    size_t most_batches, batches, busy;     /* busy: not open since the start */
    bool stale;                             /* others are busy than are listed */
    block_cholesky* factors;
    const struct contact_pairs* ordered; /* whose pattern the factors have; of all */
    struct contact_pairs *all, *heap;    /* of which this is a part, or this; its parts where there are several, with
                                            vertices that count from 0 */
    size_t heaps;                        /* 1: all is one */
    double newton_sweeps; /* that take the time of an iteration; INFINITY: factors are too large; < 0: not known */
    tried_contact* tried_contact;
    size_t tried;
    bool pauses, paused; /* sweeps look whether contacts slide otherwise than told; some do, and those are not solved */
    bool swept;          /* sweeps were enough for the last system of this substep */
    bool met_now;        /* an impact is of this heap */
    sweep_progress progress;
} contact_pairs;

/* For plans that are loose. */
taut_status contact_pairs_make(const taut_plan* plan, const taut_allocator* allocator, contact_pairs** out);
void contact_pairs_free(contact_pairs* s);

/* All, those of heaps that are solved apart, or those of loose bodies in heaps that something else touches. */
typedef enum pairs_taken { PAIRS_ALL, PAIRS_APART, PAIRS_HELD } pairs_taken;

/* Whether contact c is of loose bodies alone. */
bool contact_is_loose(const taut_plan* plan, size_t c);

/* Takes the system that is assembled, with the impulses in gam. False where a side is more than one
 * thing, or a contact has no compliance. */
bool contact_pairs_gather(contact_pairs* s, pairs_taken which);
/* Of contacts that are gathered: into heaps, in `source`, where they are to be solved apart; met gets where each ends,
 * where there are several. */
void contact_heaps_sort(contact_pairs* s, size_t taken, bool apart);
/* The i-th heap is what has been gathered from this contact and vertex on. `same`: of the same things as before. */
void contact_heaps_place(contact_pairs* s, size_t i, size_t contact, size_t vertex, bool same);
/* The impulses into gam. */
void contact_pairs_store(const contact_pairs* s);

/* The contacts as an attempt leaves them, for the next one, which has those of the crossings as well. */
void contact_pairs_keep(contact_pairs* s, const taut_crossing* crossing, size_t count);
/* The first guess in gam and b, where an attempt has been kept: what that ended with. */
void contact_pairs_recall(contact_pairs* s);

/* J x of contact c. */
void contact_pairs_motion(const contact_pairs* s, size_t c, const double* x, double out[3]);
/* x += J^T u of contact c. */
void contact_pairs_add(const contact_pairs* s, size_t c, const double u[3], double* x);
/* out = M x of vertex v, or M^-1 x; 0 where nothing moves. */
void contact_pairs_mass(const contact_pairs* s, size_t v, bool inverse, const double* x, double* out);
/* The diagonal of J M^-1 J^T of contact c. */
void contact_pairs_diagonal(const contact_pairs* s, size_t c, double diagonal[3]);
/* w = M^-1 J^T gam */
void contact_pairs_move(contact_pairs* s);

/* Gauss-Seidel over contacts, accelerated: until impulses change by no more than `goal` in the norm of their steps,
 * `limit` sweeps are done, or Newton's method seems to be faster. Returns the sweeps; none where one body has too many
 * of the contacts. Sweeps that have changed impulses by no more than `pause` are paused: the next call goes on. */
uint32_t contact_pairs_sweep(contact_pairs* s, cpu_goal goal, double pause, uint32_t limit);

/* Orders the factors, unless that is done, and finds newton_sweeps. */
void contact_pairs_order(contact_pairs* s);
/* Newton's method from w = M^-1 J^T gam, until |J^T gam - M w| is at most `goal` in the norm of M^-1, or `limit`
 * iterations are done. Returns them; 0 where factors are too large. */
uint32_t contact_pairs_newton(contact_pairs* s, double goal, uint32_t limit);

#endif
