"""Throws a box so that it slides to a goal on the ground, and finds the friction of a floor, by gradients.

    python examples/gradients/throw_box.py

`throw` finds the velocity with which a box must leave the hand, 30 cm above the ground, so that it lies at the goal in the end.
`identify` finds the coefficient of friction from where a box is 0.4 s and 0.8 s after a push."""
import numpy as np
import scipy.optimize
import taut

H, HALF, MASS = 1 / 120, [0.15, 0.1, 0.2], 2.0


class Box:
    """A box above, or on, a floor; `height` is that of its lower side."""

    def __init__(self, friction, height, steps):
        scene = taut.Scene()
        wood = scene.add_material(friction=friction)
        sides = [2 * half for half in HALF]
        box = scene.add_bodies(positions=[[0, HALF[1] + height, 0]], mass=MASS, inertias=[taut.inertia_of_box(MASS, sides)])
        scene.add_colliders(shape="box", size=HALF, bodies=box.bodies, material=wood)
        upwards = [np.sqrt(0.5), -np.sqrt(0.5), 0, 0]  # the normal of a plane is its z axis
        scene.add_colliders(shape="plane", orientations=[upwards], material=wood)
        self.wood = wood
        self.world = taut.World(scene, backend="cpu", solver={"tolerance": 1e-10},
                                integrator={"newton": 50, "newton_tolerance": 1e-8})
        self.records = taut.Gradients(self.world, steps)

    def go(self, velocity, steps):
        """The places of the centre after each step."""
        self.world.velocities = [velocity]
        places = []
        for _ in range(steps):
            self.records.step(H)
            places.append(self.world.positions[0].copy())
        return np.array(places)

    def back(self, by_places):
        """From dL/d(places) to dL/dv at the start; sums are added to."""
        by_x, by_v = np.zeros((2, 3)), np.zeros((2, 3))  # the centre, and its frame
        for by_place in by_places[::-1]:
            by_x[0] += by_place
            by_x, by_v = self.records.back(by_x, by_v)
        return by_v[0]


def miss(across, goal, steps=150):
    """Thrown with the speeds (vx, vz): L = 1/2 |where it lies - goal|^2, and its derivatives."""
    box = Box(friction=0.4, height=0.3, steps=steps)
    places = box.go([across[0], 0, across[1]], steps)
    by_places = np.zeros_like(places)
    by_places[-1] = (places[-1] - goal) * [1, 0, 1]
    slope = box.back(by_places)
    return 0.5 * float((by_places[-1] ** 2).sum()), slope[[0, 2]]


def throw(goal=(1.5, 0, 0.6), first=(1.5, 0.5)):
    """The speeds that bring it there, from a first guess; by how much it misses; throws."""
    found = scipy.optimize.minimize(miss, first, args=(np.asarray(goal, float),), jac=True, method="BFGS", options={"gtol": 1e-9})
    return found.x, np.sqrt(2 * found.fun), found.nfev


SEEN = (47, 95)  # steps


def slide(friction, seen=None):
    """The places in SEEN; with those of another box, L and dL/d(friction)."""
    box = Box(friction, height=1e-4, steps=max(SEEN) + 1)
    places = box.go([2.5, 0, 0.3], max(SEEN) + 1)
    if seen is None:
        return places[list(SEEN)]
    by_places = np.zeros_like(places)
    by_places[list(SEEN)] = places[list(SEEN)] - seen
    box.back(by_places)
    return 0.5 * float((by_places**2).sum()), box.records.read("frictions")[box.wood, box.wood]


def identify(true=0.25, first=0.1):
    seen = slide(true)
    found = scipy.optimize.minimize(lambda mu: tuple(np.asarray(part) for part in slide(float(mu[0]), seen)), [first], jac=True,
                                    method="BFGS", options={"gtol": 1e-10})
    return float(found.x[0]), found.nfev


if __name__ == "__main__":
    speeds, distance, throws = throw()
    print(f"thrown at {speeds.round(4)} m/s the box stops {distance:.1e} m from its goal, after {throws} throws")
    friction, slides = identify()
    print(f"the floor has a friction of {friction:.6f}, found after {slides} slides")
