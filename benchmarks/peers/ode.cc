// Boxes by the Open Dynamics Engine: its collision detection, QuickStep. A line a frame: seconds, then all poses.
#include "boxes.h"

#include <ode/ode.h>

namespace {

struct World {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    double friction;
};

void touch(void* data, dGeomID a, dGeomID b) {
    World* world = static_cast<World*>(data);
    dContact found[8];
    const int count = dCollide(a, b, 8, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; ++i) {
        found[i].surface.mode = dContactApprox1;
        found[i].surface.mu = world->friction;
        dJointAttach(dJointCreateContact(world->world, world->contacts, found + i), dGeomGetBody(a), dGeomGetBody(b));
    }
}

dBodyID add(const World& world, const boxes::Box& box) {
    const dQuaternion turn = {box.orientation[0], box.orientation[1], box.orientation[2], box.orientation[3]};
    dBodyID body = dBodyCreate(world.world);
    dGeomID geom = dCreateBox(world.space, box.sides[0], box.sides[1], box.sides[2]);
    dMass mass;
    dMassSetBoxTotal(&mass, box.mass, box.sides[0], box.sides[1], box.sides[2]);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, box.at[0], box.at[1], box.at[2]);
    dBodySetQuaternion(body, turn);
    dGeomSetBody(geom, body);
    return body;
}

void step(World* world, double h) {
    dSpaceCollide(world->space, world, touch);
    dWorldQuickStep(world->world, h);
    dJointGroupEmpty(world->contacts);
}

void print(dBodyID body) {
    const dReal *p = dBodyGetPosition(body), *q = dBodyGetQuaternion(body);
    std::printf(" %.9g %.9g %.9g %.9g %.9g %.9g %.9g", p[0], p[1], p[2], q[0], q[1], q[2], q[3]);
}

} // namespace

int main() {
    boxes::Scene scene;
    if (!boxes::read(&scene)) {
        std::fputs("ode: the scene on standard input ends early\n", stderr);
        return 2;
    }
    dInitODE();
    World world = {dWorldCreate(), dHashSpaceCreate(nullptr), dJointGroupCreate(0), scene.friction};
    dWorldSetGravity(world.world, 0, -scene.gravity, 0);
    dWorldSetQuickStepNumIterations(world.world, scene.iterations);
    for (const boxes::Plane& p : scene.planes) {
        const double* n = p.normal;
        dCreatePlane(world.space, n[0], n[1], n[2], n[0] * p.point[0] + n[1] * p.point[1] + n[2] * p.point[2]);
    }
    std::vector<dBodyID> bodies;
    for (const boxes::Box& box : scene.boxes) {
        bodies.push_back(add(world, box));
    }
    for (int frame = 0; frame < scene.frames; ++frame) {
        const double start = boxes::processor_seconds();
        for (int i = 0; i < scene.substeps; ++i) {
            step(&world, scene.frame / scene.substeps);
        }
        std::printf("%.9g", boxes::processor_seconds() - start);
        for (dBodyID body : bodies) {
            print(body);
        }
        std::puts("");
    }
    dCloseODE();
    return 0;
}
