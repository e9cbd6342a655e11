#!/usr/bin/env python3
"""Rigid boxes by taut and by other engines, in turn in one run: processor time beside overlap and drift.

table.py --taut BUILD/bin/taut [--programs BUILD/bin] [--engines PART,...] [--scenes tower,pyramid,heavy,pile] [--csv FILE]

Engines whose name has one of the PARTs run. ODE and Bullet need taut-peer-ode and taut-peer-bullet in --programs, MuJoCo
and Newton the packages mujoco and newton of PyPI beside numpy. What is missing is skipped, and named on standard error.
A row of Markdown for each scene and engine:

- ms a frame: processor time in one thread, in the mean, and over the last quarter of the frames (at rest);
- deepest: the largest overlap of two boxes, or of a box and a plane, in every fifth frame, and in the last one;
- overlapping: pairs in the last frame that overlap by more than 2 % of the smallest side;
- drift: how far the fastest box moves in the last half second. Scenes of bodies at rest should show none.

Exit status: 1 where taut failed or left a pair overlapping.
"""
import argparse
import csv
import os
import subprocess
import sys

import numpy as np

from engines import ENGINES
from overlap import below_planes, box_overlaps
from scenes import FRAME, SCENES

COLUMNS = ("scene", "engine", "ms_a_frame", "ms_at_rest", "deepest_mm", "deepest_at_end_mm", "overlapping", "drift_mm")


def judged(scene, seconds, poses):
    sides = np.array([box.sides for box in scene.boxes])
    deepest = 0.0
    for frame in range(4, scene.frames, 5):
        depths = box_overlaps(sides, poses[frame])
        deepest = max(deepest, depths.max(initial=0), below_planes(sides, poses[frame], scene.planes))
    last = box_overlaps(sides, poses[-1])
    end = max(last.max(initial=0), below_planes(sides, poses[-1], scene.planes))
    drift = np.linalg.norm(poses[-1, :, :3] - poses[-1 - round(.5 / FRAME), :, :3], axis=1).max()
    quarter = scene.frames // 4
    return (1e3 * seconds.mean(), 1e3 * seconds[-quarter:].mean(), 1e3 * max(deepest, end), 1e3 * end,
            int((last > .02 * sides.min()).sum()), 1e3 * drift)


def one(scene, name, given):
    run, options = ENGINES[name]
    try:
        return judged(scene, *run(scene, dict(options, **given)))
    except (ImportError, FileNotFoundError) as missing:
        print(f"{name}: skipped: {missing}", file=sys.stderr)
    except subprocess.CalledProcessError as failed:
        print(f"{name}: failed: {failed.stderr.strip()}", file=sys.stderr)
    return None


def chosen(names, parts):
    return [name for name in names if not parts or any(part.lower() in name.lower() for part in parts.split(","))]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--taut", required=True)
    arguments.add_argument("--programs", help="folder of taut-peer-*; default: that of --taut")
    arguments.add_argument("--engines", default="")
    arguments.add_argument("--scenes", default="tower,pyramid,heavy,pile")
    arguments.add_argument("--csv")
    asked = arguments.parse_args()
    given = {"taut": asked.taut, "programs": asked.programs or os.path.dirname(os.path.abspath(asked.taut))}
    rows, failed = [], False
    print("| scene | engine | ms a frame | at rest | deepest, mm | at the end | overlapping | drift, mm |")
    print("|---|---|---|---|---|---|---|---|")
    for scene in (SCENES[name]() for name in asked.scenes.split(",")):
        for name in chosen(ENGINES, asked.engines):
            row = one(scene, name, given)
            failed |= name.startswith("taut") and (not row or row[4] > 0)
            if row:
                rows.append((scene.name, name, *row))
                print(f"| {scene.name} | {name} | " + " | ".join(f"{x:.3g}" for x in row) + " |", flush=True)
    if asked.csv:
        with open(asked.csv, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *rows])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
