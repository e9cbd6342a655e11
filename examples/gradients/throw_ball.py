"""Throws a light ball into a goal against the wind, by gradients: which velocity does it need?

    python examples/gradients/throw_ball.py

The ball is an octahedron of soft edges in the air; it turns, and its drag depends on the wind."""
import numpy as np
import scipy.optimize
import taut

H, STEPS, GOAL = 1 / 60, 60, np.array([4.0, 1.0, 0.5])
CORNERS = 0.1 * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=float)
EDGES = [(a, b) for a in range(6) for b in range(a + 1, 6) if a // 2 != b // 2]
FACES = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
SPIN = np.cross([0, 0, 6.0], CORNERS)


class Throw:
    def __init__(self):
        scene = taut.Scene()
        scene.add_particles(positions=CORNERS, mass=0.02)
        scene.add_distances(particles=EDGES, compliance=1e-4, damping=0.01)
        scene.add_surfaces(particles=FACES, drag=0.6, friction=0.01, wind=[-3, 0, 1])
        self.world = taut.World(scene, backend="cpu", solver={"tolerance": 1e-8},
                                integrator={"newton": 50, "newton_tolerance": 1e-7})
        self.start = self.world.save()
        self.records = taut.Gradients(self.world, STEPS)

    def miss(self, velocity):
        """L = 1/2 |middle of the ball after the flight - goal|^2, and dL/d(velocity)."""
        self.world.load(self.start)
        self.world.velocities = SPIN + velocity
        self.records.clear()
        for _ in range(STEPS):
            self.records.step(H)
        way = self.world.positions.mean(axis=0) - GOAL
        by_x, by_v = np.tile(way / 6, (6, 1)), np.zeros((6, 3))
        for _ in range(STEPS):
            by_x, by_v = self.records.back(by_x, by_v)
        return 0.5 * way @ way, by_v.sum(axis=0)


def throw(first=(4.0, 4.0, 0.0)):
    """The velocity that hits, from a first guess, and the distance by which the ball misses."""
    found = scipy.optimize.minimize(Throw().miss, first, jac=True, method="BFGS", options={"gtol": 1e-9})
    return found.x, np.sqrt(2 * found.fun), found.nfev


if __name__ == "__main__":
    velocity, distance, flights = throw()
    print(f"thrown at {velocity.round(4)} m/s it misses by {distance:.1e} m, after {flights} flights")
