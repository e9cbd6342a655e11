/* Decisions of the outer loop, the same on both backends. */
#ifndef TAUT_STAGES_SOLVE_H
#define TAUT_STAGES_SOLVE_H

#include "base/small_math.h"
#include "kernels/stages/bound_sums.h"
#include "model/backend.h"

/* One outer iteration reduces the residual at most by this: float32 recurrences drift apart from the truth beyond. */
#define TAUT_OUTER_REDUCTION 1e-4
/* With a proximal shift the outer loop converges only linearly: more accuracy inside is lost. */
#define TAUT_PROXIMAL_REDUCTION 0.05
/* And while bounds change which rows they hold: what is solved for is not what will be. */
#define TAUT_ACTIVE_SET_REDUCTION 0.3
/* An outer iteration that leaves more than this part of the residual is a stall; so many in a row are stagnation. */
#define TAUT_STALL_REDUCTION 0.95
#define TAUT_STALLS          4
/* More of them with bounds, which progress by small parts while impulses find who bears what. */
#define TAUT_BOUNDED_PATIENCE 4
/* After a stalled outer iteration of few iterations the shift is lowered instead, so often at most. Costly outer
 * iterations keep it: with less of it they would cost more and gain less in float32. */
#define TAUT_CHEAP_OUTER     6
#define TAUT_SHIFT_LOWERINGS 6
#define TAUT_SHIFT_LOWERING  0.1F
/* The preconditioner knows the contacts that there were when it was made. So many iterations later it is made anew, of
 * those that there are. That takes the time of 40 to 60. */
#define TAUT_PRECONDITIONER_AGE 30
/* A direction whose curvature p.S p is below this part of p.B^-1 p, B the preconditioner, lies in the null space of S
 * as far as float32 can tell: a step along it would be noise. */
#define TAUT_NULL_CURVATURE 1e-9
/* Of the condensed system: one whose curvature p.H p is below this part of p.B^-1 p has underflown. */
#define TAUT_LEAST_CURVATURE 1e-14

typedef struct taut_outer_state {
    double scale;    /* |b| */
    double residual; /* before the last outer iteration */
    uint32_t iterations;
    uint32_t outer_iterations;
    uint32_t stalled;
    uint32_t extra_stalls;     /* stalled outer iterations beyond TAUT_STALLS before it is stagnation */
    uint32_t lowerings;        /* of the shift */
    uint32_t inner_iterations; /* of the last outer iteration */
    bool shifted;              /* some row has a proximal shift */
    bool lower;                /* the next outer iteration lowers it */
    bool undo;                 /* the last outer iteration is taken back, and was the last */
    bool active_set_changed;   /* the last outer iteration has changed which rows bounds hold */
} taut_outer_state;

TAUT_FN bool taut_outer_stagnates(const taut_outer_state* s) {
    return s->stalled >= TAUT_STALLS + s->extra_stalls;
}

/* Whether another outer iteration follows, with the residual just found; counts stalled outer iterations. One after
 * which bounds hold other rows than before has solved another system than the next one will: its residual says nothing
 * of it. In exact arithmetic a later outer iteration of the proximal method never raises the residual: one that does
 * was cut short and is taken back. The first is not judged: from a cold start the residual may rise while the error
 * falls. */
TAUT_FN bool taut_outer_decide(taut_outer_state* s, double residual, double tolerance, uint32_t max_iterations) {
    s->undo = s->shifted && !s->active_set_changed && s->outer_iterations > 1 && !(residual <= s->residual);
    if (s->undo) {
        s->stalled = s->iterations < max_iterations ? TAUT_STALLS + s->extra_stalls : 0;
        return false;
    }
    const bool stalled =
        s->outer_iterations > 0 && !s->active_set_changed && !(residual < TAUT_STALL_REDUCTION * s->residual);
    s->lower = stalled && s->shifted && s->inner_iterations <= TAUT_CHEAP_OUTER && s->lowerings < TAUT_SHIFT_LOWERINGS;
    s->lowerings += s->lower;
    s->stalled = !stalled ? 0 : s->stalled + !s->lower;
    const bool solved = residual <= tolerance * s->scale;
    return !solved && taut_is_finite(residual) && !taut_outer_stagnates(s) && s->iterations < max_iterations;
}

/* |r| at which the next outer iteration ends. */
TAUT_FN double taut_outer_goal(double residual, double scale, double tolerance, bool shifted) {
    const double part = (shifted ? TAUT_PROXIMAL_REDUCTION : TAUT_OUTER_REDUCTION) * residual;
    const double enough = tolerance * scale / 2;
    return part > enough ? part : enough;
}

