#!/usr/bin/env python3
"""A sheet or a garment that falls on a ball, by taut and by other solvers, in turn in one run.

cloth.py --taut BUILD/bin/taut --check BUILD/bin/check_surface [--mesh FILE.obj --scale S --turn DEGREES] [--cells 24]
         [--engines PART,...] [--frames 120] [--csv FILE]

The cloth has 0.2 kg/m^2, a Young's modulus times thickness of 1000 N/m and Poisson's ratio 0.3; friction is 0.5, the ball
has a radius of 0.3 m and stands on the ground. A mesh is turned about x and scaled, and its middle put over the ball.
MuJoCo and Newton are taken from the packages mujoco and newton of PyPI, in one thread. A row of Markdown for each engine:

- ms a frame: processor time in one thread;
- cuts: edges that go through triangles of the cloth, the most of every tenth frame and in the last one (check_surface);
- inside: depth of the deepest vertex in the ball, over every tenth frame, mm;
- stretch: of the edge that is longest against its start, over every tenth frame, and the 95th percentile in the last one.
"""
import argparse
import csv
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

from engines import child_seconds, step_newton
from scenes import FRAME, GRAVITY
from table import chosen

DENSITY, YOUNG, POISSON, THICKNESS, FRICTION, RADIUS = 0.2, 1000.0, 0.3, 0.004, 0.5, 0.3
COLUMNS = ("engine", "vertices", "ms_a_frame", "cuts_most", "cuts_at_end", "inside_mm", "stretch_most", "stretch_95_at_end")


def sheet(cells):
    """A square metre in triangles whose diagonals alternate."""
    points = [(x / cells - .5, 0, z / cells - .5) for z in range(cells + 1) for x in range(cells + 1)]
    faces = []
    for z in range(cells):
        for x in range(cells):
            a, b = z * (cells + 1) + x, z * (cells + 1) + x + 1
            c, d = a + cells + 1, b + cells + 1
            faces += [(a, c, d), (a, d, b)] if (x + z) % 2 else [(a, c, b), (b, c, d)]
    return np.array(points, float), np.array(faces)


def read_mesh(path, scale, turn):
    points, faces = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                points.append([float(x) for x in words[1:4]])
            elif words[:1] == ["f"]:
                corner = [int(w.split("/")[0]) - 1 for w in words[1:]]
                faces += [(corner[0], corner[i], corner[i + 1]) for i in range(1, len(corner) - 1)]
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    points = scale * np.array(points) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T
    middle = (points.min(0) + points.max(0)) / 2
    return points - [middle[0], points[:, 1].min(), middle[2]], np.array(faces)


def write_obj(path, points, faces):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in points)
        file.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)


def read_pc2(path):
    with open(path, "rb") as file:
        head = struct.unpack("<12siiffi", file.read(32))
        return np.frombuffer(file.read(), "<f4").reshape(head[5], head[2], 3).astype(float)


# ---- engines: each returns (seconds a frame, positions of every frame) -------------------------------------------------


def taut(points, faces, frames, options):
    with tempfile.TemporaryDirectory() as folder:
        write_obj(os.path.join(folder, "cloth.obj"), points, faces)
        scene = {"taut": 1, "fps": 1 / FRAME, "frames": frames, "substeps": options["substeps"], "gravity": [0, -GRAVITY, 0],
                 "materials": [{"name": "m", "friction": FRICTION}],
                 "objects": [{"name": "ground", "type": "collider", "plane": {}, "material": "m"},
                             {"name": "ball", "type": "collider", "sphere": {"radius": RADIUS}, "translate": [0, RADIUS, 0],
                              "material": "m"},
                             {"name": "cloth", "type": "cloth", "mesh": "cloth.obj", "density": DENSITY, "young": YOUNG,
                              "poisson": POISSON, "contact": {"thickness": THICKNESS, "material": "m"}}]}
        path = os.path.join(folder, "scene.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        command = [options["taut"], "run", path, "--threads", "1", "--backend", "cpu"]
        spent = []
        for extra in (["--frames", "1"], []):
            before = child_seconds()
            subprocess.run(command + extra, check=True, capture_output=True, text=True)
            spent.append(child_seconds() - before)
        subprocess.run(command + ["--out", folder, "--export", "pc2"], check=True, capture_output=True, text=True)
        return (spent[1] - spent[0]) / (frames - 1), read_pc2(os.path.join(folder, "cloth.pc2"))[-frames:]


def mujoco(points, faces, frames, options):
    """An elastic sheet (StVK membrane), with collisions of its own; softness and tolerance are MuJoCo's defaults."""
    import mujoco as mj
    area = np.linalg.norm(np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]]), axis=1).sum() / 2
    xml = (f'<mujoco><option timestep="{FRAME / options["substeps"]}" gravity="0 {-GRAVITY} 0" integrator="discrete"/><worldbody>'
           f'<geom type="plane" size="10 10 1" zaxis="0 1 0" friction="{FRICTION}"/>'
           f'<geom type="sphere" size="{RADIUS}" pos="0 {RADIUS} 0" friction="{FRICTION}"/>'
           f'<flexcomp name="c" type="direct" dim="2" mass="{DENSITY * area}" radius="{THICKNESS / 2}"'
           f' point="{" ".join(f"{x:.9g}" for x in points.ravel())}" element="{" ".join(map(str, faces.ravel()))}">'
           f'<edge equality="false"/><contact selfcollide="auto" friction="{FRICTION}"/>'
           f'<elasticity young="{YOUNG / THICKNESS}" poisson="{POISSON}" thickness="{THICKNESS}" elastic2d="stretch"/>'
           '</flexcomp></worldbody></mujoco>')
    model = mj.MjModel.from_xml_string(xml)
    data = mj.MjData(model)
    positions, start = [], time.process_time()
    for _ in range(frames):
        for _ in range(options["substeps"]):
            mj.mj_step(model, data)
        positions.append(np.array(data.flexvert_xpos).reshape(-1, 3).copy())
    return (time.process_time() - start) / frames, np.array(positions)


