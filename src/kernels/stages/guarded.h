/* What decides whether a part of a substep is kept (model/guard.h), per constraint and per node; and less of a motion
 * that is not. */
#ifndef TAUT_STAGES_GUARDED_H
#define TAUT_STAGES_GUARDED_H

#include "kernels/formulas/rotation_math.h"
#include "kernels/stages/assemble.h"
#include "kernels/stages/bounds.h"
#include "kernels/stages/contact/one_surface.h"
#include "kernels/stages/driven.h"
#include "kernels/stages/items.h"
#include "kernels/stages/packed.h"
#include "model/guard.h"

/* w of a row: its diagonal of J A^-1 J^T, 0 where the row was not solved for. Light parents move with what they carry.
 */
TAUT_FN double row_response(const taut_fields* f, const taut_sizes* s, size_t at, double weight) {
    const double norm = row_norm(f, s, at);
    const double response = s->count[TAUT_INERTIA] > 0 ? f->response[at] : norm > 0 ? 1 / norm - weight : 0;
    return norm >= 2 / TAUT_SOFTEST && response > 0 ? response : 0;
}

TAUT_FN double stored_in_row(double phi, double compliance) {
    return compliance > 0 ? phi * phi / (2 * compliance) : 0;
}

/* What rows of constraint c have of the damping of hard ones. Of elements only hard ones count as such: their strain is
 * that of a material, and is to stay small. */
TAUT_FN double hard_part(const taut_kind_fields* kind, int k, size_t c) {
    return k == (int)TAUT_MEMBRANE || k == (int)TAUT_TET_STRAIN ? kind->unresolved[c] >= 1 : kind->unresolved[c];
}

/* C' of a row (model/guard.h); `part`: hard_part, 1 - C/(h^2 w) where a step has that. w is 0 where the last system has
 * no law for the row, as projections have none for rows with compliance. */
TAUT_FN double guarded_compliance(double compliance, double part, double w, bool about, const taut_guard_scale* scale) {
    const bool known = w > 0 || part >= 1;
    const double hard = known ? scale->whole * scale->whole * w : compliance / (1 - part);
    if (compliance == 0) {
        return scale->solved ? hard : TAUT_GUARD_HARD * hard;
    }
    if (about) {
        return compliance + part * hard + (1 - part) * scale->h * scale->h * w;
    }
    const double least = (scale->solved && part > scale->hard ? part : scale->hard) * hard;
    return compliance > least ? compliance : least;
}

/* C' of the rows of a constraint and its Cholesky factor, for one of two measures. */
typedef struct guarded_block {
    bool about;  /* as add_stored has it */
    bool counts; /* false where all of its nodes are fixed */
    double packed[TAUT_PACKED(TAUT_BLOCK_ROWS)], factor[TAUT_BLOCK_ROWS][TAUT_BLOCK_ROWS];
} guarded_block;

TAUT_FN void guard_block(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                         const taut_guard_scale* scale, guarded_block* out) {
    const taut_kind_fields* kind = &f->kinds[k];
    const size_t first = s->first_row[k], count = s->count[k], values = TAUT_PACKED(rows);
    double* packed = out->packed;
    out->counts = k != (int)TAUT_ROLLING;
    for (size_t i = 0; i < values; i++) {
        packed[i] = kind->compliance[values * c + i];
    }
    for (size_t r = 0; r < rows && out->counts; r++) {
        const size_t diagonal = packed_index(r, r);
        const double w =
            row_response(f, s, first + place_of(count, rows, c, r), (double)kind->weight[values * c + diagonal]);
        packed[diagonal] = guarded_compliance(packed[diagonal], hard_part(kind, k, c), w, out->about, scale);
        out->counts = packed[diagonal] > 0;
    }
    if (out->counts && k != (int)TAUT_CONTACT) {
        packed_factor(packed, rows, out->factor);
    }
}

/* Of rows that are solved for: -lam.phi + (phi + C lam).C'^-1 (phi + C lam) / 2, which for C' = C is the elastic energy
 * up to a constant; `lam` are the forces of the attempt. Of others lam counts as 0. */
