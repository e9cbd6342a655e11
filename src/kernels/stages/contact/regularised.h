/* The convex law of contact: compliance that the step can resolve in the place of exact complementarity.
 *
 * With w the diagonal of J A^-1 J^T along the normal of a contact and y = (b - J dv)/R, the impulse is the projection
 * of y on the cone of friction in the metric of R, gam = P(y),   R = diag(Rn, Rt, Rt),   Rt = beta^2 w/(4 pi^2),   Rn =
 * max( Rt, C/(h (h + d)) ), the gradient of a convex function of dv with a continuous derivative (compare Castro,
 * Permenter and Han 2022). Rt alone is a spring on the mass 1/w with the period 2 pi h/beta: as stiff as a step can
 * resolve. R stands as the weight of the rows, so that all solvers solve the same problem.
 *
 * A load that would accelerate 1/w by more than a few times gravity makes R smaller by as much: what is light then
 * bears what is heavy, and nothing sinks in deeper than under a weight of its own kind. Bodies are made for the
 * heaviest thing of the scene from the start: a stiffness that followed their load would do work on what rocks.
 *
 * A cube of the side s sinks in by Rt h^2 m g/4 = 0.0063 g h^2 under its own weight. With springs so soft between them,
 * n cubes on each other buckle as a column under its own weight does (Greenhill) where s < 0.0032 n^3 g h^2. So what is
 * small has an R less by the ratio of g h^2 to its thickness, and towers stand alike at any size.
 *
 * In a step of the length h that is shorter than those of late, T, R is larger by T/h, and overlaps are undone as in a
 * step of that length: a contact is one spring whatever lengths steps have, and what rests on it stays where it is.
 *
 * Text for a file that has defined TAUT_REAL as double. */
#ifndef TAUT_CONTACT_REGULARISED_H
#define TAUT_CONTACT_REGULARISED_H

#include "kernels/formulas/contact_rows.h"
#include "kernels/stages/contact/friction.h"
#include "kernels/stages/contact/thickness.h"
#include "kernels/stages/items.h"
#include "kernels/stages/packed.h"
#include "model/factors.h"

#include <math.h>

#define TAUT_CONTACT_BETA 0.5
/* Half of beta where one thing is so many times lighter than the other: there has been no load yet when they meet. */
#define TAUT_CONTACT_UNLIKE  100
#define TAUT_CONTACT_PERIOD  6.283185307179586 /* 2 pi */
#define TAUT_CONTACT_DAMPING (TAUT_CONTACT_BETA / 3.141592653589793)
/* beta^2/(4 pi^2): R in parts of w. An impulse is smaller by as much than that of a hard contact. */
#define TAUT_CONTACT_SHARE ((TAUT_CONTACT_BETA / TAUT_CONTACT_PERIOD) * (TAUT_CONTACT_BETA / TAUT_CONTACT_PERIOD))
/* Gravities; part of the radius by which a load may press in; the most that R is made smaller by. */
#define TAUT_CONTACT_LOAD      30
#define TAUT_CONTACT_PRESSED   0.1
#define TAUT_CONTACT_LOAD_MOST 1000
/* Halves of thickness in g h^2. What is thicker has the stiffness of its mass alone. */
#define TAUT_CONTACT_FINE 18
/* In g h. */
#define TAUT_CONTACT_STILL 2
/* A contact slid in the last step if its friction was this part of its bound. */
#define TAUT_CONTACT_SLID 0.999
/* Of the friction of sliding: as near as that of what slides by a given bound (contact/wedged.h) comes to it. */
#define TAUT_CONTACT_SLIDING 0.06
/* What has its centre before a contact by a tenth of its height over it does not roll on it. */
#define TAUT_CONTACT_ROLLS 10
/* Of w along the tangents: that along the normal is no less in R. */
#define TAUT_CONTACT_HELD 1e-4
/* s. An overlap is undone in no less where no gravity stops what leaves it. */
#define TAUT_CONTACT_RECOVERY_TIME 0.1
/* Of the relative speed of a contact. */
#define TAUT_CONTACT_RECOVERY_SHARE 0.1
/* Contacts in a chain of what is soft: its vertices hang together. A rope of three turns about a post whose vertices
 * overlapped by 0.25 mm, each parting as one alone, drew a load up at 1.3 m/s. */
#define TAUT_CONTACT_TOGETHER 64

/* What a contact is made for. */
typedef struct contact_duty {
    double load, expected; /* kg: that it bears, and that it may have to bear */
    double fineness;       /* how many times stiffer it is since what touches is small, where that is more than 1 */
    double borne;          /* gravities: of a larger load it becomes stiffer by as much */
    double share;          /* soft_share of the step */
} contact_duty;

