#!/usr/bin/env python3
"""Makes the pictures of docs/gallery.md and the README by `taut render`, from scenes of examples/scenes and of this file.

    tools/gallery.py [--taut build/release/bin/taut] [--out DIR] [--only NAME,...]

Without --out the pictures of the documents are replaced (docs/pictures/gallery/, docs/pictures/readme.jpg). Scenes whose
meshes are missing (../shared/data) are left out. Needs ffmpeg, which scales the pictures and writes JPEG.
"""

import argparse
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
EXAMPLES = ROOT / "examples" / "scenes"
PLACES = ROOT / "docs" / "pictures"
FLOOR = {"name": "floor", "type": "collider", "plane": {}}


def scene(objects, constraints=(), **more):
    return {"taut": 1, "frames": 120, "fps": 60, **more, "objects": list(objects), "constraints": list(constraints)}


def example(name):
    return EXAMPLES / f"{name}.json"


# ---- scenes ----------------------------------------------------------------------------------------------------------

def flag():
    cloth = {"name": "flag", "type": "cloth", "model": "membrane", "grid": {"size": [1.2, 0.8], "cells": [36, 24]},
             "rotate_degrees": [90, 0, 0], "translate": [0.6, 1.6, 0], "density": 0.12, "young": 300, "poisson": 0.3,
             "damping": 0.005, "bend": {"compliance": 2e3}, "air": {"drag": 0.9, "friction": 0.02, "wind": [7, 0, 2.5]}}
    pole = {"name": "pole", "type": "collider", "cylinder": {"radius": 0.018, "height": 2.1}, "rotate_degrees": [90, 0, 0],
            "translate": [-0.02, 1.05, 0]}
    return scene([FLOOR, pole, cloth], [{"type": "pin", "at": {"object": "flag", "box": [[-0.01, 0, -1], [0.01, 3, 1]]}}])


def curtain():
    """Every fourth vertex of the upper edge slides along a bar; the last one is drawn towards the first."""
    across, rings, drawn = 48, range(0, 49, 4), 0.75
    cloth = {"name": "curtain", "type": "cloth", "grid": {"size": [1.6, 1.2], "cells": [across, 30]},
             "rotate_degrees": [90, 0, 0], "translate": [0, 1.0, 0], "density": 0.2, "stretch": {"compliance": 1e-4},
             "shear": {"compliance": 1e-3}, "bend": {"compliance": 3e3, "damping": 0.02},
             "air": {"drag": 0.8, "wind": [0, 0, 0.4]}}
    bar = {"name": "bar", "type": "collider", "cylinder": {"radius": 0.012, "height": 1.8}, "rotate_degrees": [0, 90, 0],
           "translate": [0, 1.63, 0]}
    ends = [{"type": "pin", "at": {"object": "curtain", "vertices": [0]}},
            {"type": "pin", "at": {"object": "curtain", "vertices": [across]},
             "motion": [{"time": 1.2, "translate": [-drawn, 0, 0]}]}]
    slides = [{"type": "linear", "terms": [[["curtain", i], axis, 1]]} for i in rings if 0 < i < across for axis in "yz"]
    return scene([FLOOR, bar, cloth], ends + slides, integrator={"mass_damping": 0.5})


def bridge():
    planks, segments, half = 21, 88, 1.6
    place = [-half + 2 * half * (4 * i + 4) / segments for i in range(planks)]
    ropes = [{"name": f"rope{k}", "type": "rope", "points": [[-half, 1.2, z], [half, 1.2, z]], "segments": segments,
              "density": 0.3, "stretch": {"compliance": 6e-4}, "contact": {"radius": 0.012}}
             for k, z in enumerate((-0.3, 0.3))]
    boards = {"name": "planks", "type": "rigid", "box": {"sides": [0.11, 0.03, 0.66]}, "density": 600,
              "positions": [[x, 1.2, 0] for x in place]}
    posts = {"name": "posts", "type": "rigid", "fixed": True, "cylinder": {"radius": 0.035, "height": 1.25}, "mass": 1,
             "rotate_degrees": [90, 0, 0], "positions": [[x, z, -0.625] for x in (-half, half) for z in (-0.3, 0.3)]}
    ties = [{"type": "pin", "at": {"object": rope["name"], "vertices": [0, segments]}} for rope in ropes]
    for k, z in enumerate((-0.3, 0.3)):
        ties += [{"type": "attach", "a": [f"rope{k}", 4 * i + 4], "b": {"object": "planks", "body": i, "at": [x, 1.2, z]},
                  "contact": False} for i, x in enumerate(place)]
    return scene([FLOOR, posts, *ropes, boards], ties, integrator={"mass_damping": 1})


