#include "phys_pendulums.h"

#include <math.h>
#include <string.h>

/* Distance along link k that moves the centre of mass of link i: all of it, a part or nothing. */
static double share(const phys_links* s, int i, int k) {
    return k < i ? s->length[k] : k == i ? s->centre * s->length[k] : 0;
}

/* sum_i m_i c_ij c_ik with c_ik = share(i, k) */
static double coupling(const phys_links* s, int j, int k) {
    double m = 0;
    for (int i = 0; i < s->count; i++) {
        m += s->mass[i] * share(s, i, j) * share(s, i, k);
    }
    return m;
}

/* With m_jk the couplings,
 *   sum_k m_jk cos(t_j - t_k) t_k'' + m_jk sin(t_j - t_k) t_k'^2 + delta_jk I_j t_k'' = -g sum_i m_i c_ij sin t_j. */
void phys_links_rate(const void* links, const double* y, double* rate) {
    const phys_links* s = links;
    const int n = s->count;
    double matrix[PHYS_MOST_LINKS * PHYS_MOST_LINKS], side[PHYS_MOST_LINKS];
    for (int j = 0; j < n; j++) {
        side[j] = 0;
        for (int i = 0; i < n; i++) {
            side[j] -= PHYS_GRAVITY * s->mass[i] * share(s, i, j) * sin(y[j]);
        }
        for (int k = 0; k < n; k++) {
            const double m = coupling(s, j, k);
            matrix[n * j + k] = m * cos(y[j] - y[k]) + (j == k ? s->inertia[j] : 0);
            side[j] -= m * sin(y[j] - y[k]) * y[n + k] * y[n + k];
        }
    }
    phys_solve((size_t)n, matrix, side);
    memcpy(rate, y + n, (size_t)n * sizeof *rate);
    memcpy(rate + n, side, (size_t)n * sizeof *rate);
}

double phys_links_energy(const phys_links* s, const double* y) {
    double energy = 0;
    for (int i = 0; i < s->count; i++) {
        double v[2] = {0, 0}, height = 0;
        const double rate = y[s->count + i];
        for (int k = 0; k <= i; k++) {
            v[0] += share(s, i, k) * cos(y[k]) * y[s->count + k];
            v[1] += share(s, i, k) * sin(y[k]) * y[s->count + k];
            height -= share(s, i, k) * cos(y[k]);
        }
        energy +=
            s->mass[i] * ((v[0] * v[0] + v[1] * v[1]) / 2 + PHYS_GRAVITY * height) + s->inertia[i] * rate * rate / 2;
    }
    return energy;
}

void phys_links_point(const phys_links* s, const double* y, int i, double along, double x[3]) {
    x[0] = x[1] = x[2] = 0;
    for (int k = 0; k <= i; k++) {
        const double part = k < i ? s->length[k] : along * s->length[k];
        x[0] += part * sin(y[k]);
        x[1] -= part * cos(y[k]);
    }
}

void phys_links_after(const phys_links* s, const double* angles, double duration, double* y) {
    memset(y, 0, 2 * (size_t)s->count * sizeof *y);
    memcpy(y, angles, (size_t)s->count * sizeof *y);
    phys_rk4(phys_links_rate, s, 2 * (size_t)s->count, y, duration, (size_t)lround(duration / 1e-4));
}

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

#define WIDTH 0.05 /* m, of bars */

const double phys_first_angles[PHYS_MOST_LINKS] = {1.2, 0.7, 1.6};

phys_links phys_point_links(int count) {
    return (phys_links){.count = count, .length = {0.5, 0.4, 0.3}, .mass = {1, 0.6, 0.8}, .centre = 1};
}

phys_links phys_bar_links(void) {
    phys_links bars = phys_point_links(3);
    bars.centre = 0.5;
    for (int i = 0; i < 3; i++) {
        bars.inertia[i] = bars.mass[i] * (bars.length[i] * bars.length[i] + WIDTH * WIDTH) / 12;
    }
    return bars;
}

taut_scene* phys_hang_points(const phys_links* links) {
    double points[3 * (PHYS_MOST_LINKS + 1)] = {0}, masses[PHYS_MOST_LINKS + 1] = {1};
    const phys_tuples edges = {(size_t)links->count, (uint32_t[]){0, 1, 1, 2, 2, 3}};
    for (int i = 0; i < links->count; i++) {
        phys_links_point(links, phys_first_angles, i, 1, points + 3 * (i + 1));
        masses[i + 1] = links->mass[i];
    }
    taut_scene* scene = phys_scene((size_t)links->count + 1, points, masses);
    phys_add_links(scene, &edges, 0, 0);
    phys_fix(scene, 1, (const uint32_t[]){0});
    return scene;
}

taut_scene* phys_hang_bars(const phys_links* links, taut_joint_type type, taut_body* handles) {
    taut_scene* scene = phys_empty_scene();
    double axes[4], from[3] = {0, 0, 0}, to[3];
    taut_body above = TAUT_WORLD;
    phys_hinge_about_z(axes);
    for (int i = 0; i < links->count; i++) {
        phys_links_point(links, phys_first_angles, i, 1, to);
        const phys_body bar = phys_bar(from, to, WIDTH, links->mass[i]);
        handles[i] = phys_add_body(scene, &bar);
        phys_add_joint(scene, type, above, handles[i], from, axes);
        above = handles[i];
        memcpy(from, to, sizeof from);
    }
    return scene;
}