/* R in parts of w, of what nothing makes stiffer. */
TAUT_FN double soft_share(const taut_factors* step) {
    return TAUT_CONTACT_SHARE * (step->paced / step->h); /* exactly so in steps of one length */
}

/* Rt of a contact of two things with these parts of w, the diagonal along the normal; `across`: the larger one along
 * the tangents. What turns about a fixed centre does not give way along the normal at all. */
TAUT_FN double contact_softness(double first, double second, double across, const contact_duty* duty) {
    const double w = fmax(first + second, TAUT_CONTACT_HELD * across);
    const double most = first > second ? first : second, least = first + second - most;
    const bool unlike = least > 0 && most > TAUT_CONTACT_UNLIKE * least;
    const double load = duty->load > duty->expected ? duty->load : duty->expected;
    const double stiffer = fmax(fmax(load * w / duty->borne, duty->fineness), unlike ? 4.0 : 1.0);
    return duty->share * w / fmin(stiffer, (double)TAUT_CONTACT_LOAD_MOST);
}

/* Whether the load made it smaller: it is a function of the load alone then. */
TAUT_FN bool is_overloaded(double softness, double load, double borne, double share) {
    return softness * load >= 0.999 * share * borne;
}

/* R of a contact or couple in the place of its weight, C/(h (h + d)). */
TAUT_FN void regularise(double first, double second, double across, const contact_duty* duty, float* weight) {
    const float softness = (float)contact_softness(first, second, across, duty);
    weight[packed_index(0, 0)] = weight[packed_index(0, 0)] > softness ? weight[packed_index(0, 0)] : softness;
    weight[packed_index(1, 1)] = weight[packed_index(2, 2)] = softness;
}

/* m/s^2 */
TAUT_FN double gravity_of(const taut_factors* step) {
    return sqrt(vec3_dot(step->gravity, step->gravity));
}

/* A normal force over gravity, kg. */
TAUT_FN double load_of_force(double force, const taut_factors* step) {
    const double gravity = gravity_of(step);
    return gravity > 0 && force > 0 ? force / gravity : 0;
}

/* What contact c bore in the last step. */
TAUT_FN double contact_load(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    return load_of_force(f->contact_load[c] * f->lam[row_of_contact(s, c, 0)], step);
}

/* Whether each thing of a contact that has a point has an arm, too. */
TAUT_FN bool is_of_bodies(const double* rest) {
    bool all = rest[contact_weight + 2] == 0 && rest[contact_weight + 3] == 0;
    for (int side = 0; side < 2; side++) {
        const double* arm = rest + contact_arm + 3 * side;
        all = all && (rest[contact_weight + side] == 0 || arm[0] != 0 || arm[1] != 0 || arm[2] != 0);
    }
    return all;
}

/* What contact c may have to bear next, kg: of bodies, the heaviest thing that there is. */
TAUT_FN double expected_load(const taut_fields* f, const taut_sizes* s, size_t c) {
    return is_of_bodies(f->kinds[TAUT_CONTACT].rest + contact_REST * c) ? s->heaviest : 0;
}

TAUT_FN double contact_fineness(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double half = thinner_half(f, s, c);
    if (step->piece == TAUT_PIECE_IMPACT && half < INFINITY) { /* it is as hard as can be: nothing else bears on it */
        return TAUT_CONTACT_LOAD_MOST;
    }
    return half > 0 ? TAUT_CONTACT_FINE * step->paced * step->paced * gravity_of(step) / half : 1;
}

/* Thickness that points and surfaces of contact c keep, m; of bodies and of what has none 0. */
TAUT_FN double kept_radius(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c], first = s->touching + s->edges;
    const size_t other = f->contact_pair[2 * c + 1], edge = finder < s->touching ? 0 : finder - s->touching;
    if (finder >= first || is_of_bodies(f->kinds[TAUT_CONTACT].rest + contact_REST * c)) {
        return 0;
    }
    if (finder >= s->touching) {
        return thickness_of_pair(f, f->edge_corner[4 * edge], f->edge_corner[4 * other]);
    }
    const double far = other < s->colliders ? 0 : f->touching_place[f->face_corner[4 * (other - s->colliders)]].radius;
    return f->touching_place[finder].radius + far;
}

/* What a surface bears presses in by a small part of its thickness: what rests alone sinks in by
 * beta^2/(4 pi^2) (1 + beta/pi) g h^2. */
