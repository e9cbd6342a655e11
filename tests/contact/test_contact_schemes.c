/* Contact in every formulation of the step, on mapped points, and whatever method is asked for. */
#include "contact_scenes.h"

#include <math.h>

#define SLOPE 0.4 /* rad */
#define H     0.01

/* A particle on a slope that falls towards +x. */
static taut_world* make_slide(const taut_world_def* def, double friction) {
    taut_scene* scene = phys_scene(1, (const double[]){0, 0, 0}, NULL);
    const uint32_t material = contact_material(scene, friction, 0);
    contact_plane(scene, (const double[]){sin(SLOPE), cos(SLOPE), 0}, NULL, material);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, material);
    return phys_world(scene, def);
}

/* Contacts are taken at the end of the step in all of them: what slides does so with g (sin - mu cos), what sticks
 * rests, and both stay on the plane. */
static void check_slide(const taut_world_def* def, const char* name) {
    const double frictions[] = {0.2, 0.6}, down[3] = {cos(SLOPE), -sin(SLOPE), 0}, up[3] = {sin(SLOPE), cos(SLOPE), 0};
    for (int i = 0; i < 2; i++) {
        taut_world* world = make_slide(def, frictions[i]);
        const double a = PHYS_GRAVITY * fmax(sin(SLOPE) - frictions[i] * cos(SLOPE), 0);
        double x[3], v[3];
        contact_run(world, 10, H, NULL);
        phys_position(world, 0, x);
        phys_velocity(world, 0, v);
        test_note("%s, friction %g", name, frictions[i]);
        CHECK_NEAR(phys_dot(v, down), a * 10 * H, CONTACT_CLOSE);
        CHECK_NEAR(phys_dot(v, up), 0, CONTACT_CLOSE);
        CHECK_NEAR(phys_dot(x, up), 0, CONTACT_CLOSE);
        taut_world_destroy(world);
    }
    test_note(NULL);
}

TAUT_TEST(contact_schemes, every_formulation) {
    for (int preset = 0; preset < TAUT_PRESET_SDIRK2; preset++) { /* which does not take contact */
        taut_world_def def = contact_world_def(backend);
        def.integrator = phys_preset((taut_preset)preset);
        check_slide(&def, taut_preset_name((taut_preset)preset));
    }
    taut_world_def def = contact_world_def(backend);
    def.integrator.newton = 10;
    def.integrator.newton_tolerance = 1e-11;
    check_slide(&def, "Newton");
    def.integrator.two_stage = true;
    check_slide(&def, "two stages");
    def = contact_world_def(backend);
    def.integrator.substeps = 3;
    check_slide(&def, "substeps");
    def = contact_world_def(backend);
    def.integrator.project_positions = 2;
    def.integrator.project_velocities = true;
    check_slide(&def, "projections");
}

/* The step in which a particle lands ends on the plane, v' = -phi / h, also where it is linearised anew or in two
 * stages. */
static void check_landing(const taut_world_def* def, const char* name) {
    const double gap = 0.004;
    taut_scene* scene = phys_scene(1, (const double[]){0, gap, 0}, NULL);
    contact_ground(scene, 0);
    contact_touch(scene, 1, (const uint32_t[]){0}, 0, 0);
    taut_world* world = phys_world(scene, def);
    double x[3], v[3];
    CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, -1, 0}));
    contact_run(world, 1, H, NULL);
    phys_position(world, 0, x);
    phys_velocity(world, 0, v);
    test_note("%s", name);
    CHECK_NEAR(x[1], 0, CONTACT_CLOSE);
    CHECK_NEAR(v[1], -gap / H, CONTACT_CLOSE);
    test_note(NULL);
    taut_world_destroy(world);
}

TAUT_TEST(contact_schemes, landing) {
    taut_world_def def = contact_world_def(backend);
    check_landing(&def, "one linearisation");
    def.integrator.newton = 10;
    def.integrator.newton_tolerance = 1e-11;
    check_landing(&def, "Newton");
    def.integrator.two_stage = true;
    check_landing(&def, "two stages");
}