/* ---- outer iterations of systems with bounds ------------------------------------------------------------------------
 * *
 *
 * An outer iteration solves for the rows that no bound holds and comes back within bounds on its way: gam = P( gam +
 * share delta ), projected Newton. It is kept where it lowers the objective 1/2 gam.S gam - b.gam, up to rounding; else
 * share is halved. Where that does not help, rows at their bounds turn the direction away: cautious outer iterations
 * follow, along the scaled residual, which always lowers the objective for a small enough share, until they change no
 * hold. */
#define TAUT_BOUND_HALVINGS  8
#define TAUT_BOUND_ROUNDING  1e-12
#define TAUT_CAUTIOUS_PASSES 8

/* After an outer iteration: what the next one is. */
TAUT_FN void taut_bounded_decide(taut_bounded_state* s, const taut_bound_sums* now) {
    const bool lower = now->objective <= s->before + TAUT_BOUND_ROUNDING * fabs(s->before);
    if (s->share > 0 && !lower) {
        s->halvings++;
        s->share = s->halvings > TAUT_BOUND_HALVINGS ? 0 : s->share / 2;
        s->kind = TAUT_OUTER_AGAIN;
        return;
    }
    const bool failed = s->share == 0,
               goes_on = s->cautious > 0 && s->cautious < TAUT_CAUTIOUS_PASSES && now->changed > 0;
    const bool caution = failed ? s->cautious == 0 : goes_on;
    s->cautious = caution ? s->cautious + 1 : 0;
    s->kind = caution ? TAUT_OUTER_CAUTIOUS : TAUT_OUTER_SOLVE;
    s->halvings = 0;
    s->share = 1;
    s->before = now->objective;
}

TAUT_FN void taut_bounded_begin(taut_bounded_state* s, const taut_bound_sums* now) {
    const taut_bounded_state fresh = {TAUT_OUTER_SOLVE, 0, 0, 1, now->objective};
    *s = fresh;
}

/* ---- the same of the condensed system ------------------------------------------------------------------------------
 * *
 *
 * Its outer iterations are steps of Newton's method on a convex function with a continuous gradient, -r, piecewise
 * quadratic: one that goes so far that the gradient along it, -r.delta, is more than this part of what it was, turned
 * round, is cut to where that vanishes. Multipliers of rows with a shift follow when the function is near its minimum:
 * the gradient has come down to a part of what it was when they did last, or no bound holds other rows. */
#define TAUT_MINIMISED       0.1
#define TAUT_BOUND_OVERSHOOT 0.1

/* The shift E of rows with bounds makes the function smooth while it is not known which of them are held. When that has
 * settled, the function is near its minimum and rows still have more than this part q of the residual that they had
 * when multipliers followed last, it is E that holds them up: multipliers follow what is as hard as E (1 - q) / q by
 * that part. So much is left of it, or a little more, so often at most. An outer iteration that was far from its
 * minimum says nothing of q; and where rows have less than TAUT_CLOSER_ROWS of the residual of nodes, it is the bounds
 * of friction that do not come closer, which less of E makes worse. */
#define TAUT_CLOSER_SOLVED     0.15
#define TAUT_CLOSER_ROWS       0.1
#define TAUT_CLOSER_PROGRESS   0.9
#define TAUT_CLOSER_STANDSTILL 0.98
#define TAUT_CLOSER_MARGIN     3
#define TAUT_CLOSER_MOST       0.5
#define TAUT_CLOSER_LEAST      0.01
#define TAUT_CLOSER_LOWERINGS  6
/* Where outer iterations take few iterations so much of E is lowered sooner: nothing but contacts holds such a system
 * together, and with less of it they stay cheap for long. It becomes E (1 - q) / (2 q), with which a third of the
 * residual would be left. */
#define TAUT_CHEAP_PROGRESS 0.5
#define TAUT_CHEAP_MARGIN   0.5
#define TAUT_CHEAP_LEAST    0.2
/* With too little of E, steps bend after a small part of their way, and solving for what lies beyond is lost: one that
 * has been cut to less than this part raises it again, so many times at most, and not beyond what it was. */
#define TAUT_BENT_SHARE  0.3
#define TAUT_RAISED_MOST 4

TAUT_FN bool taut_is_bent(const taut_step_end* end, const taut_closeness* now) {
    return now->shift < 1 && end->share < TAUT_BENT_SHARE;
}

/* Whether multipliers follow after a step. Where rows are solved, they follow once more, when nodes are, too: each time
 * that they follow earlier, nodes have to be solved again. */
