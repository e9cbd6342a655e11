/* What becomes of an attempt at a part of a substep. */
#include "harness.h"
#include "model/guard.h"

static const taut_attempt bad = {.finite = false, .h = 1}, good = {.finite = true, .h = 1};

static bool judge(taut_guard* g, const taut_attempt* a) {
    return taut_guard_judge(g, a, true, true, 1000);
}

/* Parts are a whole; after the shortest one they grow again where the longer ones fit. */
TAUT_PLAIN_TEST(guard, parts_make_a_whole) {
    taut_guard g = {0};
    uint32_t parts = 0;
    taut_guard_begin(&g);
    for (int i = 0; i < 3; i++) {
        CHECK(judge(&g, &bad) && g.verdict == TAUT_VERDICT_AGAIN);
    }
    CHECK_INT(taut_guard_length(&g), TAUT_GUARD_PARTS / 8);
    while (!taut_guard_over(&g)) {
        CHECK_INT(g.at % taut_guard_length(&g), 0);
        CHECK(judge(&g, &good) && g.verdict == TAUT_VERDICT_KEPT);
        parts++;
    }
    CHECK_INT(g.at, TAUT_GUARD_PARTS);
    CHECK_INT(parts, 4); /* 2, 2, 4, 8 sixteenths */
}

/* Substeps until the next one begins with a whole part, where every whole one is too long and halves are good. */
static int substeps_between(taut_guard* g, bool touches) {
    const taut_attempt too_long = {
        .finite = true, .solved = true, .mends = true, .h = 1, .stretch = 0.1, .touches = touches};
    int substeps = 0;
    do {
        taut_guard_begin(g);
        substeps++;
        while (!taut_guard_over(g)) {
            CHECK(judge(g, g->level == 0 ? &too_long : &good));
        }
    } while (g->level > 0);
    return substeps;
}

/* A whole part that was tried in vain is tried again later and later where something touches. */
TAUT_PLAIN_TEST(guard, longer_parts_rest) {
    const int expected[2][5] = {{1, 1, 1, 1, 1}, {1, 2, 4, 4, 4}};
    for (int touches = 0; touches < 2; touches++) {
        taut_guard g = {0};
        for (int i = 0; i < 5; i++) {
            CHECK_INT(substeps_between(&g, touches == 1), expected[touches][i]);
        }
        taut_guard_begin(&g);
        CHECK(judge(&g, &good)); /* a whole part is kept */
        CHECK_INT(g.longer.last, 0);
    }
}

TAUT_PLAIN_TEST(guard, ends_where_nothing_is_finite) {
    taut_guard g = {0};
    int attempts = 0;
    taut_guard_begin(&g);
    while (judge(&g, &bad)) {
        attempts++;
    }
    CHECK_INT(attempts, TAUT_GUARD_SAFE);
}

/* A gain that no halving helps against ends at rest, which is always kept. */
TAUT_PLAIN_TEST(guard, rest_is_kept) {
    const taut_attempt gains = {.finite = true, .h = 1, .gain = 1, .kinetic = 0.5};
    taut_guard g = {0};
    taut_guard_begin(&g);
    do {
        CHECK(judge(&g, &gains));
    } while (g.verdict != TAUT_VERDICT_KEPT);
    CHECK(g.damped);
    CHECK_NEAR(g.share, 0, 0);
}

/* Not before a step in a hundred gains more than the tolerance in a row. */
TAUT_PLAIN_TEST(guard, gains_in_a_row_count) {
    const taut_attempt small = {.finite = true, .solved = true, .h = 1e-3, .gain = 0.9e-3, .moving = 1};
    taut_guard g = {0};
    int kept = 0;
    do {
        taut_guard_begin(&g);
        kept++;
        CHECK(judge(&g, &small));
    } while (g.verdict == TAUT_VERDICT_KEPT && kept < 100);
    CHECK_INT(kept, 6);
}

/* What is driven and cannot move so may have the energy that is asked for, or what it had: the work of drives is of any
 * size. What moves as it is driven may have that. */