/* Contacts are taken at x + h v' by every formulation but explicit Euler, which takes them at x' + h v': the speed
 * after landing is the same whatever x' is, nothing bounces, and what has gone too deep comes back; hard or with
 * compliance. */
TAUT_TEST(contact_schemes, landing_by_every_formulation) {
    for (int preset = 0; preset < TAUT_PRESET_BAUMGARTE_RK4; preset++) {
        for (int soft = 0; soft < 2; soft++) {
            const double gap = 0.004, compliance = soft ? 1e-6 : 0;
            taut_world_def def = contact_world_def(backend);
            taut_material_def law = taut_default_material();
            double x[3], v[3];
            CHECK_OK(taut_integrator_preset((taut_preset)preset, &def.integrator));
            law.compliance = compliance;
            taut_scene* scene = phys_scene(1, (const double[]){0, gap, 0}, NULL);
            contact_ground(scene, contact_material_of(scene, law));
            contact_touch(scene, 1, (const uint32_t[]){0}, 0, 0);
            taut_world* world = phys_world(scene, &def);
            CHECK_OK(taut_world_write(world, TAUT_FIELD_VELOCITIES, 0, 1, (const double[]){0, -1, 0}));
            test_note("%s, compliance %g", taut_preset_name((taut_preset)preset), compliance);
            contact_run(world, 1, H, NULL);
            phys_velocity(world, 0, v);
            const double beyond = preset == TAUT_PRESET_EXPLICIT_EULER ? H : 0; /* x' = x + h v is not in its hands */
            CHECK_NEAR(v[1], (beyond - gap) / H, soft ? 0.02 : CONTACT_CLOSE);
            contact_run(world, 60, H, NULL);
            phys_position(world, 0, x);
            phys_velocity(world, 0, v);
            CHECK_NEAR(x[1], -compliance * PHYS_GRAVITY, CONTACT_CLOSE);
            CHECK_NEAR(v[1], 0, CONTACT_CLOSE);
            test_note(NULL);
            taut_world_destroy(world);
        }
    }
}

/* Scenes in which something can touch are solved by the condensed system. */
TAUT_TEST(contact_schemes, condensed) {
    taut_world_def def = contact_world_def(backend);
    def.solver.method = TAUT_METHOD_CONDENSED;
    check_slide(&def, "condensed");
    def.solver.preconditioner = TAUT_PRECONDITIONER_NONE;
    check_slide(&def, "no preconditioner");
}

/* A point that is mapped from a body touches for it: the body stands on three of them and its weight is theirs. */
TAUT_TEST(contact_schemes, mapped_points_touch) {
    phys_body at = contact_at(0, 0.2, 0);
    double v[3], force[3];
    uint32_t points[3];
    taut_scene* scene = phys_empty_scene();
    taut_inertia_of_box(1, (const double[]){0.4, 0.4, 0.4}, at.inertia);
    const taut_body body = phys_add_body(scene, &at);
    for (int i = 0; i < 3; i++) {
        const double angle = 2 * PHYS_PI / 3 * i;
        points[i] = phys_add_body_point(scene, body, (const double[]){0.2 * cos(angle), 0.05, 0.2 * sin(angle)});
    }
    contact_ground(scene, 0);
    contact_touch(scene, 3, points, 0.05, 0);
    const taut_world_def def = contact_world_def(backend);
    taut_world* world = phys_world(scene, &def);
    contact_run(world, 10, H, NULL);
    phys_velocity(world, body.point, v);
    contact_sum(world, force);
    CHECK_NEAR(phys_length(v), 0, CONTACT_CLOSE);
    CHECK_NEAR(force[1], PHYS_GRAVITY, CONTACT_CLOSE / H);
    taut_world_destroy(world);
}