TAUT_FN double borne_load(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    const double radius = kept_radius(f, s, c), h = step->paced;
    const double alone = TAUT_CONTACT_SHARE * (1 + TAUT_CONTACT_DAMPING) * gravity_of(step) * h * h;
    const double borne = radius > 0 && alone > 0 ? TAUT_CONTACT_PRESSED * radius / alone : TAUT_CONTACT_LOAD;
    return fmin(fmax(borne, 1.0), (double)TAUT_CONTACT_LOAD);
}

TAUT_FN contact_duty duty_under(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step,
                                double load) {
    const contact_duty duty = {load, expected_load(f, s, c), contact_fineness(f, s, c, step), borne_load(f, s, c, step),
                               soft_share(step)};
    return duty;
}

TAUT_FN contact_duty duty_of_contact(const taut_fields* f, const taut_sizes* s, size_t c, const taut_factors* step) {
    return duty_under(f, s, c, step, contact_load(f, s, c, step));
}

/* Of what has no normal force: couples, and particles of which nothing else is known. */
TAUT_FN contact_duty duty_of_load(double load, const taut_factors* step) {
    const contact_duty duty = {load, 0, 1, TAUT_CONTACT_LOAD, soft_share(step)};
    return duty;
}

/* Contact c at the start of a substep: its rows, J v, and the impulses h lam of the last substep. */
typedef struct contact_start {
    size_t row[3];
    double v[3], last[3];
    double norm[3];         /* inverse diagonal of S, 1/(w + R) */
    double normal, tangent; /* Rn, Rt */
    double mu, phi, load;   /* load in kg */
    double borne;           /* gravities: contact_duty */
    double chain;           /* contacts on the way through this one: contact/chains.h */
    double across;          /* |v_t| */
    double stops, together; /* what friction takes of it for each unit of speed that the normal gets, over mu: in this
                               contact alone, and where all that bear the same body get as much */
    bool bodies;            /* all that moves in it turns */
    double radius;          /* m: kept_radius */
    double fall;            /* m/s^2: at which both come together by gravity alone */
    double bears;           /* m/s^2: likewise, of what nothing but contacts can bear */
    double meets;           /* m/s: at which their centres do */
    double given;           /* b for each unit of speed that is to come of it, (w + Rn)/w */
    double touch;           /* m: up to this gap they touch, in a piece of a substep */
    double lands;           /* m/s: landing_speed, in an impact */
    bool flies;             /* nothing meets in the piece but what touches */
    double stage;           /* the part of an impact without restitution that a stage of it makes */
    double bounces;         /* m/s: TAUT_PARTING_BOUNCES */
    double bore;            /* m/s: TAUT_PARTING_BORNE */
    double push, gently;    /* m/s: TAUT_PARTING_PUSH, TAUT_PARTING_GENTLY */
    double bears_on;        /* contact_load */
} contact_start;

/* For each unit of speed that is to come of a contact along its normal: (w + Rn)/w. */
TAUT_FN double given_for_speed(const contact_start* at) {
    const double soft = at->normal * at->norm[0];
    return soft < 0.5 ? 1 / (1 - soft) : 1;
}

/* Of what note_fall has told, as the law takes it; `alone`: what that returned. */
TAUT_FN void take_fall(contact_start* at, bool alone) {
    at->fall = at->fall > 0 ? at->fall : 0;
    at->bears = alone ? at->fall : 0;
    at->meets = at->meets > 0 ? at->meets : 0;
    at->given = given_for_speed(at);
}

/* w_t/w, w_t the diagonal of J A^-1 J^T along v_t. */
TAUT_FN double stops_alone(const contact_start* at) {
    const double across2 = at->v[1] * at->v[1] + at->v[2] * at->v[2];
    double sum = 0;
    for (size_t r = 1; r < 3; r++) {
        sum += at->norm[r] > 0 ? at->v[r] * at->v[r] / at->norm[r] : 0;
    }
    return across2 > 0 ? at->norm[0] * sum / across2 : 1;
}

/* Friction of what slid begins anew. What moves no faster than its compliance gives way may rest in the end, and goes
 * on from where it was: what others leave to it would have to move it first. */
TAUT_FN bool contact_slid(const contact_start* at) {
    const double bound = TAUT_CONTACT_SLID * at->mu * at->last[0];
    return at->last[0] > 0 && at->last[1] * at->last[1] + at->last[2] * at->last[2] >= bound * bound &&
           at->across > at->tangent * bound;
}

/* The part of the last friction that a step begins with: what the last load could hold. A normal that has turned since
 * then makes friction of a load: a point that leaves a box over an edge would start with any speed. */
