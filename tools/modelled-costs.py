#!/usr/bin/env python3
"""Writes docs/modelled-costs.md: what a model makes of the frames of three scenes on six GPUs.

    tools/modelled-costs.py PTXEMU [--build build/release] [--frames 1] [--out docs/modelled-costs.md]
    tools/modelled-costs.py --resources [--jobs 2] [--keep FOLDER]     what ptxas says of kernels

PTXEMU is the folder of an emulator that executes CUDA programs on the CPU and counts what their kernels ask for
(`cuda-on-cpu`), with a model of what that would cost (`cuda-cost`). Nothing here is measured. The page has a part for
either; what is not asked for stays as it is. The resources need nvcc and ptxas of the CUDA toolkit, and half an hour on two
idle cores. FOLDER keeps their outputs: a second run goes on where the first one ended.
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
    if not target.exists():
        part = target.with_suffix(".part")
        run(["nvcc", "-std=c++17", "-O3", "-DNDEBUG", "-DTAUT_BUILD", "-DTAUT_WITH_CUDA", "-Iinclude", "-Isrc",
             f"-arch=compute_{ARCHITECTURES[0]}", "-ptx", source, "-o", part])
        part.rename(target)
    return target


def resources(ptx, architecture):
    """By file and kernel: registers, stack, spilled bytes."""
    told = ptx.with_suffix(f".sm_{architecture}")
    if not told.exists():
        text = run(["ptxas", "-v", f"-arch=sm_{architecture}", ptx, "-o", "/dev/null"])
        told.with_suffix(".part").write_text(text)
        told.with_suffix(".part").rename(told)
    return {(ptx.stem, found["name"]): (int(found["registers"]), int(found["stack"]), int(found["stores"]) + int(found["loads"]))
            for found in KERNEL.finditer(told.read_text())}


def without_parameters(text):
    """Up to the parenthesis that opens the parameters: not one within the arguments of a template."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "<") - (character == ">")
        if character == "(" and depth == 0:
            return text[:place]
    return text


def readable(names):
    """Demangled, without parameters and the names of the compiler's own spaces."""
    texts = run(["c++filt", *names]).splitlines()
    short = [without_parameters(re.sub(r"^void |\(anonymous namespace\)::|_GLOBAL__N_\w+::", "", text)) for text in texts]
    return {name: text if len(text) < 80 else text.split("<")[0] for name, text in zip(names, short)}


def frame_tables(emulator, build, frames):
    lines = []
    for scene in SCENES:
        with tempfile.TemporaryDirectory() as folder:
            costs = modelled_frames(emulator, build, scene, frames, pathlib.Path(folder))
        lines += ["", f"### {scene}", "", "| device | modelled ms a frame | costliest kernel | its share |", "|---|---|---|---|"]
        lines += [f"| {name} | {ms:.2f} | `{kernel}` | {100 * share:.0f} % |" for name, (ms, kernel, share) in costs.items()]
    return lines