TAUT_PLAIN_TEST(guard, contradicting_drives_give_what_is_asked_for) {
    taut_attempt a = {.finite = true, .solved = true, .h = 1e-9, .gain = -1e6, .work = 1e9, .kinetic = 5, .moving = 5};
    taut_guard g = {0};
    a.asked = 4;
    a.undriven = 1;
    taut_guard_begin(&g);
    CHECK(judge(&g, &a) && g.verdict == TAUT_VERDICT_KEPT);
    a.contradicts = true;
    CHECK(judge(&g, &a) && g.verdict != TAUT_VERDICT_KEPT);
    a.undriven = 5;
    CHECK(judge(&g, &a) && g.verdict == TAUT_VERDICT_KEPT);
    a.undriven = 1;
    a.asked = 5;
    CHECK(judge(&g, &a) && g.verdict == TAUT_VERDICT_KEPT);
    a.asked = 0; /* it still has been asked for */
    CHECK(judge(&g, &a) && g.verdict == TAUT_VERDICT_KEPT);
    a.kinetic = 5.1;
    CHECK(judge(&g, &a) && g.verdict != TAUT_VERDICT_KEPT);
}

/* What is twice as long as it should be but for rounding is not made again. */
TAUT_PLAIN_TEST(guard, rounding_is_no_overstretch) {
    const taut_attempt at_limit = {.finite = true, .solved = true, .h = 1, .stretch = 1 + 1e-10};
    taut_guard g = {0};
    taut_guard_begin(&g);
    CHECK(judge(&g, &at_limit));
    CHECK(g.verdict == TAUT_VERDICT_KEPT);
}

/* What is off its length by more than a fifth has not converged; what else was wrong is told first. */
TAUT_PLAIN_TEST(guard, what_is_off_its_length_has_not_converged) {
    const taut_report before = {.overstretch = 0};
    taut_report little = {.stretch = 0.19}, off = {.stretch = 0.21}, damped = {.stretch = 0.21};
    taut_report_join(&little, &before, true, false, false);
    taut_report_join(&off, &before, true, false, false);
    taut_report_join(&damped, &before, true, true, false);
    CHECK_INT(little.outcome, TAUT_SOLVE_CONVERGED);
    CHECK_INT(off.outcome, TAUT_SOLVE_OVERSTRETCHED);
    CHECK_INT(damped.outcome, TAUT_SOLVE_DAMPED);
}

/* Shorter parts may mend what is overstretched; the shortest one is kept, and told. */
TAUT_PLAIN_TEST(guard, overstretched_parts_are_shortened) {
    const taut_attempt far = {.finite = true, .solved = true, .h = 1, .stretch = 1.1};
    const taut_report before = {.overstretch = 0.5};
    taut_report report = {.stretch = 1.1};
    taut_guard g = {0};
    int attempts = 0;
    taut_guard_begin(&g);
    do {
        attempts++;
        CHECK(judge(&g, &far));
    } while (g.verdict == TAUT_VERDICT_AGAIN);
    CHECK_INT(attempts, TAUT_GUARD_SAFE + 1);
    CHECK(g.verdict == TAUT_VERDICT_KEPT && !g.damped);
    taut_report_join(&report, &before, true, false, false);
    CHECK_INT(report.outcome, TAUT_SOLVE_OVERSTRETCHED);
    CHECK_NEAR(report.overstretch, 1.1, 0);
}

/* Hard rows that give back more than half of what a part may gain close slowly, once: to a quarter of that by the
 * square of their speed. */
TAUT_PLAIN_TEST(guard, hard_rows_close_slowly) {
    const double most = TAUT_GUARD_GAIN / 2;
    taut_attempt a = {.finite = true, .solved = true, .slows = true, .hard = 1, .h = 1e-9, .moving = 1, .gain = -most};
    taut_guard g = {0};
    taut_guard_begin(&g);
    CHECK(!taut_guard_slows(&g, &a));
    a.returned = 1.9 * most; /* less than half of it is a gain */
    CHECK(!taut_guard_slows(&g, &a));
    a.returned = 4 * most;
    a.solved = false;
    CHECK(!taut_guard_slows(&g, &a));
    a.solved = true;
    a.slows = false; /* nothing touches */
    CHECK(!taut_guard_slows(&g, &a));
    a.slows = true;
    a.hard = 0; /* contacts alone */
    CHECK(!taut_guard_slows(&g, &a));
    a.hard = 1;
    CHECK(taut_guard_slows(&g, &a) && g.verdict == TAUT_VERDICT_AGAIN);
    CHECK_NEAR(g.slower, 3, 1e-6);
    CHECK_NEAR(taut_guard_integrator(&(taut_integrator){0}, 0, g.slower).hard_row_damping, 3, 1e-6);
    CHECK_NEAR(taut_guard_integrator(&(taut_integrator){0}, 2, g.slower).hard_row_damping, 15, 1e-5);
    CHECK(!taut_guard_slows(&g, &a));
    CHECK(judge(&g, &a) && g.verdict == TAUT_VERDICT_KEPT);
    CHECK_NEAR(g.slower, 0, 0);
    a.returned = 1e6;
    CHECK(taut_guard_slows(&g, &a));
    CHECK_NEAR(g.slower, TAUT_GUARD_SLOWEST, 0);
}