TAUT_FN double stored_about(const taut_kind_fields* kind, size_t rows, size_t c, guarded_block* block,
                            const double* lam, double* phi) {
    double solved[TAUT_BLOCK_ROWS], sum = 0;
    for (size_t r = 0; r < rows; r++) {
        sum -= lam[r] * phi[r];
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t j = 0; j < rows; j++) {
            phi[r] += kind->compliance[TAUT_PACKED(rows) * c + packed_index(r, j)] * lam[j];
        }
    }
    packed_back(block->factor, rows, phi, solved);
    for (size_t r = 0; r < rows; r++) {
        sum += phi[r] * solved[r] / 2;
    }
    return sum;
}

/* The same of rows with bounds, one by one: of those that a bound holds, the work against it, which is that of the
 * force that the attempt has, however soft C' is. */
TAUT_FN double stored_within_bounds(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                                    const double* packed, const double* lam, const double* phi) {
    double sum = 0;
    for (size_t r = 0; r < rows; r++) {
        const double* bounds = f->bound + 2 * (s->first_row[k] + place_of(s->count[k], rows, c, r));
        const double compliance = packed[packed_index(r, r)];
        const double about = phi[r] + f->kinds[k].compliance[TAUT_PACKED(rows) * c + packed_index(r, r)] * lam[r];
        const bool held = lam[r] != 0 && hold_of_force(lam[r], bounds) != TAUT_HELD_NOT;
        sum += held          ? -lam[r] * phi[r]
               : lam[r] != 0 ? stored_in_row(about, compliance) - lam[r] * phi[r]
                             : bounded_energy(phi[r], compliance, bounds);
    }
    return sum;
}

/* What goes back out of a tangle by `depth` gains no more than the energy of the recovery speed u on each way that it
 * makes with that in a part of h: u depth/(2 w h), of which the way u h is u^2/(2 w). */
TAUT_FN double stored_in_drawn(const taut_fields* f, const taut_sizes* s, size_t c, double depth, double h) {
    const double u = f->material_law[TAUT_CONTACT_LAW * (size_t)f->contact_law[c] + TAUT_PAIR_RECOVERY];
    const double weight = (double)f->kinds[TAUT_CONTACT].weight[TAUT_PACKED(contact_ROWS) * c];
    const double w = row_response(f, s, row_of_contact(s, c, 0), weight);
    return w > 0 ? u * depth / (2 * w * h) : 0;
}

/* The energy of constraint c of kind k with `rows` rows; `all`: phi of all rows, at the time `clock` of misfits. */
TAUT_FN double stored_with(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c, const double* all,
                           double clock, guarded_block* block, double h) {
    const size_t first = s->first_row[k], count = s->count[k];
    double phi[TAUT_BLOCK_ROWS], lam[TAUT_BLOCK_ROWS] = {0};
    if (!block->counts || gives_way(&f->kinds[k], c)) {
        return 0;
    }
    load_unknowns_f64(all + first, count, rows, c, phi);
    for (size_t r = 0; r < rows; r++) {
        phi[r] -= misfit_at(&f->kinds[k], rows, c, r, clock);
    }
    if (block->about) {
        load_unknowns_f64(f->lam + first, count, rows, c, lam);
    }
    if (k == (int)TAUT_CONTACT) {
        const double overlap = phi[0] < 0 ? phi[0] : 0;
        const double compliance = f->kinds[k].compliance[TAUT_PACKED(contact_ROWS) * c];
        if (f->contact_feature[c] == TAUT_DRAWN_FEATURE) {
            return stored_in_drawn(f, s, c, -overlap, h);
        }
        return stored_in_row(overlap + compliance * lam[0], block->packed[0]) - lam[0] * overlap;
    }
    if (s->bounded && has_bounds(f, first + place_of(count, rows, c, 0))) {
        return stored_within_bounds(f, s, k, rows, c, block->packed, lam, phi);
    }
    return stored_about(&f->kinds[k], rows, c, block, lam, phi);
}

/* Whether contact c is of parts of one surface that bounds tetrahedra (contact/material.h). */
TAUT_FN bool is_within_material(const taut_fields* f, const taut_sizes* s, size_t c) {
    const size_t finder = f->contact_pair[2 * c], other = f->contact_pair[2 * c + 1];
    const bool point = finder < s->touching, edge = !point && finder < s->touching + s->edges;
    if (!edge && (!point || other < s->colliders)) {
        return false;
    }
    const size_t a = edge ? f->edge_corner[4 * (finder - s->touching)] : finder;
    const size_t b = edge ? f->edge_corner[4 * other] : f->face_corner[4 * (other - s->colliders)];
    return have_one_material(f, a, b);
}

