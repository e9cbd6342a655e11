/* Which pairs may be near, kept over substeps (Verlet lists): contact points with colliders and faces, edges with
 * edges. A list is of all pairs whose reaches meet. A reach is a box around the one in which a search looks, with
 * what a few substeps will add to it. While every box of a search, moved back with the mean of all nodes, is within its
 * reach, all pairs that the search would find in the trees are in the list; else lists are made anew, or the search
 * walks through the trees. So results have the same bits with lists as without, whatever was before.
 *
 * What moves by more than its thickness looks far. But parts of one surface are near each other by the motion that they
 * have beside that of the surface (candidate_surfaces.c): where surfaces move past each other, they have boxes of their
 * own for that. */
#ifndef TAUT_CPU_CPU_CANDIDATES_H
#define TAUT_CPU_CPU_CANDIDATES_H

#include "base/memory.h"
#include "model/backend.h"

#include <stdatomic.h>

/* What has boxes: items of the tree of colliders and faces, edges, contact points. */
typedef enum candidate_group { FACES, EDGES, POINTS, CANDIDATE_GROUPS } candidate_group;

/* A finder with as many in its list walks through the tree. */
#define CANDIDATES_MOST 255

typedef struct candidate_boxes {
    size_t count;
    float *box, *reach;     /* of the search under way, and where lists were made; 6 numbers each */
    float *own, *own_reach; /* the same for what is of the same surface, beside the mean motion of that */
    uint32_t* rank;         /* in the order of the tree; of points none */
    uint32_t* surface;      /* that an item is of, or TAUT_NO_NODE */
} candidate_boxes;

/* Of nodes that can move, in the mean. */
typedef struct mean_motion {
    double x[3], v[3], count;
} mean_motion;

/* Finders are contact points, then edges. */
typedef struct contact_candidates {
    taut_allocator allocator;
    const taut_plan* plan;
    void* memory;
    size_t bytes, room;
    candidate_boxes group[CANDIDATE_GROUPS];
    uint32_t* order[CANDIDATE_GROUPS];  /* of finders that look for anything, such that near ones are side by side; */
    uint32_t walkers[CANDIDATE_GROUPS]; /* how many */
    uint32_t *begin, *list;             /* of each finder's list into the lists */
    uint8_t *count, *hits;              /* its length; how many of its first ones are contacts */
    uint8_t* still;                     /* of contact points and colliders, when lists were made */
    _Atomic size_t used;                /* of the lists */
    mean_motion mean;                   /* when they were made */
    mean_motion* surface_mean;          /* of surfaces, when they were made, */
    mean_motion *surface_now, *surface_before; /* in the search under way, and where what moves in a part began */
    float* own_tree;                           /* boxes of nodes, and of what surface all leaves below are */
    uint32_t* own_surface;
    uint8_t* meets_itself; /* of each surface; */
    bool some_alone;       /* some do not */
    double radius;         /* m: of contact points in the mean */
    bool apart;            /* lists have pairs of one surface by boxes of their own */
    uint64_t joins;        /* taut_plan: when they were made, */
    uint32_t broken;       /* and what had broken by then */
    bool made, answers;    /* lists are there; they answer the search under way */
    double life, horizon;  /* substeps that lists have lasted, and for which they are made, */
    double longest;        /* at most */
    _Atomic bool late;     /* they were given up, as the time of the search is up */
} contact_candidates;

/* For plans in which contact points or edges touch anything. */
taut_status candidates_make(const taut_plan* plan, const taut_allocator* allocator, contact_candidates** out);
void candidates_free(contact_candidates* c);

/* After the trees of a search for contacts were built: lists that answer it. `broken`: constraints, so far. False: the
 * time of the search is up. */
bool candidates_renew(contact_candidates* c, uint32_t broken, const taut_factors* step);
/* As count_contacts and make_contacts (kernels/stages/contact/collide.h), of any finder. */
uint32_t candidates_count(contact_candidates* c, size_t finder, const taut_factors* step);
void candidates_contacts(contact_candidates* c, size_t finder, const taut_factors* step);

/* After the boxes of the trees are those of what moves in a part of a substep: whether the lists answer that search. */
void candidates_sweep(contact_candidates* c, const taut_fields* was);
/* As find_crossing (kernels/stages/contact/crossing.h). */
uint32_t candidates_crossing(const contact_candidates* c, const taut_fields* was, size_t finder);

#endif