def assemble(architectures, jobs, folder):
    """By architecture, and by file and kernel: registers, stack, spilled bytes."""
    sources = sorted((ROOT / "src/kernels/cuda").glob("*.cu"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        ptx = list(pool.map(lambda source: write_ptx(source, folder), sources))
        return {architecture: {name: values for found in pool.map(lambda file: resources(file, architecture), ptx)
                               for name, values in found.items()} for architecture in architectures}


def totals_table(found):
    lines = ["", "| architecture | kernels | registers: most | median | kernels with 128 or more | with a stack | largest stack, bytes | "
             "kernels that spill | most spilled, bytes | spilled by all |", "|---|---|---|---|---|---|---|---|---|---|"]
    for architecture, kernels in found.items():
        registers, stacks, spills = (sorted(values[i] for values in kernels.values()) for i in range(3))
        lines.append(f"| sm_{architecture} | {len(kernels)} | {registers[-1]} | {registers[len(registers) // 2]} | "
                     f"{sum(count >= 128 for count in registers)} | {sum(size > 0 for size in stacks)} | {stacks[-1]} | "
                     f"{sum(size > 0 for size in spills)} | {spills[-1]} | {sum(spills)} |")
    return lines


def worst_table(found):
    """The ten kernels that spill, then keep on a stack, then use registers most, on any architecture."""
    worst = {}
    for kernels in found.values():
        for name, (registers, stack, spilled) in kernels.items():
            before = worst.get(name, (0, 0, 0))
            worst[name] = (max(before[0], spilled), max(before[1], stack), max(before[2], registers))
    names = sorted(worst, key=lambda name: worst[name], reverse=True)[:10]
    told = readable([name for _, name in names])
    lines = ["", "| kernel | file | spilled bytes, at most | stack bytes, at most | registers on "
             + ", ".join(f"sm_{architecture}" for architecture in found) + " |", "|---|---|---|---|---|"]
    return lines + [f"| `{told[name[1]]}` | `{name[0]}.cu` | {worst[name][0]} | {worst[name][1]} | "
                    + ", ".join(str(kernels[name][0]) if name in kernels else "-" for kernels in found.values()) + " |"
                    for name in names]


def resources_part(architectures, jobs, folder):
    found = assemble(architectures, jobs, folder)
    return f"""## Resources of kernels

What `ptxas -v` of the CUDA toolkit reports for all kernels, assembled from PTX of compute_{ARCHITECTURES[0]}; commit {commit()}. A
stack holds arrays that do not fit into registers; what is spilled was in registers and had to go to memory.
""" + "\n".join(totals_table(found)) + "\n\nThe ten worst, by spilled bytes, then stack, then registers:\n" + "\n".join(worst_table(found)) + "\n"


def commit():
    return run(["git", "rev-parse", "--short", "HEAD"]).strip()


HEAD = """# Modelled costs on a device

`tools/modelled-costs.py` writes this page. **Nothing here is measured**; times of a GPU are in the [lab notes](lab-notes/2026-11-26.md). The numbers
rank kernels, and show when a change makes them costlier. They do not predict what a clock shows.

"""


def frames_part(emulator, build, frames):
    return f"""## Modelled frames

An emulator executes the kernels and counts instructions, memory traffic and nodes of graphs; commit {commit()}. A model turns
these counts into milliseconds, with constants of each device from data sheets, published measurements and guesses. Counted
frames: {frames}, from the first one, with the creation of the world.
""" + "\n".join(frame_tables(emulator, build, frames)) + "\n"


def parts_of(page):
    """The two parts that are there, by heading."""
    text = page.read_text() if page.exists() else ""
    begins = [(match.group(1), match.start()) for match in re.finditer(r"^## (.*)$", text, re.M)]
    ends = [start for _, start in begins[1:]] + [len(text)]
    return {name: text[start:end].rstrip() + "\n" for (name, start), end in zip(begins, ends)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("emulator", type=pathlib.Path, nargs="?")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--frames", type=int, default=1)
    parser.add_argument("--resources", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--architectures", type=int, nargs="+", default=ARCHITECTURES, help="such as 75 90 120")
    parser.add_argument("--keep", type=pathlib.Path, help="folder of PTX and of what ptxas told")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/modelled-costs.md")
    asked = parser.parse_args()
    if not asked.emulator and not asked.resources:
        parser.error("the emulator's folder, --resources, or both")
    parts = parts_of(asked.out)
    if asked.emulator:
        parts["Modelled frames"] = frames_part(asked.emulator.resolve(), asked.build.resolve(), asked.frames)
    if asked.resources:
        with tempfile.TemporaryDirectory() as folder:
            keep = asked.keep.resolve() if asked.keep else pathlib.Path(folder)
            keep.mkdir(parents=True, exist_ok=True)
            parts["Resources of kernels"] = resources_part(asked.architectures, asked.jobs, keep)
    asked.out.write_text(HEAD + "\n".join(parts[name] for name in ("Modelled frames", "Resources of kernels") if name in parts))


if __name__ == "__main__":
    main()
