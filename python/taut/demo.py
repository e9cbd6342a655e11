"""A cloth that a ball falls into, in a window: python -m taut.demo

With --headless it needs no screen, and writes to the folder out/demo: cloth.npz (frames, times, positions; triangles of the cloth) and
scene.usda for viewers of USD; it prints what the run did."""

from __future__ import annotations

import argparse
import os
import sys
import time
import typing

import numpy

import taut


def scene(cells: int = 40, frames: int = 120) -> dict[str, typing.Any]:
    """A square cloth, held at two corners, and a ball that falls into it."""
    last = (cells + 1) * cells
    return {
        "taut": 1,
        "frames": frames,
        "objects": [
            {"name": "cloth", "type": "cloth", "grid": {"size": [1, 1], "cells": [cells, cells]}, "translate": [0, 1, 0],
             "density": 0.2, "stretch": {"compliance": 1e-4}, "shear": {"compliance": 1e-2}, "bend": {"compliance": 1e4},
             "contact": {"thickness": 0.01}},
            {"name": "ball", "type": "rigid", "sphere": {"radius": 0.1}, "mass": 0.1, "translate": [0, 1.2, 0], "contact": {}},
        ],
        "constraints": [{"type": "pin", "at": {"object": "cloth", "vertices": [0, cells, last, last + cells]}}],
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m taut.demo", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headless", action="store_true", help="writes files in place of a window")
    parser.add_argument("--frames", type=int, default=120, help="with --headless; default 120")
    parser.add_argument("--cells", type=int, default=40, help="of the cloth, in each direction; default 40")
    parser.add_argument("--out", default="out/demo", help="folder; default out/demo")
    options = parser.parse_args(arguments)
    try:
        return write(options) if options.headless else show(options)
    except ValueError as error:
        print(f"taut.demo: {error}", file=sys.stderr)
        return 2


def show(options: argparse.Namespace) -> int:
    try:
        taut.view(scene(options.cells), title="taut: a cloth and a ball; drag them with the mouse")
    except taut.Error as error:
        print(f"taut.demo: {error}; --headless writes files", file=sys.stderr)
        return 1
    return 0


def write(options: argparse.Namespace) -> int:
    start = time.perf_counter()
    # One thread: it is a small cloth, and threads that wait for each other are slow where others use the cores, too.
    result = taut.run(scene(options.cells, options.frames), export="usda", out=options.out, threads=1)
    seconds = time.perf_counter() - start
    cloth = next(o for o in result.scene.object_list if o.name == "cloth")
    numpy.savez_compressed(os.path.join(options.out, "cloth.npz"), frames=result.frames, times=result.times,
                           positions=result.object("cloth"), triangles=cloth.triangles)
    converged = sum(info.outcome == "converged" for info in result.info)
    print(f"{len(cloth.points)} vertices, {len(result.info)} frames in {seconds:.1f} s, {converged} converged; "
          f"{options.out}/cloth.npz and scene.usda written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
