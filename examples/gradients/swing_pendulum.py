"""Finds what a double pendulum is, and how to move it, by gradients.

    python examples/gradients/swing_pendulum.py

Two bars hang from the world by hinges. `identify` finds their masses from where they are at the end of a free swing; `reach` finds the
angle that a motor at the upper hinge must turn to in each step, so that the tip is at a goal, at rest, when the motion ends."""
import numpy as np
import scipy.optimize
import taut

H, LENGTH = 1 / 120, 0.5
AXES = [[0.5**0.5, 0, 0.5**0.5, 0]] * 2  # x of the joints along -z of the world: a positive angle lifts the bars towards -x


def bar(mass):
    """About its centre: a thin bar along y of its own axes, 4 cm thick."""
    return taut.inertia_of_box(mass, [0.04, LENGTH, 0.04])


def pendulum(masses, drive=False):
    scene = taut.Scene()
    bodies = scene.add_bodies(positions=[[0, -LENGTH / 2, 0], [0, -1.5 * LENGTH, 0]], masses=masses,
                              inertias=[bar(m) for m in masses])
    upper, lower = bodies.bodies
    joints = dict(type="hinge", orientations=AXES[:1], drive_damping=0)
    first = scene.add_joints(bodies=[[taut.WORLD, upper]], positions=[[0, 0, 0]], drive=drive, drive_compliance=1e-3, **joints)
    scene.add_joints(bodies=[[upper, lower]], positions=[[0, -LENGTH, 0]], **joints)
    world = taut.World(scene, backend="cpu", solver={"method": "direct", "tolerance": 1e-10},
                       integrator={"newton": 50, "newton_tolerance": 1e-9})
    return world, first.drive


def back(records, by_x, by_v):
    while len(records):
        by_x, by_v = records.back(by_x, by_v)
    return by_x, by_v


def swing(masses, steps=60, seen=None):
    """Where the bars are after a push; with `seen`, L = 1/2 |that - seen|^2 and dL/d(masses)."""
    world, _ = pendulum(masses)
    forces = np.zeros_like(world.positions)
    forces[1, 0] = 4  # N, on the lower bar
    world.set_forces(forces)
    records = taut.Gradients(world, steps)
    for _ in range(steps):
        records.step(H)
    if seen is None:
        return world.positions[:2].copy()
    nodes = world.particle_count + world.frame_count
    by_x = np.zeros((nodes, 3))
    by_x[:2] = world.positions[:2] - seen
    back(records, by_x.copy(), np.zeros((nodes, 3)))
    by_mass, by_inertia = records.read("masses")[:2], records.read("inertias")[:2]
    unit = np.asarray(bar(1.0))  # the inertia of a bar is in proportion to its mass
    return 0.5 * (by_x**2).sum(), by_mass + by_inertia @ unit


def identify(true=(0.4, 0.7), first=(1.0, 1.0)):
    seen = swing(true)
    found = scipy.optimize.minimize(lambda logs: _scaled(logs, seen), np.log(first), jac=True, method="BFGS", options={"gtol": 1e-12})
    return np.exp(found.x), found.nfev


def _scaled(logs, seen):
    value, slope = swing(np.exp(logs), seen=seen)
    return 1e3 * value, 1e3 * slope * np.exp(logs)


def moved(angles, goal):
    """The motor turns to these angles, one in each step. L and dL/d(angles)."""
    world, drive = pendulum([0.4, 0.4], drive=True)
    records = taut.Gradients(world, len(angles))
    for angle in angles:
        world.move_targets(drive, [angle])
        records.step(H)
    nodes = world.particle_count + world.frame_count
    by_x, by_v = np.zeros((nodes, 3)), np.zeros((nodes, 3))
    by_x[1] = world.positions[1] - goal
    by_v[:2] = 0.05 * world.velocities[:2]
    value = 0.5 * (by_x**2).sum() + 0.5 * (by_v**2).sum() / 0.05 + 1e-4 * (np.diff(angles) ** 2).sum() / H
    slope = np.zeros(len(angles))
    for i in reversed(range(len(angles))):
        by_x, by_v = records.back(by_x, by_v)
        slope[i] += records.read("targets", drive)[0]
        if i > 0:  # where the step began is where the one before went to
            slope[i - 1] += records.read("rest_values", drive)[0]
        records.clear_sums()
    slope[1:] += 2e-4 * np.diff(angles) / H
    slope[:-1] -= 2e-4 * np.diff(angles) / H
    return value, slope, world.positions[1].copy(), world.velocities[1].copy()


def reach(goal=(-0.45, -0.5, 0), steps=90):
    goal = np.asarray(goal, dtype=float)
    found = scipy.optimize.minimize(lambda a: moved(a, goal)[:2], np.zeros(steps), jac=True, method="L-BFGS-B",
                                    options={"maxiter": 60})
    _, _, place, velocity = moved(found.x, goal)
    return found.x, np.linalg.norm(place - goal), np.linalg.norm(velocity), found.nfev


if __name__ == "__main__":
    masses, swings = identify()
    print(f"the bars have {masses.round(6)} kg, found after {swings} swings")
    _, distance, speed, motions = reach()
    print(f"the motor brings the lower bar to {distance:.3f} m of its goal, where it moves at {speed:.3f} m/s, after {motions} motions")
