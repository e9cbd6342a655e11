// Boxes by Bullet's sequential impulses. A line a frame: seconds, then all poses.
#include "boxes.h"

#include <btBulletDynamicsCommon.h>

#include <memory>

namespace {

struct Body {
    std::unique_ptr<btCollisionShape> shape;
    std::unique_ptr<btRigidBody> body;
};

Body make(std::unique_ptr<btCollisionShape> shape, double mass, const btTransform& at, double friction) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) {
        shape->calculateLocalInertia(btScalar(mass), inertia);
    }
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shape.get(), inertia);
    info.m_startWorldTransform = at;
    info.m_friction = btScalar(friction);
    auto body = std::make_unique<btRigidBody>(info);
    body->setSleepingThresholds(0, 0);
    body->setActivationState(DISABLE_DEACTIVATION);
    return {std::move(shape), std::move(body)};
}

btVector3 vector(const double* p) {
    return btVector3(btScalar(p[0]), btScalar(p[1]), btScalar(p[2]));
}

void print(const btRigidBody& body) {
    const btVector3 p = body.getWorldTransform().getOrigin();
    const btQuaternion q = body.getWorldTransform().getRotation();
    std::printf(" %.9g %.9g %.9g %.9g %.9g %.9g %.9g", p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z());
}

} // namespace

int main() {
    boxes::Scene scene;
    if (!boxes::read(&scene)) {
        std::fputs("bullet: the scene on standard input ends early\n", stderr);
        return 2;
    }
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase pairs;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &pairs, &solver, &configuration);
    world.setGravity(btVector3(0, btScalar(-scene.gravity), 0));
    world.getSolverInfo().m_numIterations = scene.iterations;
    std::vector<Body> bodies;
    const double root = std::sqrt(scene.friction); // Bullet multiplies the coefficients of a pair
    for (const boxes::Box& b : scene.boxes) {
        const btQuaternion turn(btScalar(b.orientation[1]), btScalar(b.orientation[2]), btScalar(b.orientation[3]),
                                btScalar(b.orientation[0]));
        bodies.push_back(
            make(std::make_unique<btBoxShape>(vector(b.sides) / 2), b.mass, btTransform(turn, vector(b.at)), root));
    }
    for (const boxes::Plane& p : scene.planes) {
        auto shape = std::make_unique<btStaticPlaneShape>(vector(p.normal), vector(p.normal).dot(vector(p.point)));
        bodies.push_back(make(std::move(shape), 0, btTransform::getIdentity(), root));
    }
    for (Body& b : bodies) {
        world.addRigidBody(b.body.get());
    }
    for (int frame = 0; frame < scene.frames; ++frame) {
        const double start = boxes::processor_seconds();
        world.stepSimulation(btScalar(scene.frame), scene.substeps, btScalar(scene.frame / scene.substeps));
        std::printf("%.9g", boxes::processor_seconds() - start);
        for (size_t i = 0; i < scene.boxes.size(); ++i) {
            print(*bodies[i].body);
        }
        std::puts("");
    }
    for (Body& b : bodies) {
        world.removeRigidBody(b.body.get());
    }
    return 0;
}
