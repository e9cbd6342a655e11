"""Finds what a cloth is from how it drapes over a ball, by gradients through contacts.

    python examples/gradients/drape_cloth.py

A sheet falls on a ball. Its softness (1/E of its membrane) and its mass are found from where it is in three frames, seen from a
sheet whose values the search does not know. Without forces from outside the mass of a sheet that falls would not show; a breeze that
pushes it does that."""
import numpy as np
import scipy.optimize
import taut

SIDE, H, STEPS, SEEN = 5, 1 / 240, 60, (20, 40, 59)


class Sheet:
    def __init__(self, softness, mass):
        axis = np.linspace(-0.2, 0.2, SIDE)
        x, z = np.meshgrid(axis, axis, indexing="ij")
        number = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
        a, b, c, d = (part.ravel() for part in (number[:-1, :-1], number[:-1, 1:], number[1:, :-1], number[1:, 1:]))
        triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([c, b, d], axis=1)])
        scene = taut.Scene()
        cotton = scene.add_material(friction=0.3)
        scene.add_particles(positions=np.stack([x.ravel() + 0.01, 0 * x.ravel() + 0.03, z.ravel() - 0.02], axis=1),
                            mass=mass / SIDE**2)
        self.membranes = scene.add_membranes(particles=triangles, softness=softness, damping=0.01)
        scene.add_contact_surface(triangles=triangles, radius=0.01, material=cotton)
        scene.add_colliders(shape="sphere", size=[0.15, 1, 1], positions=[[0, -0.15, 0]], material=cotton)
        self.world = taut.World(scene, backend="cpu", solver={"method": "projected_gradient", "tolerance": 1e-9,
                                                              "max_iterations": 20000},
                                integrator={"newton": 100, "newton_tolerance": 1e-7})
        self.world.set_forces(np.tile([0.004, 0, 0.002], (SIDE**2, 1)))  # N: a breeze

    def fall(self, step):
        places = []
        for i in range(STEPS):
            step(H)
            if i in SEEN:
                places.append(self.world.positions.copy())
        return np.array(places)


def fall(softness, mass):
    sheet = Sheet(softness, mass)
    return sheet.fall(sheet.world.step)


def difference(logs, seen):
    """By the logarithms of softness and mass: L = 1/2 mean |x - seen|^2, and its derivatives."""
    softness, mass = np.exp(logs)
    sheet = Sheet(softness, mass)
    records = taut.Gradients(sheet.world, STEPS)
    parts = (sheet.fall(records.step) - seen) / seen.size
    by_x, by_v = np.zeros((SIDE**2, 3)), np.zeros((SIDE**2, 3))
    for i in reversed(range(STEPS)):
        if i in SEEN:
            by_x = by_x + parts[SEEN.index(i)]
        by_x, by_v = records.back(by_x, by_v)
    slopes = [records.read("compliances", sheet.membranes).sum() * softness, records.read("masses").sum() / SIDE**2 * mass]
    return 1e4 * 0.5 * seen.size * float((parts**2).sum()), 1e4 * np.array(slopes)


def identify(true=(5e-3, 0.06), first=(1e-2, 0.1)):
    seen = fall(*true)
    found = scipy.optimize.minimize(difference, np.log(first), args=(seen,), jac=True, method="BFGS", options={"gtol": 1e-9})
    return np.exp(found.x), found.nfev


if __name__ == "__main__":
    (softness, mass), falls = identify()
    print(f"the cloth has a softness of {softness:.6f} m/N and a mass of {mass:.6f} kg, found after {falls} falls")
