#!/usr/bin/env python3
"""Drops garments on colliders and looks at what comes of it with tests/support/check_surface.cc.

table.py --taut BUILD/bin/taut --check BUILD/bin/check_surface [--backend cpu] [--data ../shared/data] [--out garments]
         [--garments NAME,...] [--colliders NAME,...] [--frames 240] [--substeps 4] [--thickness 0.004] [--every 20]
         [--csv FILE]

NAMEs are parts of file names. A garment is scaled to 1 m, laid flat and dropped on the collider, which is scaled to 0.6 m
and stands on the floor; one that is not closed is an obstacle of fixed cloth. A garment that cuts itself is smoothed there
first (untangle.py). A row of Markdown each, as soon as it is
there: cuts of the garment with itself and the collider at the start, at the worst of every so many frames and
at the end; how deep the deepest vertex of those frames is inside. The scenes and all that they wrote stay in --out. --csv appends rows for benchmarks/results/garments.csv.
Exit status: 1 where anything went wrong.
"""
import argparse
import csv
import datetime
import glob
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

from untangle import untangle

COLUMNS = ("garment", "collider", "vertices", "frames", "ms a frame", "iterations", "outer iterations", "not converged", "contacts",
           "overlap, m", "cuts: start", "worst", "end", "inside, m", "verdict")
# Those of benchmarks/results/garments.csv, and where a row of the table has them.
CSV_COLUMNS = {"garment": 0, "vertices": 2, "collider": 1, "frame_ms": 4, "iterations": 5, "outer_iterations": 6, "contacts_most": 8,
               "overlap_m": 9, "frames_not_converged": 7}


def read_obj(path):
    points, corners = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                points.append(tuple(float(x) for x in words[1:4]))
            elif words[:1] == ["f"]:
                corners.append([int(w.split("/")[0]) - 1 for w in words[1:]])
    return points, corners


def read_gmsh1(path):
    """Points, and triangles of the first version of Gmsh's format, which taut does not read."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    nodes, elements = lines.index(["$NOD"]), lines.index(["$ELM"])
    rows = lines[nodes + 2:nodes + 2 + int(lines[nodes + 1][0])]
    place = {row[0]: i for i, row in enumerate(rows)}
    faces = lines[elements + 2:elements + 2 + int(lines[elements + 1][0])]
    return ([tuple(float(x) for x in row[1:4]) for row in rows],
            [[place[n] for n in row[5:]] for row in faces if row[1] == "2"])


def write_obj(path, points, corners):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("v %r %r %r\n" % p for p in points)
        file.writelines("f %s\n" % " ".join(str(i + 1) for i in c) for c in corners)


def garment_file(path, options):
    """The file itself, or one in the folder that says the same, but for what has been smoothed so that it does not cut itself."""
    points, corners = read_gmsh1(path) if path.endswith(".msh") else read_obj(path)
    name = os.path.join(options.out, os.path.basename(path)[:-4] + ".obj")
    write_obj(name, points, corners)
    moved = untangle(options.check, name, points, corners, write_obj)
    if moved:
        print("%s cuts itself: %d of %d vertices smoothed" % (os.path.basename(path), moved, len(points)), file=sys.stderr)
    return name if moved or path.endswith(".msh") else path


def is_closed(corners):
    sides = {}
    for face in corners:
        for a, b in zip(face, face[1:] + face[:1]):
            sides[(a, b)] = sides.get((a, b), 0) + 1
    return all(n == 1 and (b, a) in sides for (a, b), n in sides.items())


def turned(p, degrees):
    """By right angles about x or z."""
    x, y, z = p
    return {(0, 0, 0): (x, y, z), (-90, 0, 0): (x, z, -y), (0, 0, 90): (-y, x, z)}[degrees]


def placed(path, size, flat, bottom):
    """Keys that give a mesh its size and put it over the origin."""
    points, corners = read_obj(path)
    extent = [max(p[a] for p in points) - min(p[a] for p in points) for a in range(3)]
    turns = ((0, 0, 90), (0, 0, 0), (-90, 0, 0))
    turn = turns[extent.index(min(extent))] if flat else (0, 0, 0)
    scale = size / max(extent)
    points = [turned([scale * x for x in p], turn) for p in points]
    low = [min(p[a] for p in points) for a in range(3)]
    high = [max(p[a] for p in points) for a in range(3)]
    move = [-0.5 * (low[0] + high[0]), bottom - low[1], -0.5 * (low[2] + high[2])]
    keys = {"mesh": os.path.abspath(path), "scale": scale, "rotate_degrees": turn, "translate": move}
    return keys, len(points), high[1] + move[1], is_closed(corners)


def scene(garment, collider, options):
    """Its text, the garment's vertices, and whether the collider is one."""
    under, _, top, closed = placed(collider, 0.6, False, 0.01)
    cloth, vertices, _, _ = placed(garment, 1.0, True, top + 0.02)
    law = {"type": "cloth", "model": "membrane", "density": 0.15, "young": 300, "damping": 0.005,
           "bend": {"compliance": 2e4, "damping": 0.01}, "contact": {"thickness": options.thickness}}
    obstacle = dict(under, name="under", type="collider") if closed else dict(under, **law, name="under")
    # A little off the middle, where a symmetric fall would stand on edge.
    cloth["translate"] = [cloth["translate"][0] + 0.03, cloth["translate"][1], cloth["translate"][2] + 0.02]
    text = {"taut": 1, "frames": options.frames, "fps": 60, "substeps": options.substeps,
            "integrator": {"mass_damping": 1}, "solver": {"tolerance": 1e-3},
            "objects": [{"name": "floor", "type": "collider", "plane": {}}, obstacle, dict(cloth, **law, name="garment")]}
    if not closed:
        everywhere = [[-9, -9, -9], [9, 9, 9]]
        text["constraints"] = [{"type": "pin", "at": {"object": "under", "box": everywhere}}]
    return text, vertices, closed


