#!/usr/bin/env python3
"""Runs scenes with contact on the CPU and on CUDA and prints one line for each: outcomes, milliseconds a frame (median), and
how far apart the same points are after 1 frame, after a quarter of the frames and at the end, relative to the size of the
scene. Scenes with contact do not stay together: rounding decides which fold comes first. What must agree is the beginning.

    tools/gpu-scenes.py --taut BIN [--out DIR] [--frames N] [--seconds S] [--threads N] [--pack DIR] [SCENE.json...]

Without scenes: those of examples/scenes and of tools/gallery.py with contact, where their meshes are, layers of cloth on a
ball, and a stack of boxes. --seconds: of each run; 0: no limit. What has not been reached then is left out of the comparison,
and `ended` says so. Writes DIR/scenes.csv. --pack writes the scenes, with their meshes, to a folder and runs nothing.
"""

import argparse
import array
import csv
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXAMPLES = ["cloth-on-ball", "hammock", "shirt-on-spot"]
GALLERY = ["pile", "knot", "teddy"]
COLUMNS = ["scene", "frames", "cpu_ms", "cuda_ms", "speed_up", "cpu_outcomes", "cuda_outcomes", "contacts", "apart_first",
           "apart_quarter", "apart_end", "ended"]


def layers(count):
    """Sheets one above the other that fall onto a ball."""
    ball = {"name": "ball", "type": "collider", "sphere": {"radius": 0.2}, "translate": [0, 0.2, 0]}
    sheets = [{"name": f"sheet{i}", "type": "cloth", "grid": {"size": [0.8, 0.8], "cells": [24, 24]},
               "translate": [0, 0.45 + 0.02 * i, 0], "density": 0.2, "stretch": {"compliance": 1e-5},
               "contact": {"thickness": 0.005}} for i in range(count)]
    return {"taut": 1, "frames": 60, "fps": 60, "objects": [ball, *sheets]}


def stack():
    boxes = [{"name": f"box{i}", "type": "rigid", "box": {"sides": [0.2, 0.2, 0.2]}, "density": 500, "contact": {},
              "translate": [0.005 * (i % 2), 0.1 + 0.201 * i, 0]} for i in range(8)]
    return {"taut": 1, "frames": 60, "fps": 60, "objects": [{"name": "floor", "type": "collider", "plane": {}}, *boxes]}


def with_meshes(scene, base, folder):
    """The scene with its meshes copied to `folder`; None where one is missing."""
    for thing in scene["objects"]:
        if isinstance(thing.get("mesh"), str):
            mesh = base / thing["mesh"]
            if not mesh.exists():
                return None
            shutil.copyfile(mesh, folder / mesh.name)
            thing["mesh"] = mesh.name
    return scene


def default_scenes(folder):
    """Paths of scenes that are written to `folder`."""
    sys.path.insert(0, str(ROOT / "tools"))
    import gallery
    folder.mkdir(parents=True, exist_ok=True)
    examples = ROOT / "examples" / "scenes"
    scenes = {name: json.loads((examples / f"{name}.json").read_text()) for name in EXAMPLES}
    scenes.update({name: getattr(gallery, name)() for name in GALLERY})
    scenes.update({"one-layer": layers(1), "two-layers": layers(2), "stack": stack()})
    paths = []
    for name, scene in scenes.items():
        whole = with_meshes(scene, examples, folder)
        if whole is not None:
            paths.append(folder / f"{name}.json")
            paths[-1].write_text(json.dumps(whole))
    return paths


def run(given, scene, backend, folder):
    """Lines of --stats, and what the process said where it failed."""
    stats = folder / "stats.jsonl"
    folder.mkdir(parents=True, exist_ok=True)
    command = [*given.taut.split(), "run", str(scene), "--backend", backend, "--threads", str(given.threads), "--out",
               str(folder), "--export", "pc2", "--stats", str(stats)]
    command += ["--frames", str(given.frames)] if given.frames else []
    command += ["--max-seconds", str(given.seconds)] if given.seconds else []
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [json.loads(line) for line in stats.read_text().splitlines()] if stats.exists() else []
    return lines, "" if done.returncode in (0, 1) and lines else done.stderr.strip()[-300:]


def points(path):
    """Frames of a PC2 file: numbers of a frame, and all of them."""
    data = path.read_bytes()
    count = int.from_bytes(data[16:20], "little")
    values = array.array("f")
    values.frombytes(data[32:32 + (len(data) - 32) // 4 * 4])
    return 3 * count, values


def apart(first, second, frame):
    """Largest distance of a coordinate over all objects, relative to the extent of all; infinite where a point is not a number."""
    worst = low = high = 0.0
    for path in sorted(first.glob("*.pc2")):
        a_size, a = points(path)
        b_size, b = points(second / path.name)
        at = slice(frame * a_size, (frame + 1) * a_size)
        if a_size != b_size or len(a[at]) < a_size or len(b[at]) < a_size:
            return math.nan
        for x, y in zip(a[at], b[at]):
            difference = abs(x - y)
            worst = max(worst, difference) if difference == difference else math.inf
            low, high = min(low, x), max(high, x)
    return worst / (high - low) if high > low else worst


def outcomes(lines):
    found = {}
    for line in lines:
        found[line["outcome"]] = found.get(line["outcome"], 0) + 1
    return " ".join(f"{name}:{count}" for name, count in sorted(found.items()))


def compare(given, scene):
    folder = given.out / scene.stem
    cpu, cpu_error = run(given, scene, "cpu", folder / "cpu")
    cuda, cuda_error = run(given, scene, "cuda", folder / "cuda")
    if cpu_error or cuda_error:
        return {"scene": scene.stem, "ended": f"failed: {cpu_error} {cuda_error}"}
    frames = min(len(cpu), len(cuda))
    times = [statistics.median(line["step_ms"] for line in lines) for lines in (cpu, cuda)]
    whole = given.frames or json.loads(scene.read_text()).get("frames", frames)
    return {
        "scene": scene.stem, "frames": frames, "cpu_ms": f"{times[0]:.2f}", "cuda_ms": f"{times[1]:.2f}",
        "speed_up": f"{times[0] / times[1]:.2f}", "cpu_outcomes": outcomes(cpu[:frames]),
        "cuda_outcomes": outcomes(cuda[:frames]), "contacts": max(line.get("contacts", 0) for line in cuda),
        **{name: f"{apart(folder / 'cpu', folder / 'cuda', frame):.2g}"
           for name, frame in (("apart_first", 1), ("apart_quarter", max(1, frames // 4)), ("apart_end", frames))},
        "ended": "" if frames >= whole else f"after {frames} of {whole} frames",
    }


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--taut", default=str(ROOT / "build/release/bin/taut"), help="words of a command")
    options.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/gpu-scenes"))
    options.add_argument("--frames", type=int, default=0)
    options.add_argument("--seconds", type=int, default=0)
    options.add_argument("--threads", type=int, default=min(8, os.cpu_count() or 1))
    options.add_argument("scenes", nargs="*", type=pathlib.Path)
    options.add_argument("--pack", type=pathlib.Path)
    given = options.parse_args()
    if given.pack:
        default_scenes(given.pack)
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    failed = False
    with open(given.out / "scenes.csv", "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, restval="")
        table.writeheader()
        for scene in given.scenes or default_scenes(given.out / "scenes"):
            row = compare(given, scene)
            failed = failed or str(row["ended"]).startswith("failed")
            table.writerow(row)
            file.flush()
            print("  ".join(f"{name} {row[name]}" for name in COLUMNS if row.get(name, "") != ""), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