TAUT_FN double friction_kept(const contact_start* at) {
    const double most = at->mu * fmax(at->last[0], 0.0), square = at->last[1] * at->last[1] + at->last[2] * at->last[2];
    return contact_slid(at) ? 0 : square > most * most ? most / sqrt(square) : 1;
}

/* Whether a contact that moves faster than slip_speed stuck all the same in the last step. Either its friction was not
 * that of sliding, more or less; or its compliance gives way to a load that comes at once. One that bears little moves
 * with others of its body then, which on the mean bear g h for each w. */
TAUT_FN bool contact_stuck(const contact_start* at, const double* pair, const taut_factors* step) {
    const double slides = pair[TAUT_PAIR_FRICTION] * at->last[0], holds = pair[TAUT_PAIR_STATIC] * at->last[0];
    const double friction = sqrt(at->last[1] * at->last[1] + at->last[2] * at->last[2]);
    const bool slid = fabs(friction - slides) <= TAUT_CONTACT_SLIDING * slides || friction >= TAUT_CONTACT_SLID * holds;
    const double creeps = fmax(at->tangent * at->last[0], soft_share(step) * gravity_of(step) * step->h);
    return at->last[0] > 0 && (!slid || at->across <= 2 * pair[TAUT_PAIR_STATIC] * creeps);
}

/* The speed u at which what overlaps by s may part. In a chain of n such contacts the last thing has the speed V, the
 * sum of all u. Less by g h in each step, it stops where nothing overlaps any longer if V^2/(2 g) + V h/2 <= sum s.
 * This holds if in each contact
 *     n u^2/(2 g) + u h/2 = s,   since V^2 <= n sum u^2
 * At `recovery` the last thing would hop by V^2/(2 g). Where gravity is small, s takes n tenths of a second. What moves
 * on itself may part by a tenth of its speed, a hundredth of its energy. */
TAUT_FN double parting_speed(const contact_start* at, const taut_factors* step) {
    const double g = gravity_of(step), s = at->phi < 0 ? -at->phi : 0, a = step->h * g / 2;
    const double n = at->bodies ? at->chain : TAUT_CONTACT_TOGETHER;
    const double rise = (sqrt(2 * n * g * s + a * a) - a) / n, slow = s / (at->chain * TAUT_CONTACT_RECOVERY_TIME);
    const double moves = TAUT_CONTACT_RECOVERY_SHARE * sqrt(at->v[0] * at->v[0] + at->across * at->across);
    const double stops = rise > slow ? rise : slow;
    return stops > moves ? stops : moves;
}

/* The speed at which an overlap is undone at most, and what the last load would leave of it: one that stiffened under
 * its load grows no faster than a fall in one step, else it would throw what it bears. What is soft and has come deeper
 * than it is thick has been put there, and its load is that of being held there: it goes back in its time. In a chain,
 * an impulse after which things part was no load. */
TAUT_FN double contact_recovery(contact_start* at, double recovery, const taut_factors* step) {
    const double beyond = at->radius > 0 ? fmax(-at->phi - at->radius, 0.0) : 0;
    const double gentle = fmax(step->h * gravity_of(step), beyond / TAUT_CONTACT_RECOVERY_TIME);
    const double parts = parting_speed(at, step);
    const double speed =
        is_overloaded(at->tangent, at->load, at->borne, soft_share(step)) && gentle < parts ? gentle : parts;
    const double parted = at->chain > 1 && at->v[0] > 0 ? at->v[0] : 0,
                 kept = at->normal * at->bears_on * at->last[0] - parted;
    at->bore = kept > 0 ? kept : 0;
    return step->closing * (speed < recovery ? speed : recovery) + at->bore;
}

/* Whether nothing comes nearer in it, but for what gravity makes of a step. */
TAUT_FN bool meets_nothing(const contact_start* at, const taut_factors* step) {
    return at->v[0] >= -TAUT_CONTACT_STILL * gravity_of(step) * step->h;
}

/* The speed mu |v_t'| at which the convex law would part what slides on with v_t' after a normal impulse that adds b to
 * its speed of parting, and takes what gravity adds to that of meeting. A face that meets something stops in all of
 * its contacts, and what turns about one of them only there. What stuck does not slide; what meets may stop. That
 * trusts in v_t to go on, as it does for bodies; where it does not, contact/sliding.h mends it. Vertices of cloth stop
 * within a step, and would sink in. */
TAUT_FN double parting_by_sliding(const contact_start* at, double b, double h) {
    const double meets = fmin(fmax(b, 0.0), at->meets);
    const double loses = at->together * (meets + h * at->bears) + at->stops * (b - meets);
    const double left = at->across - at->mu * (loses > 0 ? loses : 0);
    return at->bodies && left > 0 && (!(at->last[0] > 0) || contact_slid(at)) ? at->mu * left : 0;
}