def look(options, folder, frame, closed):
    """Cuts, and how deep the deepest vertex is inside."""
    meshes = [os.path.join(folder, "%s.%04d.obj" % (name, frame)) for name in ("garment", "under")]
    check = lambda words: subprocess.run([options.check] + words, capture_output=True, text=True, check=False).stdout
    cuts = int(re.search(r"cuts (\d+)", check(meshes)).group(1))
    inside = check([meshes[0], "--inside", meshes[1]]) if closed else "deepest 0"
    return cuts, float(re.search(r"deepest (\S+)", inside).group(1))


def run(options, garment, collider):
    names = [re.sub(r"^.*__|\.obj$", "", os.path.basename(p)) for p in (garment, collider)]
    folder = os.path.join(options.out, "-on-".join(names))
    os.makedirs(folder, exist_ok=True)
    text, vertices, closed = scene(garment, collider, options)
    path, stats = os.path.join(folder, "scene.json"), os.path.join(folder, "stats.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(text, file, indent=1)
    threads = ["--threads", "1"] if options.backend == "cpu" else []
    words = shlex.split(options.taut) + ["run", path, "--backend", options.backend, "--export", "obj", "--out", folder] + threads
    done = subprocess.run(words + ["--stats", stats], capture_output=True, text=True, check=False)
    if not os.path.exists(stats):
        return names + [vertices] + ["-"] * 11 + ["**no run**: " + done.stderr.strip()], False
    with open(stats, encoding="utf-8") as file:
        frames = [json.loads(line) for line in file]
    last = len(frames)
    looks = {f: look(options, folder, f, closed) for f in sorted({0, last} | set(range(0, last, options.every)))}
    worst, inside = max(c for c, _ in looks.values()), max(d for _, d in looks.values())
    middle = lambda key: statistics.median(f[key] for f in frames)
    slow = sum(f["outcome"] != "converged" for f in frames)
    deepest = max(f["point_overlap"] for f in frames)
    wrong = ""
    if done.returncode != 0:
        wrong = done.stderr.strip() or "exit status %d" % done.returncode
    elif worst > looks[0][0] or inside > options.thickness:
        wrong = "cut or inside"
    elif looks[0][0] > 0:
        wrong = "cuts itself from the start"
    verdict = "**" + wrong + "**" if wrong else "good"
    row = [vertices, last, "%.0f" % middle("step_ms"), "%.0f" % middle("iterations"), "%.0f" % middle("outer_iterations"), slow,
           max(f["contacts"] for f in frames), "%.1e" % deepest, looks[0][0], worst, looks[last][0], "%.1e" % inside]
    return names + row + [verdict], not wrong


def chosen(folder, names):
    paths = sorted(glob.glob(os.path.join(folder, "*.obj")) + glob.glob(os.path.join(folder, "*.msh")))
    return [p for p in paths if not names or any(n in os.path.basename(p) for n in names.split(","))]


def describe_run():
    """Date, commit, machine and command, as the results have them."""
    here = os.path.dirname(os.path.abspath(__file__))
    described = subprocess.run(["git", "-C", here, "describe", "--always", "--dirty", "--abbrev=7"], capture_output=True, text=True,
                               check=False).stdout.strip()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    machine = "one thread of %d cores of %s" % (os.cpu_count(), names[0] if names else "an unknown processor")
    return [datetime.date.today().isoformat(), described or "unknown", machine, shlex.join(["python3"] + sys.argv)]


def append_csv(name, row, substeps):
    is_new = not os.path.exists(name) or os.path.getsize(name) == 0
    with open(name, "a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(["current"] + list(CSV_COLUMNS) + ["substeps", "date", "commit", "machine", "command"])
        writer.writerow(["yes"] + [row[i] for i in CSV_COLUMNS.values()] + [substeps] + describe_run())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--taut", required=True, help="the tool, or a command that runs it")
    parser.add_argument("--backend", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--check", required=True)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--out", default="garments")
    parser.add_argument("--garments", default="")
    parser.add_argument("--colliders", default="")
    parser.add_argument("--frames", type=int, default=240)
    parser.add_argument("--substeps", type=int, default=4)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--thickness", type=float, default=0.004)
    parser.add_argument("--csv", default="")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    garments = [garment_file(p, options) for p in chosen(os.path.join(options.data, "cloth"), options.garments)]
    colliders = chosen(os.path.join(options.data, "collider"), options.colliders)
    if not garments or not colliders:
        print("table.py: there is nothing to drop in %s" % options.data)
        return 77
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    all_good = True
    for garment in garments:
        for collider in colliders:
            row, good = run(options, garment, collider)
            print("| " + " | ".join(str(x) for x in row) + " |", flush=True)
            if options.csv and row[4] != "-":
                append_csv(options.csv, row, options.substeps)
            all_good = all_good and good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