/* J: what contact c returns at most where it opens within h. Parts of one elastic body press on each other by what
 * their elastic forces are, of any size; as it opens, such a contact has as much to give as what goes back out of a
 * tangle (stored_in_drawn). */
TAUT_FN double most_returned(const taut_fields* f, const taut_sizes* s, size_t c, double h) {
    const size_t at = row_of_contact(s, c, 0);
    return is_within_material(f, s, c) ? stored_in_drawn(f, s, c, fmax(f->phi[at] - f->phi_before[at], 0.0), h)
                                       : INFINITY;
}

/* A contact that opens within h as if it had bounced at the start: gravity has that much more or less time. Parts
 * of one elastic body fall alike. */
TAUT_FN void add_bounce(const taut_fields* f, const taut_sizes* s, size_t c, const double gravity[3], double h,
                        taut_guard_sums* sums) {
    const size_t at = row_of_contact(s, c, 0);
    const bool bodies = is_of_bodies(f->kinds[TAUT_CONTACT].rest + contact_REST * c);
    const double from = bodies && f->phi_before[at] < 0 ? 0 : f->phi_before[at];
    const double opening = f->phi[at] - from, most = 2 * h * h * sqrt(vec3_dot(gravity, gravity));
    sums->bounced += opening > 0 && !is_within_material(f, s, c) && f->lam[at] > 0
                         ? f->lam[at] * (opening < most ? opening : most)
                         : 0;
}

/* What goes along a curve (contact/collide_curved.h) has the velocities of an orbit of which positions are
 * (beta - 1/2) h ahead: kinetic and potential energy are of two times, and their sum goes up by
 * -(beta - 1/2) h g.n 2c m in a step that turns the mass m by 2c along n, and down again on the way back. Contact c has
 * the part of that which it has of what bears m. */
TAUT_FN void add_curve(const taut_fields* f, const taut_sizes* s, size_t c, const double gravity[3], double h,
                       double beta, taut_guard_sums* sums) {
    const taut_kind_fields* kind = &f->kinds[TAUT_CONTACT];
    const double* rest = kind->rest + contact_REST * c;
    const double turns = 2 * rest[contact_curve], weighs = -vec3_dot(gravity, rest + contact_normal);
    double moves = 0;
    for (size_t slot = 0; slot < 2 && turns != 0; slot++) {
        moves += rest[contact_weight + slot] != 0 ? f->inverse_mass[kind->nodes[contact_NODES * c + slot]] : 0;
    }
    const double borne = h * weighs + turns, bears = h * moves * f->lam[row_of_contact(s, c, 0)];
    if (moves > 0 && borne > 0) {
        sums->work += (beta - 0.5) * h * weighs * turns / moves * fmin(bears / borne, 1.0);
    }
}

/* Of hard rows and contacts every scheme damps all, of rows as good as hard what it damps of those, else by alpha. */
TAUT_FN void add_stored(const taut_fields* f, const taut_sizes* s, int k, size_t rows, size_t c,
                        const taut_guard_scale* scale, taut_guard_sums* sums) {
    const bool damped = k == (int)TAUT_CONTACT || f->kinds[k].compliance[TAUT_PACKED(rows) * c] == 0;
    const double part = !scale->solved ? 0 : damped ? 1 : 1 - scale->kept * (1 - hard_part(&f->kinds[k], k, c));
    guarded_block block;
    if (k == (int)TAUT_LINEAR) {
        add_linear_drive(f, s, c, &sums->driven);
    } else if (driven_rests(k) > 0) {
        add_drive(f, k, c, &sums->driven);
    }
    block.about = false;
    guard_block(f, s, k, rows, c, scale, &block);
    const double before = stored_with(f, s, k, rows, c, f->phi_before, f->kept_clock[0], &block, scale->h);
    const double now = stored_with(f, s, k, rows, c, f->phi, f->clock[0], &block, scale->h);
    const double hard = damped ? 1 : hard_part(&f->kinds[k], k, c);
    if (k < (int)TAUT_CONTACT && hard >= TAUT_GUARD_AS_HARD) {
        sums->hard++;
        sums->plain_hard += now;
    }
    sums->plain_before += before;
    sums->plain += now;
    sums->driven.soft_before += (1 - hard) * before;
    sums->driven.soft += (1 - hard) * now;
    sums->about_before += (1 - part) * before;
    sums->about += (1 - part) * now;
    if (part > 0) {
        block.about = true;
        guard_block(f, s, k, rows, c, scale, &block);
        const double about_before = stored_with(f, s, k, rows, c, f->phi_before, f->kept_clock[0], &block, scale->h);
        const double now_about = stored_with(f, s, k, rows, c, f->phi, f->clock[0], &block, scale->h);
        const double about =
            k == (int)TAUT_CONTACT ? fmax(now_about, about_before - most_returned(f, s, c, scale->h)) : now_about;
        sums->about_before += part * about_before;
        sums->about += part * about;
        const bool pushes = k == (int)TAUT_CONTACT && is_of_bodies(f->kinds[k].rest + contact_REST * c);
        sums->pushed += pushes ? about_before - about : 0;
    }
}

