"""Boxes by every engine: each function steps a scene and returns (seconds of processor time a frame, poses of every frame).

Poses are arrays (frames, boxes, 7): centre, then w, x, y, z. Every engine runs in one thread.
"""
import json
import os
import resource
import subprocess
import tempfile
import time

import numpy as np

from scenes import FRAME, GRAVITY


def child_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def taut_scene(scene, substeps, frames, solver=None):
    objects = []
    for i, (normal, point) in enumerate(scene.planes):
        objects.append({"name": f"plane{i}", "type": "collider", "plane": {"normal": normal}, "translate": point, "material": "m"})
    for i, box in enumerate(scene.boxes):
        objects.append({"name": f"b{i}", "type": "rigid", "box": {"sides": box.sides}, "mass": box.mass, "positions": [box.at],
                        "orientation": [box.orientation], "contact": {"material": "m"}})
    return {"taut": 1, "fps": 1 / FRAME, "frames": frames, "substeps": substeps, "gravity": [0, -GRAVITY, 0],
            "materials": [{"name": "m", "friction": scene.friction}], "objects": objects, "solver": solver or {}}


def run_taut(program, scene, folder, frames, options):
    path = os.path.join(folder, "scene.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(taut_scene(scene, options["substeps"], frames, options.get("solver")), file)
    before = child_seconds()
    subprocess.run([program, "run", path, "--threads", "1", "--backend", "cpu"] + options.get("arguments", []), check=True,
                   capture_output=True, text=True)
    return child_seconds() - before


def taut(scene, options):
    """The tool's defaults. Start and writing are left out: the time of a run of one frame is taken off, the least of five, from
    the least of three."""
    with tempfile.TemporaryDirectory() as folder:
        trace, stats = os.path.join(folder, "trace.csv"), os.path.join(folder, "stats.jsonl")
        keys = ",".join(f"b{i}:0" for i in range(len(scene.boxes)))
        program = options["taut"]
        first = min(run_taut(program, scene, folder, 1, options) for _ in range(5))
        written = dict(options, arguments=["--trace", f"{keys}={trace}", "--stats", stats])
        run_taut(program, scene, folder, scene.frames, written)
        spent = min(run_taut(program, scene, folder, scene.frames, options) for _ in range(3)) - first
        poses = np.loadtxt(trace, delimiter=",", skiprows=2)[:, 1:].reshape(scene.frames, -1, 7)
        with open(stats, encoding="utf-8") as file:
            frames = [json.loads(line) for line in file]
    weights = np.array([f["step_ms"] for f in frames])
    return spent * weights / weights.sum() * scene.frames / (scene.frames - 1), poses


def of_program(program, scene, options):
    """taut-peer-ode and taut-peer-bullet: boxes.h has the format."""
    lines = [f"{scene.friction} {FRAME} {GRAVITY} {scene.frames} {options['substeps']} {options['iterations']} "
             f"{len(scene.boxes)} {len(scene.planes)}"]
    for box in scene.boxes:
        lines.append(" ".join(map(repr, (*box.sides, box.mass, *box.at, *box.orientation))))
    for normal, point in scene.planes:
        lines.append(" ".join(map(repr, (*normal, *point))))
    ran = subprocess.run([program], input="\n".join(lines), check=True, capture_output=True, text=True)
    rows = np.array([[float(x) for x in line.split()] for line in ran.stdout.splitlines()])
    return rows[:, 0], rows[:, 1:].reshape(scene.frames, -1, 7)


def ode(scene, options):
    return of_program(os.path.join(options["programs"], "taut-peer-ode"), scene, options)


def bullet(scene, options):
    return of_program(os.path.join(options["programs"], "taut-peer-bullet"), scene, options)


def mujoco_xml(scene, options):
    words = lambda values: " ".join(map(repr, values))  # noqa: E731
    axis = lambda n: [n[1] or n[2], -n[0], 0] if (n[0] or n[1]) else [1, 0, 0]  # noqa: E731 x axis of a plane
    bodies = []
    for normal, point in scene.planes:
        x = axis(normal)
        y = np.cross(normal, x)
        bodies.append(f'<geom type="plane" size="10 10 1" pos="{words(point)}" xyaxes="{words(x)} {words(map(float, y))}"/>')
    for box in scene.boxes:
        half = [s / 2 for s in box.sides]
        bodies.append(f'<body pos="{words(box.at)}" quat="{words(box.orientation)}"><freejoint/>'
                      f'<geom type="box" size="{words(half)}" mass="{box.mass}"/></body>')
    return (f'<mujoco><option timestep="{FRAME / options["substeps"]}" gravity="0 {-GRAVITY} 0" cone="elliptic"/>'
            f'<default><geom friction="{scene.friction} 0 0" condim="3"/></default>'
            f'<worldbody>{"".join(bodies)}</worldbody></mujoco>')


def mujoco(scene, options):
    """Newton's method and elliptic cones; softness and tolerance are MuJoCo's defaults."""
    import mujoco as mj
    model = mj.MjModel.from_xml_string(mujoco_xml(scene, options))
    data = mj.MjData(model)
    seconds, poses = [], []
    for _ in range(scene.frames):
        start = time.process_time()
        for _ in range(options["substeps"]):
            mj.mj_step(model, data)
        seconds.append(time.process_time() - start)
        poses.append(np.array(data.qpos).reshape(-1, 7))
    return np.array(seconds), np.array(poses)


def from_z(n):
    """The quaternion x, y, z, w of the shortest rotation from z to the unit vector n."""
    if n[2] < -1 + 1e-9:
        return 1.0, 0.0, 0.0, 0.0
    q = np.array([-n[1], n[0], 0.0, 1 + n[2]])
    return tuple(q / np.linalg.norm(q))


def newton_model(scene):
    import newton
    import warp as wp
    builder = newton.ModelBuilder(up_axis=newton.Axis.Y, gravity=(0.0, -GRAVITY, 0.0))
    shape = newton.ModelBuilder.ShapeConfig(density=0.0, mu=scene.friction)
    for normal, point in scene.planes:
        builder.add_shape_plane(xform=wp.transform(point, wp.quat(*from_z(normal))), width=0.0, length=0.0, cfg=shape)
    for box in scene.boxes:
        w, x, y, z = box.orientation
        a, b, c = (s * s * box.mass / 12 for s in box.sides)
        body = builder.add_body(xform=wp.transform(box.at, wp.quat(x, y, z, w)), mass=box.mass,
                                inertia=wp.mat33(b + c, 0, 0, 0, a + c, 0, 0, 0, a + b), lock_inertia=True)
        builder.add_shape_box(body, hx=box.sides[0] / 2, hy=box.sides[1] / 2, hz=box.sides[2] / 2, cfg=shape)
    builder.color()
    return builder.finalize(device="cpu")


def step_newton(model, solver, frames, options, read):
    """Seconds of every frame, and what `read` takes from the state behind it."""
    import newton as nt
    pipeline = nt.CollisionPipeline(model)
    contacts, control = pipeline.contacts(), model.control()
    seconds, taken = [], []
    for count in (1, frames):  # the first frame compiles the kernels
        now, after = model.state(), model.state()
        seconds, taken = [], []
        for _ in range(count):
            start = time.process_time()
            for _ in range(options["substeps"]):
                now.clear_forces()
                pipeline.collide(now, contacts)
                solver.step(now, after, control, contacts, FRAME / options["substeps"])
                now, after = after, now
            seconds.append(time.process_time() - start)
            taken.append(read(now))
    return np.array(seconds), np.array(taken)


def newton(solver_name, scene, options):
    """Newton's XPBD or VBD on the CPU, through Warp."""
    import newton as nt
    import warp as wp
    wp.config.quiet = True
    model = newton_model(scene)
    solver = getattr(nt.solvers, solver_name)(model, iterations=options["iterations"])
    return step_newton(model, solver, scene.frames, options, lambda now: now.body_q.numpy()[:, [0, 1, 2, 6, 3, 4, 5]])


def newton_xpbd(scene, options):
    return newton("SolverXPBD", scene, options)


def newton_vbd(scene, options):
    return newton("SolverVBD", scene, options)


# Name: the function, and what it is run with: the defaults of each engine where it has any.
ENGINES = {
    "taut": (taut, {"substeps": 1}),
    "taut, 2 substeps": (taut, {"substeps": 2}),
    "taut, 4 substeps": (taut, {"substeps": 4}),
    "taut, 3 substeps, 0.05": (taut, {"substeps": 3, "solver": {"tolerance": 0.05}}),
    "ODE, 4 x 20": (ode, {"substeps": 4, "iterations": 20}),
    "ODE, 4 x 100": (ode, {"substeps": 4, "iterations": 100}),
    "Bullet, 4 x 10": (bullet, {"substeps": 4, "iterations": 10}),
    "Bullet, 4 x 50": (bullet, {"substeps": 4, "iterations": 50}),
    "MuJoCo, 4": (mujoco, {"substeps": 4}),
    "MuJoCo, 8": (mujoco, {"substeps": 8}),
    "Newton XPBD, 4 x 10": (newton_xpbd, {"substeps": 4, "iterations": 10}),
    "Newton VBD, 4 x 10": (newton_vbd, {"substeps": 4, "iterations": 10}),
}
