/* The impulse of a contact by the convex law, gam = P(y), y = (b - J dv)/R, in float64, and its derivatives. P is of
 * the first degree: with one R, dgam = -gam dR/R at fixed b. Those of b along the normal are differences with the
 * branches of kernels/stages/contact/regularised.h as they are: it has many, and each is smooth. */
#define TAUT_REAL double
#include "host/cpu/cpu_adjoint_contacts.h"

#include <math.h>
#include <string.h>

/* Changes for differences: a part of each input, and no less than these. */
#define LAW_PART  1e-5
#define LAW_LEAST 1e-11 /* m */
#define LAW_SLOW  1e-7  /* m/s */

/* ---- the law ----------------------------------------------------------------------------------------------------- */

static contact_start start_of(const adjoint_rows* rows, const adjoint_inputs* in) {
    const taut_factors* step = &rows->step;
    contact_start at;
    memset(&at, 0, sizeof at);
    memcpy(at.v, in->v, sizeof at.v);
    memcpy(at.last, in->last, sizeof at.last);
    memcpy(at.norm, in->norm, sizeof at.norm);
    at.normal = at.tangent = in->softness;
    at.mu = rows->friction;
    at.phi = in->phi;
    at.load = load_of_force(at.last[0] / step->h, step);
    at.borne = borne_load(&rows->fields, &rows->plan->sizes, 0, step);
    at.chain = rows->note->chain;
    at.across = hypot(at.v[1], at.v[2]);
    at.stops = stops_alone(&at);
    at.together = in->together;
    at.bodies = is_of_bodies(rows->rest);
    at.radius = kept_radius(&rows->fields, &rows->plan->sizes, 0);
    at.fall = in->fall;
    at.meets = in->meets;
    take_fall(&at, rows->alone);
    at.stage = at.bears_on = 1;
    return at;
}

/* b along the normal. */
static double normal_side(const adjoint_rows* rows, const adjoint_inputs* in) {
    contact_start at = start_of(rows, in);
    const double b = regularised_piece(&at, &rows->step.law[TAUT_LAW_CONTACT], rows->values,
                                       rows->values[TAUT_PAIR_DAMPING], &rows->step);
    return b - parting_by_sliding(&at, b, rows->step.h);
}

/* dP/dy R^-1 of what presses. */
static void conductance_of(taut_contact_state state, double mu, double softness, const double y[3], double height,
                           double g[3][3]) {
    const double w = 1 / softness, across = hypot(y[1], y[2]), e = 1 / (1 + mu * mu);
    const double shrink = across > 0 ? mu * height / across : 0;
    memset(g, 0, 9 * sizeof(double));
    if (state == TAUT_CONTACT_STICKS) {
        g[0][0] = g[1][1] = g[2][2] = w;
    } else if (state == TAUT_CONTACT_SLIDES) {
        const double t[2] = {across > 0 ? y[1] / across : 0, across > 0 ? y[2] / across : 0};
        g[0][0] = e * w;
        for (size_t i = 0; i < 2; i++) {
            g[0][1 + i] = g[1 + i][0] = mu * e * w * t[i];
            for (size_t j = 0; j < 2; j++) {
                g[1 + i][1 + j] = w * ((mu * mu * e - shrink) * t[i] * t[j] + (i == j ? shrink : 0));
            }
        }
    }
}

void adjoint_law_of(const adjoint_rows* rows, const adjoint_inputs* in, adjoint_law* law) {
    law->at = start_of(rows, in);
    law->part = friction_kept(&law->at);
    law->b[0] = normal_side(rows, in);
    law->b[1] = law->part * in->softness * in->last[1] - in->v[1];
    law->b[2] = law->part * in->softness * in->last[2] - in->v[2];
    for (size_t r = 0; r < 3; r++) {
        law->y[r] = (law->b[r] - in->moved[r]) / in->softness;
    }
    const double mu = rows->friction, w = 1 / in->softness;
    const taut_contact_state state = project_on_cone(mu, w, w, law->y, law->gam, NULL);
    conductance_of(state, mu, in->softness, law->y, law->gam[0], law->conductance);
}

/* ---- slopes ------------------------------------------------------------------------------------------------------ */

/* Of b along the normal by one input. */
static double side_slope(const adjoint_rows* rows, const adjoint_inputs* in, size_t input, double least) {
    adjoint_inputs ahead = *in, behind = *in;
    const double value = ((const double*)in)[input], way = fmax(LAW_PART * fabs(value), least);
    if (!(way > 0)) {
        return 0; /* of the last impulse: there was none, and nothing changes that */
    }
    ((double*)&ahead)[input] = value + way;
    ((double*)&behind)[input] = value - way;
    return (normal_side(rows, &ahead) - normal_side(rows, &behind)) / (2 * way);
}

#define INPUT(name) (offsetof(adjoint_inputs, name) / sizeof(double))

void adjoint_law_slopes(const adjoint_rows* rows, const adjoint_inputs* in, const adjoint_law* law,
                        adjoint_inputs* out) {
    double g[3];
    memset(out, 0, sizeof *out);
    for (size_t r = 0; r < 3; r++) {
        g[r] = vec3_dot(law->conductance[r], in->reach);
        out->moved[r] = -g[r];
        out->reach[r] = law->gam[r];
    }
    for (size_t i = 0; i < INPUT(moved); i++) {
        const double least = i == INPUT(phi)                                           ? LAW_LEAST
                             : (i >= INPUT(v) && i < INPUT(last)) || i == INPUT(meets) ? LAW_SLOW
                                                                                       : 0;
        ((double*)out)[i] = g[0] * side_slope(rows, in, i, least);
    }
    out->softness -= vec3_dot(law->gam, in->reach) / in->softness;
    for (size_t r = 1; r < 3; r++) {
        out->v[r] -= g[r];
        out->last[r] += law->part * in->softness * g[r];
        out->softness += law->part * g[r] * in->last[r];
    }
}

double adjoint_law_slope(adjoint_rows* rows, const adjoint_inputs* in, double* value) {
    const double was = *value, way = LAW_PART * fmax(was, LAW_PART), back = was < way ? was : way;
    adjoint_law ahead, behind;
    *value = was + way;
    adjoint_law_of(rows, in, &ahead);
    *value = was - back;
    adjoint_law_of(rows, in, &behind);
    *value = was;
    return (vec3_dot(ahead.gam, in->reach) - vec3_dot(behind.gam, in->reach)) / (way + back);
}
