/* Contacts of loose bodies, side by side: what sweeps and Newton's method for them work on. */
#ifndef TAUT_CPU_CPU_CONTACT_PAIRS_H
#define TAUT_CPU_CPU_CONTACT_PAIRS_H

#include "host/cpu/cpu_block_cholesky.h"
#include "model/backend.h"

#define PAIR_NONE UINT32_MAX

/* A contact: its axes, and of each side the part of its centre and the arm. With K = (axes, arms x axes) the rows of J,
 * of each side: K and the columns of I^-1 K^T that are of rotations. */
typedef struct contact_pair {
    double axis[3][3], weight[2], arm[2][3];
    double turned[2][3][3], moved[2][3][3], inverse[2]; /* arm x axis, I^-1 of that, weight/m */
    double softness[2], step[2];                        /* R and 1/(R + J M^-1 J^T), of the normal and the tangents */
    double mu, b[3], impulse[3];
    double motion[3], along[3]; /* J w, J p */
    double last[3], way[3];     /* the impulse before a sweep, and how it moves on */
    float derivative[6];
} contact_pair;

/* A thing has one vertex, with its centre and its frame if it has one; what is fixed has none. */
typedef struct contact_pairs {
    taut_allocator allocator;
    const taut_plan* plan;
    void* memory;
    size_t bytes;
    size_t vertices, contacts;
    uint32_t* vertex_of;        /* nodes */
    uint32_t *centre, *frame;   /* vertices; PAIR_NONE where there is none */
    uint32_t *side, *place;     /* contacts: both vertices; where they stand in the factors */
    double *w, *w_last, *p, *r; /* BLOCK_ROWS a vertex: dv - u, that before a sweep, a direction, a residual */
    contact_pair* contact;
    block_cholesky* factors;
    double newton_sweeps; /* that take the time of Newton's method; INFINITY: factors are too large; < 0: not known */
} contact_pairs;

/* For plans that are loose. */
taut_status contact_pairs_make(const taut_plan* plan, const taut_allocator* allocator, contact_pairs** out);
void contact_pairs_free(contact_pairs* s);

/* Takes the system that is assembled, with the impulses in gam; w = M^-1 J^T gam. False where a side is more than one
 * thing, or a contact has no compliance. */
bool contact_pairs_gather(contact_pairs* s);
/* The impulses into gam. */
void contact_pairs_store(const contact_pairs* s);

/* J x of contact c. */
void contact_pairs_motion(const contact_pairs* s, size_t c, const double* x, double out[3]);
/* x += J^T u of contact c. */
void contact_pairs_add(const contact_pairs* s, size_t c, const double u[3], double* x);
/* out = M x of vertex v, or M^-1 x; 0 where nothing moves. */
void contact_pairs_mass(const contact_pairs* s, size_t v, bool inverse, const double* x, double* out);

/* Gauss-Seidel over contacts, accelerated: until impulses change by no more than `goal` in the norm of their steps,
 * `limit` sweeps are done, or Newton's method seems to be faster. Returns the sweeps. */
uint32_t contact_pairs_sweep(contact_pairs* s, double goal, uint32_t limit);

/* Orders the factors, unless that is done, and finds newton_sweeps. */
void contact_pairs_order(contact_pairs* s);
/* Newton's method from the w that there is, until |J^T gam - M w| is at most `goal` in the norm of M^-1, or `limit`
 * iterations are done. Returns them; 0 where factors are too large. */
uint32_t contact_pairs_newton(contact_pairs* s, double goal, uint32_t limit);

#endif