def knot():
    """A trefoil whose ends are drawn apart."""
    points = []
    for i in range(81):
        t = -2.75 + 5.5 * i / 80
        points.append([0.10 * (math.sin(t) + 2 * math.sin(2 * t)),
                       1 + 0.10 * (math.cos(t) - 2 * math.cos(2 * t)), 0.07 * math.sin(3 * t)])
    rope = {"name": "rope", "type": "rope", "points": points, "segments": 120, "density": 0.05,
            "stretch": {"compliance": 1e-5}, "bend": {"compliance": 200, "damping": 0.02}, "contact": {"radius": 0.014}}
    pins = [{"type": "pin", "at": {"object": "rope", "vertices": [end]}, "motion": [{"time": 1.5, "translate": way}]}
            for end, way in ((0, [-0.35, 0.1, 0]), (120, [0.35, 0.1, 0]))]
    return scene([rope], pins, gravity=[0, -1, 0], integrator={"mass_damping": 4})


def pile():
    random.seed(4)
    kinds = [("ball", {"sphere": {"radius": 0.075}}), ("box", {"box": {"sides": [0.14, 0.14, 0.14]}}),
             ("drum", {"cylinder": {"radius": 0.06, "height": 0.13}}), ("pill", {"capsule": {"radius": 0.05, "length": 0.1}})]
    walls = [{"name": f"wall{k}", "type": "collider", "box": {"sides": sides}, "translate": place}
             for k, (sides, place) in enumerate([([0.84, 0.2, 0.04], [0, 0.1, 0.4]), ([0.84, 0.2, 0.04], [0, 0.1, -0.4]),
                                                 ([0.04, 0.2, 0.76], [0.4, 0.1, 0]), ([0.04, 0.2, 0.76], [-0.4, 0.1, 0])])]
    bodies = [{"name": f"{kinds[i % 4][0]}{i}", "type": "rigid", **kinds[i % 4][1], "density": 500, "contact": {},
               "translate": [random.uniform(-0.15, 0.15), 0.25 + 0.1 * i, random.uniform(-0.15, 0.15)],
               "rotate_degrees": [random.uniform(0, 90) for _ in range(3)]} for i in range(32)]
    return scene([FLOOR, *walls, *bodies])


def teddy():
    soft = {"name": "teddy", "type": "soft", "mesh": str(DATA / "tets/drake__teddy.vtk"), "model": "corotational",
            "scale": 5, "rotate_degrees": [60, 0, 20], "translate": [0, 0.75, 0], "density": 200, "young": 1.2e4,
            "poisson": 0.4, "damping": 0.02, "contact": {"radius": 0.01}}
    return scene([FLOOR, soft])


def balloon():
    """A sphere of cloth under pressure, which a string holds in the wind."""
    mesh = DATA / "collider/sofa__sphere.obj"
    points = [[float(x) for x in line.split()[1:4]] for line in mesh.read_text().splitlines() if line.startswith("v ")]
    size = max(math.hypot(*p) for p in points)
    lowest = min(range(len(points)), key=lambda i: points[i][1])
    knot = [0.25 / size * x + 1.4 * (a == 1) for a, x in enumerate(points[lowest])]
    skin = {"name": "balloon", "type": "cloth", "mesh": str(mesh), "scale": 0.25 / size, "translate": [0, 1.4, 0],
            "density": 0.05, "model": "membrane", "young": 60, "poisson": 0.3, "damping": 0.02, "pressure": 60,
            "air": {"drag": 0.3, "wind": [1.2, 0, 0]}}
    string = {"name": "string", "type": "rope", "points": [knot, [0, 0.2, 0]], "segments": 30, "density": 0.002,
              "stretch": {"compliance": 1e-3}}
    post = {"name": "post", "type": "collider", "cylinder": {"radius": 0.05, "height": 0.2}, "rotate_degrees": [90, 0, 0],
            "translate": [0, 0.1, 0]}
    return scene([FLOOR, post, skin, string], [{"type": "attach", "a": ["balloon", lowest], "b": ["string", 0]},
                 {"type": "pin", "at": {"object": "string", "vertices": [30]}}], gravity=[0, 1.5, 0],
                 integrator={"mass_damping": 0.3})