/* What is so long that it has not converged is halved as often as may be. */
TAUT_PLAIN_TEST(guard, what_is_off_its_length_is_made_in_short_parts) {
    taut_attempt off = {.finite = true, .solved = true, .h = 1, .stretch = 0.4, .mends = true};
    taut_guard g = {0};
    taut_guard_begin(&g);
    for (uint32_t i = 0; i < TAUT_GUARD_HALVINGS; i++) {
        CHECK(judge(&g, &off) && g.verdict == TAUT_VERDICT_AGAIN);
        off.stretch *= 0.9;
    }
    CHECK(judge(&g, &off) && g.verdict == TAUT_VERDICT_KEPT);
}

/* What is a little too long is halved twice. Where that has changed nothing, it is left alone for some parts. */
TAUT_PLAIN_TEST(guard, stretch_that_stays_is_left_alone) {
    const taut_attempt same = {.finite = true, .solved = true, .h = 1, .stretch = 0.05, .mends = true};
    const taut_attempt less = {.finite = true, .solved = true, .h = 1, .stretch = 0.03, .mends = true};
    taut_guard stays = {0}, falls = {0};
    taut_guard_begin(&stays);
    taut_guard_begin(&falls);
    for (int i = 0; i < TAUT_GUARD_MENDS; i++) {
        CHECK(judge(&stays, &same) && stays.verdict == TAUT_VERDICT_AGAIN);
        CHECK(judge(&falls, &same) && falls.verdict == TAUT_VERDICT_AGAIN);
    }
    CHECK(judge(&stays, &same) && stays.verdict == TAUT_VERDICT_KEPT);
    CHECK(judge(&falls, &less) && falls.verdict == TAUT_VERDICT_KEPT);
    CHECK_INT(stays.resigned, TAUT_GUARD_RESIGNED);
    CHECK_INT(falls.resigned, 0);
    CHECK(judge(&stays, &same) && stays.verdict == TAUT_VERDICT_KEPT);
    CHECK_INT(stays.resigned, TAUT_GUARD_RESIGNED - 1);
    CHECK(!taut_guard_acts(&stays, same.stretch));
    CHECK(taut_guard_acts(&stays, 2 * same.stretch)); /* something else */
    CHECK_INT(stays.resigned, 0);
}

/* A substep whose first linearisation has stretched something is followed by ones that begin about a guess of their
 * end, until one of these stretches as much, is not needed for long, or has to be made in parts. */
TAUT_PLAIN_TEST(guard, begins_about_a_guess_while_that_stretches_less) {
    const taut_attempt fair = {.finite = true, .solved = true, .h = 1, .stretch = 0.01, .mends = true};
    taut_guard g = {0};
    CHECK(!taut_guard_acts(&g, TAUT_STRETCHED) && !taut_guard_ahead(&g));
    CHECK(taut_guard_acts(&g, 0.03) && taut_guard_ahead(&g));
    CHECK(!taut_guard_acts(&g, 2 * TAUT_STRETCHED) && taut_guard_ahead(&g)); /* as after several linearisations */
    CHECK(taut_guard_acts(&g, 0.02) && taut_guard_ahead(&g));
    taut_guard fails = g, halved = g;
    CHECK(taut_guard_acts(&fails, 0.04) && !taut_guard_ahead(&fails));
    CHECK(taut_guard_acts(&fails, 0.03) && !taut_guard_ahead(&fails));
    CHECK(taut_guard_acts(&fails, 0.05) && taut_guard_ahead(&fails));
    halved.level = 1;
    CHECK(!taut_guard_ahead(&halved));
    for (int i = 0; i < TAUT_GUESS_MEMORY; i++) {
        CHECK(taut_guard_ahead(&g));
        taut_guard_begin(&g);
        CHECK(judge(&g, &fair) && g.verdict == TAUT_VERDICT_KEPT);
    }
    CHECK(!taut_guard_ahead(&g));
}