TAUT_FN bool taut_updates_multipliers(const taut_step_end* end, const taut_closeness* now) {
    const bool minimised = end->changed == 0 || end->length <= TAUT_MINIMISED * end->length_before;
    return (minimised && end->length <= end->enough) || taut_is_bent(end, now);
}

TAUT_FN double taut_between(double value, double least, double most) {
    return value < least ? least : value > most ? most : value;
}

/* The part of E that is left; 1 where nothing asks for less. */
TAUT_FN double taut_closer(const taut_step_end* end, double tolerance) {
    const double fall = end->rows_before - end->rows, stays = end->rows / end->rows_before;
    const bool held_by_rows = end->rows > tolerance && end->rows > TAUT_CLOSER_ROWS * end->nodes;
    if (!held_by_rows || !(end->rows_before > 0)) {
        return 1;
    }
    if (end->iterations <= TAUT_CHEAP_OUTER && stays > TAUT_CHEAP_PROGRESS) {
        const double left = fall > 0 ? TAUT_CHEAP_MARGIN * fall / end->rows : TAUT_CLOSER_MOST;
        return taut_between(left, TAUT_CHEAP_LEAST, TAUT_CLOSER_MOST);
    }
    const bool stands = stays > TAUT_CLOSER_STANDSTILL && fall > 0;
    const double left = stands ? TAUT_CLOSER_MARGIN * fall / end->rows : TAUT_CLOSER_MOST;
    return stays > TAUT_CLOSER_PROGRESS ? taut_between(left, TAUT_CLOSER_LEAST, TAUT_CLOSER_MOST) : 1;
}

TAUT_FN taut_closeness taut_closeness_begin(void) {
    const taut_closeness begin = {1, 0, 0, 1, 1, 1};
    return begin;
}

/* How multipliers follow. */
TAUT_FN taut_residual_mode taut_update_multipliers(const taut_step_end* end, double tolerance, taut_closeness* now) {
    const bool settled = end->changed == 0 && end->length <= TAUT_CLOSER_SOLVED * end->length_before;
    taut_residual_mode mode = {true, 1, now->bound, 0};
    now->followed_with = now->shift;
    if (taut_is_bent(end, now)) {
        mode.shift = now->shift * TAUT_RAISED_MOST < 1 ? TAUT_RAISED_MOST : 1 / now->shift;
        now->lowerings -= now->lowerings > 0;
    } else if (settled && now->lowerings < TAUT_CLOSER_LOWERINGS) {
        mode.shift = taut_closer(end, tolerance);
        now->lowerings += mode.shift < 1;
    }
    now->shift *= mode.shift;
    return mode;
}

/* Where contacts say nearly the same, as two in one place do, an impulse passes from one to the other by a little, the
 * same each time that multipliers follow, until one of them opens. A change in the direction of the one before, up to
 * this cosine, is therefore made so many times more: what is left of the geometric series of the ratio q of both, q /
 * (1 - q), at most TAUT_LEAP_MOST, and no more than opens the first contact. The change is inverse to the shift that it
 * was made with. Not where it would come to less than the tolerance: directions in float32 may contradict each other by
 * so much, and such a change leads nowhere. */
#define TAUT_LEAP_COSINE 0.8
#define TAUT_LEAP_MOST   1000
#define TAUT_LEAP_GROWTH 1.2 /* a q beyond it is no series */
/* Where it turns against the one before instead, the bounds of friction and what they hold chase each other: bounds
 * then go half of their way, then a quarter, and the whole again when changes agree. */
#define TAUT_CHASE_COSINE 0.3
#define TAUT_CHASE_LEAST  0.25

TAUT_FN double taut_bound_part(double cosine, double part) {
    if (cosine < -TAUT_CHASE_COSINE) {
        return part > TAUT_CHASE_LEAST ? part / 2 : part;
    }
    return cosine > TAUT_CHASE_COSINE && part < 1 ? 2 * part : part;
}

/* After multipliers have followed: how impulses of contacts change once more; not where the system is solved. */
TAUT_FN taut_residual_mode taut_extrapolate(const taut_impulse_change* impulse_change, bool solved, double tolerance,
                                            taut_closeness* now) {
    const taut_residual_mode stays = {false, 1, 1, 0};
    const double shift = now->followed_with;
    const double before2 = now->travelled2, with = now->travelled_with, both = sqrt(impulse_change->length2 * before2);
    const double cosine = both > 0 ? impulse_change->turned / both : 0;
    now->travelled2 = impulse_change->length2;
    now->travelled_with = shift;
    now->bound = taut_bound_part(cosine, now->bound);
    if (solved || !(cosine > TAUT_LEAP_COSINE)) {
        return stays;
    }
    const double q = impulse_change->turned / before2 * shift / with;
    if (q > TAUT_LEAP_GROWTH) {
        return stays;
    }
    const double series = q < 1 ? q / (1 - q) : TAUT_LEAP_MOST;
    const double most = series < TAUT_LEAP_MOST ? series : TAUT_LEAP_MOST;
    const double extrapolation = most * impulse_change->closing < 1 ? most : 1 / impulse_change->closing;
    if (extrapolation < 1 ||
        extrapolation * sqrt(impulse_change->length2) < tolerance * sqrt(impulse_change->impulse2)) {
        return stays;
    }
    const taut_residual_mode leaps = {false, 1, 1, extrapolation};
    now->travelled2 = 0;
    return leaps;
}

