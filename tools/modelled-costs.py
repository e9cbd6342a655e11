#!/usr/bin/env python3
"""Writes docs/modelled-costs.md: what a model makes of the frames of three scenes on six GPUs.

    tools/modelled-costs.py PTXEMU [--build build/release] [--frames 1] [--out docs/modelled-costs.md]
    tools/modelled-costs.py PTXEMU --resources [--jobs 2]     and what ptxas says of kernels; takes half an hour

PTXEMU is the folder of an emulator that executes CUDA programs on the CPU and counts what their kernels ask for
(`cuda-on-cpu`), with a model of what that would cost (`cuda-cost`). Nothing here is measured.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENES = ("hammock", "soft-block", "cloth-and-rope")
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 120)
# Of a kernel, in the text of `ptxas -v`.
KERNEL = re.compile(r"Function properties for (?P<name>\S+)\s+(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes "
                    r"spill stores, (?P<loads>\d+) bytes spill loads\s+ptxas info\s+: Used (?P<registers>\d+) registers")


def run(command):
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"modelled-costs: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def modelled_frames(emulator, build, scene, frames, folder):
    """Milliseconds a frame and the costliest kernel, by device."""
    profile, launches, out = folder / "profile.csv", folder / "launches.csv", folder / "costs.json"
    run([emulator / "cuda-on-cpu", "--profile", profile, "--profile-launches", launches, "--", build / "bin/taut", "run",
         f"examples/scenes/{scene}.json", "--backend", "cuda", "--frames", frames, "--out", folder / scene])
    names = [line.split(",")[0] for line in (emulator / "devices.csv").read_text().splitlines() if line and line[0] != "#"][1:]
    run([emulator / "cuda-cost", profile, "--launches", launches, "--frames", frames, "--json", out]
        + [word for name in names for word in ("--device", name)])
    costs = json.loads(out.read_text())
    costliest = {name: max(device["kernels"], key=lambda kernel: kernel["ms"]) for name, device in costs.items()}
    return {name: (device["ms_per_frame"], costliest[name]["kernel"].split("(")[0], costliest[name]["ms"] / device["total_ms"])
            for name, device in costs.items()}


def write_ptx(source, folder):
    target = folder / (source.stem + ".ptx")
    run(["nvcc", "-std=c++17", "-O3", "-DNDEBUG", "-DTAUT_BUILD", "-DTAUT_WITH_CUDA", "-Iinclude", "-Isrc", "-arch=compute_75",
         "-ptx", source, "-o", target])
    return target


def resources(ptx, architecture):
    """(registers, stack, spilled bytes, kernel) of every kernel."""
    text = run(["ptxas", "-v", f"-arch=sm_{architecture}", ptx, "-o", "/dev/null"])
    return [(int(found["registers"]), int(found["stack"]), int(found["stores"]) + int(found["loads"]), found["name"])
            for found in KERNEL.finditer(text)]


def readable(name):
    """The kernel within a mangled name."""
    words = re.findall(r"(?<=\d)[a-z][a-z0-9_]*?_kernel", name)
    return words[0] if words else name[:40]


def frame_tables(emulator, build, frames):
    lines = []
    for scene in SCENES:
        with tempfile.TemporaryDirectory() as folder:
            costs = modelled_frames(emulator, build, scene, frames, pathlib.Path(folder))
        lines += ["", f"### {scene}", "", "| device | modelled ms a frame | costliest kernel | its share |", "|---|---|---|---|"]
        lines += [f"| {name} | {ms:.2f} | `{kernel}` | {100 * share:.0f} % |" for name, (ms, kernel, share) in costs.items()]
    return lines


def resource_table(jobs):
    lines = ["", "| architecture | kernels | most registers | with 128 or more | largest stack, bytes | kernels that spill | most spilled, bytes | by |",
             "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        sources = sorted((ROOT / "src/kernels/cuda").glob("*.cu"))
        assembled = list(pool.map(lambda source: write_ptx(source, pathlib.Path(folder)), sources))
        for architecture in ARCHITECTURES:
            rows = sum(pool.map(lambda ptx: resources(ptx, architecture), assembled), [])
            spilled = [row for row in rows if row[2] > 0]
            worst = max(rows, key=lambda row: row[2])
            lines.append(f"| sm_{architecture} | {len(rows)} | {max(row[0] for row in rows)} | {sum(row[0] >= 128 for row in rows)} | "
                         f"{max(row[1] for row in rows)} | {len(spilled)} | {worst[2]} | "
                         f"{'`' + readable(worst[3]) + '`' if spilled else ''} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("emulator", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--frames", type=int, default=1)
    parser.add_argument("--resources", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/modelled-costs.md")
    asked = parser.parse_args()
    resources_text = ("\n\n## Resources of kernels\n\nWhat `ptxas -v` reports for each architecture. A stack holds arrays that do not "
                      "fit into registers.\n" + "\n".join(resource_table(asked.jobs))) if asked.resources else ""
    commit = run(["git", "rev-parse", "--short", "HEAD"]).strip()
    text = f"""# Modelled costs on a device

`tools/modelled-costs.py` writes this page; commit {commit}. **Nothing here is measured**: no GPU has run taut yet. The numbers
rank kernels, and show when a change makes them costlier. They do not predict what a clock shows.

## Modelled frames

An emulator executes the kernels and counts instructions, memory traffic and nodes of graphs. A model turns these counts into
milliseconds, with constants of each device from data sheets, published measurements and guesses. Counted frames: {asked.frames}, from
the first one, with the creation of the world.
""" + "\n".join(frame_tables(asked.emulator.resolve(), asked.build.resolve(), asked.frames)) + resources_text + "\n"
    asked.out.write_text(text)


if __name__ == "__main__":
    main()