def newton_vbd(points, faces, frames, options):
    """Vertex block descent on the CPU, through Warp, with collisions of its own; the rest is Newton's defaults."""
    import newton
    import warp as wp
    wp.config.quiet = True
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y, gravity=(0.0, -GRAVITY, 0.0))
    shape = newton.ModelBuilder.ShapeConfig(mu=FRICTION)
    builder.add_ground_plane(cfg=shape)
    builder.add_shape_sphere(-1, xform=wp.transform((0.0, RADIUS, 0.0), wp.quat_identity()), radius=RADIUS, cfg=shape)
    builder.add_cloth_mesh(pos=(0.0, 0.0, 0.0), rot=wp.quat_identity(), scale=1.0, vel=(0.0, 0.0, 0.0),
                           vertices=[tuple(p) for p in points], indices=faces.ravel().tolist(), density=DENSITY,
                           tri_ke=YOUNG / (2 * (1 + POISSON)), tri_ka=YOUNG * POISSON / (1 - POISSON**2), tri_kd=0.0,
                           edge_ke=0.0, edge_kd=0.0, particle_radius=THICKNESS / 2)
    builder.color()
    model = builder.finalize(device="cpu")
    model.soft_contact_mu = FRICTION
    solver = newton.solvers.SolverVBD(model, iterations=options["iterations"], particle_enable_self_contact=True,
                                      particle_self_contact_margin=THICKNESS, particle_self_contact_gap=THICKNESS)
    seconds, positions = step_newton(model, solver, frames, options, lambda now: now.particle_q.numpy().astype(float))
    return seconds.mean(), positions


ENGINES = {
    "taut": (taut, {"substeps": 1}),
    "taut, 4 substeps": (taut, {"substeps": 4}),
    "MuJoCo, 4": (mujoco, {"substeps": 4}),
    "MuJoCo, 16": (mujoco, {"substeps": 16}),
    "Newton VBD, 4 x 10": (newton_vbd, {"substeps": 4, "iterations": 10}),
    "Newton VBD, 10 x 20": (newton_vbd, {"substeps": 10, "iterations": 20}),
}


# ---- judging -----------------------------------------------------------------------------------------------------------


def cuts(check, points, faces):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frame.obj")
        write_obj(path, points, faces)
        said = subprocess.run([check, path], capture_output=True, text=True).stdout
    return int(re.search(r"^cuts (\d+)", said).group(1))


def judged(check, faces, start, positions):
    edges = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    length = lambda x: np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)  # noqa: E731
    rest = length(start)
    looked = list(range(9, len(positions), 10))
    counts = [cuts(check, positions[f], faces) for f in looked]
    inside = max(0.0, max(RADIUS - np.linalg.norm(positions[f] - [0, RADIUS, 0], axis=1).min() for f in looked))
    stretch = max((length(positions[f]) / rest).max() for f in looked) - 1
    return max(counts), counts[-1], 1e3 * inside, stretch, np.percentile(length(positions[-1]) / rest, 95) - 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--taut", required=True)
    arguments.add_argument("--check", required=True)
    arguments.add_argument("--mesh")
    arguments.add_argument("--scale", type=float, default=1)
    arguments.add_argument("--turn", type=float, default=0)
    arguments.add_argument("--cells", type=int, default=24)
    arguments.add_argument("--engines", default="")
    arguments.add_argument("--frames", type=int, default=120)
    arguments.add_argument("--csv")
    asked = arguments.parse_args()
    points, faces = read_mesh(asked.mesh, asked.scale, asked.turn) if asked.mesh else sheet(asked.cells)
    points = points + [0.02, 2 * RADIUS + 0.05, 0.01]
    rows = []
    print("| engine | vertices | ms a frame | cuts, most | at the end | inside, mm | stretch, most | 95 % at the end |")
    print("|---|---|---|---|---|---|---|---|")
    for name in chosen(ENGINES, asked.engines):
        run, options = ENGINES[name]
        try:
            seconds, positions = run(points, faces, asked.frames, dict(options, taut=asked.taut))
        except ImportError as missing:
            print(f"{name}: skipped: {missing}", file=sys.stderr)
            continue
        rows.append((name, len(points), 1e3 * seconds, *judged(asked.check, faces, points, positions)))
        print(f"| {name} | {len(points)} | " + " | ".join(f"{x:.3g}" for x in rows[-1][2:]) + " |", flush=True)
    if asked.csv:
        with open(asked.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
