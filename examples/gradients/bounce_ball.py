"""Throws a ball at the floor so that it bounces into a goal, by gradients: which velocity does it need?

    python examples/gradients/bounce_ball.py

The goal is where the ball is after 0.9 s. Friction and the bounce take speed from it on the floor."""
import numpy as np
import scipy.optimize
import taut

H, STEPS, RADIUS, GOAL = 1 / 120, 108, 0.1, np.array([3.0, 0.9, 0.5])


class Throw:
    def __init__(self):
        scene = taut.Scene()
        rubber = scene.add_material(friction=0.2, restitution=0.8)
        scene.add_particles(positions=[[0, 1.2, 0]], mass=0.05)
        scene.add_contact_points(particles=[0], radius=RADIUS, material=rubber)
        upwards = [np.sqrt(0.5), -np.sqrt(0.5), 0, 0]  # the normal of a plane is its z axis
        scene.add_colliders(shape="plane", orientations=[upwards], material=rubber)
        self.world = taut.World(scene, backend="cpu", solver={"tolerance": 1e-9},
                                integrator={"newton": 20, "newton_tolerance": 1e-8})
        self.start = self.world.save()
        self.records = taut.Gradients(self.world, STEPS)
        self.lowest = 0.0

    def miss(self, velocity):
        """L = 1/2 |ball after the flight - goal|^2, and dL/d(velocity)."""
        self.world.load(self.start)
        self.world.velocities = [velocity]
        self.records.clear()
        self.lowest = np.inf
        for _ in range(STEPS):
            self.records.step(H)
            self.lowest = min(self.lowest, self.world.positions[0, 1] - RADIUS)
        way = self.world.positions - GOAL
        by_x, by_v = way.copy(), np.zeros((1, 3))
        while len(self.records):
            by_x, by_v = self.records.back(by_x, by_v)
        return 0.5 * float((way * way).sum()), by_v[0]


def throw(first=(3.0, -2.0, 0.0)):
    """The velocity that hits, from a first guess; the distance by which the ball misses; how near it came to the floor."""
    ball = Throw()
    found = scipy.optimize.minimize(ball.miss, first, jac=True, method="BFGS", options={"gtol": 1e-9})
    value, _ = ball.miss(found.x)
    return found.x, np.sqrt(2 * value), ball.lowest, found.nfev


if __name__ == "__main__":
    velocity, distance, lowest, flights = throw()
    print(f"thrown at {velocity.round(4)} m/s it comes within {lowest:.3f} m of the floor and misses by {distance:.1e} m, "
          f"after {flights} flights")