/* Of a step that began with r.delta = promise and ends with `slope`. */
TAUT_FN taut_line_search taut_line_begin(double promise, double slope) {
    const taut_line_search search = {{0, 1}, {promise, slope}, {0, 0}, INFINITY, 0};
    return search;
}

TAUT_FN double taut_line_share(const taut_line_search* s, int i) {
    return s->ends[0] + (s->ends[1] - s->ends[0]) * i / TAUT_LINE_PARTS;
}

/* After a round, with sums of which r.delta has `unit` times as much. */
TAUT_FN void taut_line_narrow(taut_line_search* s, const taut_line_sums* sums, double unit) {
    const taut_line_search before = *s;
    bool crossed = false;
    if (s->rounds++ == 0) {
        s->linear[0] = s->slopes[0] - unit * sums->bent[0];
        s->linear[1] = s->slopes[1] - unit * sums->bent[TAUT_LINE_PARTS];
    }
    for (int i = 1; i <= TAUT_LINE_PARTS && !crossed; i++) {
        const double share = taut_line_share(&before, i);
        const double slope = s->linear[0] + share * (s->linear[1] - s->linear[0]) + unit * sums->bent[i];
        crossed = slope <= 0 || i == TAUT_LINE_PARTS;
        s->falls = unit * (sums->bounded[i - 1] - sums->bounded[i]);
        s->ends[crossed] = share;
        s->slopes[crossed] = slope;
    }
}

/* Whether another round follows. Where a row bends so sharply that its bounds are nearer to each other than the parts
 * of TAUT_LINE_ROUNDS, as of hard rows, r.delta still jumps over the last part by more than it was at 0. Between its
 * bounds a hard row holds: steps that end on either side of them would go to and fro. */
TAUT_FN bool taut_line_goes_on(const taut_line_search* s, double promise) {
    const bool jumps = s->slopes[0] - s->slopes[1] > promise || s->falls > TAUT_LINE_FALLS * promise;
    return s->rounds < TAUT_LINE_ROUNDS || (jumps && s->rounds < TAUT_LINE_MOST_ROUNDS);
}

/* Where it vanishes. */
TAUT_FN double taut_line_end(const taut_line_search* s) {
    const double fall = s->slopes[0] - s->slopes[1];
    return fall > 0 ? s->ends[0] + (s->ends[1] - s->ends[0]) * s->slopes[0] / fall : s->ends[1];
}

/* Whether a step that began with r.delta = promise > 0 and has left r.delta = slope is kept as it is. */
TAUT_FN bool taut_condensed_keeps(double promise, double slope) {
    return slope >= -TAUT_BOUND_OVERSHOOT * promise || !taut_is_finite(slope);
}

/* Adds what a solve leaves at rows with bounds: their projected residual, relative to `scale`. */
TAUT_FN void taut_bounds_report(const taut_bound_sums* sums, double scale, taut_report* report) {
    const double relative = scale > 0 ? sqrt(sums->complementarity) / scale : 0;
    report->complementarity = relative <= report->complementarity ? report->complementarity : relative;
}

/* Adds a finished solve to the report. */
TAUT_FN void taut_outer_report(const taut_outer_state* s, double residual, double tolerance, uint32_t max_iterations,
                               taut_report* report) {
    const double relative = s->scale > 0 ? residual / s->scale : 0;
    taut_outcome outcome = TAUT_SOLVE_CONVERGED;
    if (!(residual <= tolerance * s->scale)) {
        const bool spent = taut_is_finite(residual) && !taut_outer_stagnates(s) && s->iterations >= max_iterations;
        outcome = spent ? TAUT_SOLVE_ITERATION_LIMIT : TAUT_SOLVE_STAGNATED;
    }
    report->iterations += s->iterations;
    report->outer_iterations += s->outer_iterations;
    /* Written so that a residual that is not a number counts as worst. */
    report->residual = relative <= report->residual ? report->residual : relative;
    report->outcome = outcome > report->outcome ? outcome : report->outcome;
}

#endif