/* Newton's rounds where nothing but the stretch goes on, from a state that has its scale. */
static void go_on(newton_state* state, const newton_limits* limits, const double stretch[4]) {
    newton_begin(state);
    for (int i = 0; i < 4 && (i == 0 || state->action == NEWTON_SOLVE); i++) {
        const newton_sums sums = {.balance = 1.0 / (1 << 2 * i), .motion = 1};
        newton_decide(state, &sums, 0, stretch[i], limits);
    }
}

static uint32_t solves(bool touches, double first, double second, double third) {
    const newton_limits limits = {.most = 1, .further = 3, .touches = touches};
    const double stretch[] = {first, second, third, 0};
    newton_state state = {.scale = 1};
    go_on(&state, &limits, stretch);
    return state.solves;
}

/* There are two further linearisations, and a third one where the stretch falls; with contacts one, unless others may
 * spare shorter parts. */
TAUT_PLAIN_TEST(guard, more_linearisations_are_made_where_they_spare_parts) {
    CHECK_INT(solves(false, 0.1, 0.09, 0), 3);
    CHECK_INT(solves(false, 0.1, 0.09, 0.08), 3);
    CHECK_INT(solves(false, 0.1, 0.09, 0.05), 4);
    CHECK_INT(solves(false, 0.02, 0.01, 0.006), 4);
    CHECK_INT(solves(true, 0.1, 0.09, 0), 3);
    CHECK_INT(solves(true, 0.1, 0.09, 0.08), 3);
    CHECK_INT(solves(true, 0.1, 0.05, 0.03), 4);
    CHECK_INT(solves(true, 0.1, 0.019, 0), 2);
    CHECK_INT(solves(true, 0.004, 0, 0), 1);
}

/* How often Newton's method goes back from its third iterate, whose merit is `third` after 1 and 0.1. */
static uint32_t halvings(uint32_t most, double third, double stretch) {
    const newton_limits limits = {.most = most, .further = 3};
    const double merit[] = {1, 0.1, third}, stretches[] = {0.1, 0.05, stretch};
    newton_state state = {.scale = 1};
    newton_begin(&state);
    for (int i = 0; i < 3; i++) {
        const newton_sums sums = {.balance = merit[i] * merit[i], .motion = 1};
        newton_decide(&state, &sums, 0, stretches[i], &limits);
    }
    return state.halvings;
}

/* What is linearised again for its stretch alone may come back to its length with a larger merit than the last one,
 * though no larger than the first; Newton's method as such may not. */
TAUT_PLAIN_TEST(guard, less_stretch_may_take_a_larger_merit) {
    CHECK_INT(halvings(1, 0.3, 0.03), 0);
    CHECK_INT(halvings(1, 0.3, 0.06), 1);
    CHECK_INT(halvings(1, 1.1, 0.03), 1);
    CHECK_INT(halvings(5, 0.3, 0.03), 1);
}

/* Rounds in which a system that may be solved loosely is; returns how many there are, and whether the last one was. */
static uint32_t loose_solves(const double stretch[4], bool* last) {
    const newton_limits limits = {.most = 1, .further = 3, .touches = true, .loose = true};
    newton_state state = {.scale = 1, .loose = true};
    go_on(&state, &limits, stretch);
    *last = state.loose;
    return state.solves;
}

/* A part ends with a system that is solved to the tolerance, also where the stretch is gone before. */
TAUT_PLAIN_TEST(guard, the_last_system_of_a_part_is_not_loose) {
    const double gone[4] = {0.1, 0.004, 0.004, 0}, stays[4] = {0.1, 0.09, 0.08, 0}, none[4] = {0.004, 0.004, 0, 0};
    bool last = true;
    CHECK_INT(loose_solves(gone, &last), 3);
    CHECK(!last);
    last = true;
    CHECK_INT(loose_solves(stays, &last), 3);
    CHECK(!last);
    last = true;
    CHECK_INT(loose_solves(none, &last), 2);
    CHECK(!last);
    CHECK(newton_loose(1e-4) == 0.1 && newton_loose(1e-8) == 1e-5 && newton_loose(0.5) == 0.5);
}
