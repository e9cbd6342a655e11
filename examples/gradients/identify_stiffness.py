"""Identifies the stiffness of a hanging cloth from two frames of its fall, by gradients through the steps.

    python examples/gradients/identify_stiffness.py

The frames are made by the same cloth with a compliance that the search does not know."""
import math

import numpy as np
import scipy.optimize
import taut

SIDE, H, FRAMES = 9, 1 / 60, (12, 24)


def cloth():
    """A sheet of 1 m that falls from the horizontal, held at two corners: scene, and its threads."""
    axis = np.linspace(0, 1, SIDE)
    x, z = np.meshgrid(axis, axis, indexing="ij")
    number = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:]), (number[:-1, :-1], number[1:, 1:])]
    scene = taut.Scene()
    scene.add_particles(positions=np.stack([x.ravel(), 0 * x.ravel(), z.ravel()], axis=1), mass=0.2 / SIDE**2)
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in pairs])
    threads = scene.add_distances(particles=edges, compliance=1e-3, damping=0.01)
    scene.set_fixed([number[0, 0], number[0, -1]])
    return scene, threads


class Fall:
    """The fall of the cloth by the compliance of its threads."""

    def __init__(self):
        scene, self.threads = cloth()
        self.world = taut.World(scene, backend="cpu", solver={"tolerance": 1e-8},
                                integrator={"newton": 50, "newton_tolerance": 1e-7})
        self.start = self.world.save()
        self.records = taut.Gradients(self.world, max(FRAMES))

    def frames(self, compliance):
        """The positions in FRAMES, with the steps recorded."""
        self.world.load(self.start)
        self.world.set_compliances(self.threads, compliance)
        self.records.clear()
        seen = []
        for frame in range(1, max(FRAMES) + 1):
            self.records.step(H)
            if frame in FRAMES:
                seen.append(self.world.positions.copy())
        return seen

    def difference(self, compliance, measured):
        """L = 1/2 mean |x - measured|^2 of the frames, and dL/d(compliance)."""
        parts = [x - y for x, y in zip(self.frames(compliance), measured)]
        by_x = np.zeros_like(parts[0])
        by_v = np.zeros_like(parts[0])
        for frame in range(max(FRAMES), 0, -1):
            if frame in FRAMES:
                by_x += parts[FRAMES.index(frame)] / parts[0].size
            by_x, by_v = self.records.back(by_x, by_v)
        value = sum((part**2).sum() for part in parts) / (2 * parts[0].size)
        return value, self.records.read("compliances", self.threads).sum()


def identify(truth=4e-3, first=4e-4):
    """The compliance that is found from `first`, with the values of L on the way."""
    fall, values = Fall(), []
    measured = fall.frames(truth)

    def by_logarithm(p):
        compliance = math.exp(p[0])
        value, slope = fall.difference(compliance, measured)
        values.append(value)
        return 1e4 * value, np.array([1e4 * slope * compliance])

    found = scipy.optimize.minimize(by_logarithm, [math.log(first)], jac=True, method="BFGS", options={"gtol": 1e-8})
    return math.exp(found.x[0]), values


if __name__ == "__main__":
    compliance, values = identify()
    print(f"compliance {compliance:.6e} m/N, true 4e-3; {len(values)} falls, L from {values[0]:.2e} to {values[-1]:.2e} m^2")