/* N s: the given bound (contact/wedged.h) to begin with: by the load of the last substep, or by what stops a contact
 * that there was not then. */
TAUT_FN double first_bound(const contact_start* at, double b, double h) {
    return at->mu * (at->last[0] > 0 ? at->last[0] : at->norm[0] * fmax(b + h * at->fall, 0.0));
}

/* b of an impact that the step makes where it begins, at the gap phi and with the velocity v = v_n. What gravity g
 * brings together is on a parabola, with v - a, a = (beta - 1/2) h g (model/impacts.h). It meets with V and leaves
 * with e V. So p = v_n' has the energy of that where the step ends; false where it does not come so far, or up again:
 *     (p - a)^2 + 2 g ( phi + h (beta p + (1 - beta) v) ) = e^2 V^2,   V^2 = (v - a)^2 + 2 g phi
 */
TAUT_FN bool bounced_side(const contact_start* at, double e, const taut_factors* step, double* b) {
    const double g = at->fall, h = step->h, v = at->v[0], phi = at->phi > 0 ? at->phi : 0;
    const double a = (step->beta - 0.5) * h * g, free = -h * g, met = (v - a) * (v - a) + 2 * g * phi;
    const double left = e * e * met - a * a - 2 * g * (phi + h * (1 - step->beta) * v) + g * g * h * h / 4;
    const double p = left > 0 ? sqrt(left) - g * h / 2 : 0;
    *b = free + (p - v - free) * at->given;
    return p > 0 && phi + h * (v + step->beta * free) < 0;
}

/* b of the normal: vn_hat - v_n, with the speed at which it ought to part
 *     vn_hat = min( -phi/(h + d), u + Rn gam_n of the last step )   where it overlaps; no such cap if C rules
 *            = -phi/h                                               where it is open
 * with the speed u at which an overlap is undone at most; bounced_side of an impact. */
TAUT_FN double regularised_normal(contact_start* at, const taut_law* law, const double* pair, double damping,
                                  const taut_factors* step) {
    const bool compliant = at->normal > at->tangent;
    const double least = compliant ? 0 : TAUT_CONTACT_DAMPING * step->paced;
    const double own = (damping > least ? damping : least) + (compliant ? 0 : fmax(step->rest, step->paced - step->h));
    const double d = at->phi > 0 ? 0 : own, scale = law->damped * d + law->plain;
    const double most = contact_recovery(at, pair[TAUT_PAIR_RECOVERY], step);
    const double part = -law->phi * at->phi / scale * (at->phi < 0 ? step->closing : 1);
    const double e = pair[TAUT_PAIR_RESTITUTION];
    const double b = (compliant || part < most ? part : most) - (law->rate_damped * d + law->rate) * at->v[0] / scale;
    const double less = part < most ? most - part : 0; /* the overlap asks for */
    double bounced = 0;
    const bool bounces =
        e > 0 && !compliant && at->v[0] < -step->slow_impact && bounced_side(at, e, step, &bounced) && bounced > b;
    at->bore = compliant || bounces || at->bore < less ? 0 : at->bore - less;
    at->push = compliant || bounces || at->phi >= 0 ? 0 : fmax((part < most ? part : most) - at->bore, 0.0);
    at->gently = part > most ? at->push : 0;
    at->bounces = bounces ? (bounced + step->h * at->fall) * (1 - 1 / at->given) : 0;
    return bounces ? bounced : at->stage * b;
}

/* The same in a piece of a substep. In an impact positions do not count: what touches may not come nearer, but for what
 * it gets back as it lands. */
TAUT_FN double regularised_piece(contact_start* at, const taut_law* law, const double* pair, double damping,
                                 const taut_factors* step) {
    const double speed = sqrt(at->v[0] * at->v[0] + at->across * at->across);
    if (at->flies) {
        return -1000 * (speed + 1);
    }
    const bool impact = step->piece == TAUT_PIECE_IMPACT && !(at->normal > at->tangent) && at->phi <= at->touch;
    at->phi = impact ? 0 : at->phi;
    at->last[0] = impact ? 0 : at->last[0]; /* what stuck may slide */
    const bool bounces = pair[TAUT_PAIR_RESTITUTION] > 0 && at->v[0] < -step->slow_impact;
    at->stage = impact && at->v[0] < 0 && !bounces ? step->share : 1;
    at->lands = impact && !bounces ? at->lands : 0;
    return regularised_normal(at, law, pair, damping, step) - at->stage * at->lands;
}

#endif