def hair():
    head = {"name": "head", "type": "collider", "sphere": {"radius": 0.19}, "translate": [0, 1, 0]}
    random.seed(2)
    strands = []
    for i in range(160):
        height, turn = 1 - 0.75 * (i + 0.5) / 160, 2.39996 * i
        flat = math.sqrt(1 - height * height)
        out = [flat * math.cos(turn), height, flat * math.sin(turn)]
        root = [0.2 * out[0], 1 + 0.2 * out[1], 0.2 * out[2]]
        points = [[root[a] + 0.045 * k * out[a] for a in range(3)] for k in range(10)]
        strands.append({"name": f"strand{i}", "type": "rod", "points": points, "radius": 0.004, "density": 1000,
                        "young": 4e5, "poisson": 0.4, "damping": 0.03, "rest": "straight", "clamp": ["start"]})
    return scene([head, *strands], integrator={"mass_damping": 2})


# ---- pictures --------------------------------------------------------------------------------------------------------

# Name, scene, frame, and what the renderer is told. The first one is the README's.
PICTURES = [
    ("readme", example("hammock"), 28, ["--camera", "18,20", "--size", "1280x640"]),
    ("hammock", example("hammock"), 28, ["--camera", "18,20"]),
    ("shirt-on-spot", example("shirt-on-spot"), 70, ["--camera", "25,14"]),
    ("flag", flag, 90, ["--camera", "20,8"]),
    ("curtain", curtain, 100, ["--camera", "24,10"]),
    ("bridge", bridge, 110, ["--camera", "35,14"]),
    ("knot", knot, 100, ["--camera", "10,12"]),
    ("pile", pile, 110, ["--camera", "30,24"]),
    ("pile-forces", pile, 110, ["--camera", "30,24", "--contacts", "--colour", "speed"]),
    ("teddy", teddy, 26, ["--camera", "25,12"]),
    ("balloon", balloon, 60, ["--camera", "20,8"]),
    ("four-bar", example("four-bar"), 60, ["--camera", "20,14"]),
    ("hair", hair, 60, ["--camera", "25,8"]),
    ("soft-block", example("soft-block"), 40, ["--camera", "35,14", "--colour", "strain"]),
    ("cloth-on-ball", example("cloth-on-ball"), 60, ["--camera", "35,24"]),
]


def convert(picture, out, width):
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-i", str(picture), "-vf", f"scale={width}:-2:flags=lanczos",
                    "-q:v", "3", str(out)], check=True)


def source(given, folder, name):
    """The path of a scene, or None where a mesh is missing."""
    try:
        text = given.read_text(encoding="utf-8") if isinstance(given, pathlib.Path) else json.dumps(given())
    except FileNotFoundError:
        return None
    if "shared/data" in text and not DATA.exists():
        return None
    if isinstance(given, pathlib.Path):
        return given
    path = folder / f"{name}.json"
    path.write_text(text, encoding="utf-8")
    return path


def draw(given, folder, name, what, frame, more):
    """Whether the picture is drawn, or cannot be for want of a mesh."""
    path = source(what, folder, name)
    if path is None:
        print(f"{name}: left out, its mesh is missing")
        return True
    out = given.out / f"{name}.jpg" if given.out else PLACES / ("readme.jpg" if name == "readme" else f"gallery/{name}.jpg")
    picture = folder / f"{name}.png"
    command = [given.taut, "render", str(path), "--frames", str(frame), "--out", str(picture), "--samples", given.samples,
               "--size", "960x540", *more]
    if subprocess.run(command, check=False).returncode != 0:
        return False
    out.parent.mkdir(parents=True, exist_ok=True)
    convert(picture, out, 1280 if name == "readme" else 640)
    print(f"{out}: {out.stat().st_size} bytes", flush=True)
    return True


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--taut", default=str(ROOT / "build/release/bin/taut"))
    options.add_argument("--out", type=pathlib.Path, help="folder of the pictures")
    options.add_argument("--only", help="names between commas")
    options.add_argument("--samples", default="48", help="directions of light")
    given = options.parse_args()
    for program, wanted_for in ((given.taut, "draws the pictures"), ("ffmpeg", "scales them and writes JPEG")):
        if shutil.which(program) is None:
            sys.exit(f"gallery: there is no program '{program}', which {wanted_for}")
    wanted = given.only.split(",") if given.only else [name for name, *_ in PICTURES]
    with tempfile.TemporaryDirectory() as scratch:
        drawn = [draw(given, pathlib.Path(scratch), *picture) for picture in PICTURES if picture[0] in wanted]
    return 0 if drawn and all(drawn) else 1


if __name__ == "__main__":
    sys.exit(main())