/* What forces do at unknown node n: their work, and the kinetic energy that they give it within h from rest. */
TAUT_FN void add_work(const taut_fields* f, const taut_sizes* s, size_t n, const double gravity[3], double h,
                      taut_guard_sums* sums) {
    const double mass = f->mass[n];
    add_driven_node(f, s, n, &sums->driven);
    const bool fixed = f->inverse_mass[n] == 0 && (n < s->simple || n >= s->points);
    for (size_t a = 0; !fixed && a < 3; a++) {
        const size_t i = 3 * n + a;
        const double force = f->force[i];
        sums->work += force * (n < s->points ? f->x[i] - f->kept_x[i] : h * f->v[i]);
        if (mass > 0) {
            const double dv = h * (gravity[a] + force / mass);
            sums->kick += mass / 2 * dv * dv;
        }
    }
}

/* Less motion of unknown node n: a share of its velocity, and of its way from where it was kept. Fixed nodes go where
 * they go. */
TAUT_FN void calm_node(const taut_fields* f, const taut_sizes* s, size_t n, double share) {
    if (f->inverse_mass[n] == 0) {
        return;
    }
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        f->v[a] *= share;
        f->dv[a] = f->v[a] - f->kept_v[a];
        f->x[a] = f->kept_x[a] + share * (f->x[a] - f->kept_x[a]);
        f->x_f32[a] = (float)f->x[a];
    }
    if (n >= s->points) {
        double* q = f->orientation + 4 * (n - s->points);
        const double* from = f->kept_orientation + 4 * (n - s->points);
        double inverse[4], turn[4], way[3];
        quat_conjugate(from, inverse);
        quat_multiply(q, inverse, turn);
        quat_log(turn, way);
        for (int a = 0; a < 3; a++) {
            way[a] *= share;
        }
        quat_exp(way, turn);
        quat_multiply(turn, from, q);
        quat_normalise(q, q);
    }
}

/* Its frames have gone back the short way: the angle of angular constraint c is counted from where it was kept. */
TAUT_FN void calm_angle(const taut_fields* f, size_t c) {
    const taut_kind_fields* kind = &f->kinds[TAUT_ANGULAR];
    const size_t now = angular_REST * c + ANGLE_NOW;
    if (counts_turns(kind->rest + angular_REST * c)) {
        kind->rest[now] = kind->kept_rest[now];
    }
}

/* Where condensed parts begin after a part that was kept with less motion: from nothing. What a cut solve has left
 * there is of a motion that is no more, and may be of any size; of the Schur complement it is what cut solves add up
 * to. */
TAUT_FN void forget_impulse(const taut_fields* f, const taut_sizes* s, size_t i) {
    f->gam[i] = is_condensed(f, s, i) ? 0 : f->gam[i];
}

TAUT_FN void forget_motion(const taut_fields* f, const taut_sizes* s, size_t n) {
    const bool forgets = s->condensed && f->condensed_node[n] && f->inverse_mass[n] > 0;
    for (size_t a = 3 * n; a < 3 * n + 3; a++) {
        f->dv[a] = forgets ? 0 : f->dv[a];
    }
}

#endif
