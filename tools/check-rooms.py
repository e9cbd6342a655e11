#!/usr/bin/env python3
"""Checks which way includes point.

Each room of the code may include rooms below it, and itself. Fails on an include that points up or sideways, on a cycle of
files, on a project header that does not exist, and on two source files of one name (main.c excepted: every program has one).

    tools/check-rooms.py [ROOT]
"""
import os
import re
import sys

# A room is a folder with what lies below it; the longest name that fits counts. Behind it: the rooms that it may include.
BASE = ["include/taut", "src/base"]
MODEL = BASE + ["src/kernels/formulas", "src/model"]
STAGES = MODEL + ["src/kernels/stages"]
SCENE = STAGES + ["src/host/scene"]
COMPILE = SCENE + ["src/host/compile"]
APP_FILES = ["include/taut", "apps/taut/base"]
ROOMS = {
    "include/taut": [],
    "src/base": ["include/taut"],
    "src/kernels/formulas": BASE,
    "src/model": BASE + ["src/kernels/formulas"],
    "src/kernels/stages": MODEL,
    "src/host/cpu": STAGES,
    "src/kernels/cuda": STAGES,
    "src/host/scene": STAGES,
    "src/host/compile": SCENE,
    "src/host/world": COMPILE,
    "apps/taut/base": ["include/taut"],
    "apps/taut/mesh": APP_FILES,
    "apps/taut/export": APP_FILES,
    "apps/taut/scene_json": APP_FILES,
    "apps/taut/build": APP_FILES + ["apps/taut/mesh", "apps/taut/export", "apps/taut/scene_json"],
    "python/binding": APP_FILES
    + ["apps/taut/mesh", "apps/taut/export", "apps/taut/scene_json", "apps/taut/build"],
    "python/view": APP_FILES
    + ["apps/taut/mesh", "apps/taut/export", "apps/taut/scene_json", "apps/taut/build", "apps/taut/view", "python/binding"],
    "apps/taut/commands": APP_FILES
    + ["apps/taut/mesh", "apps/taut/export", "apps/taut/scene_json", "apps/taut/build"],
    "apps/taut/view": APP_FILES
    + ["apps/taut/mesh", "apps/taut/export", "apps/taut/scene_json", "apps/taut/build", "apps/taut/commands"],
}
# Looked at for names only: tests and benchmarks see whatever they are about.
NAMES_ONLY = ["tests", "benchmarks", "examples"]
CODE = (".c", ".h", ".cc", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*(?:include|define TAUT_(?:KIND|LOAD)_TEXT)\s+["<]([^">]+)[">]', re.MULTILINE)
QUOTED = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Every program has one; no other folder.
MAIN = re.compile(r"apps/taut/commands|benchmarks(/\w+)?|tests/consumer")


def source_files(root):
    for top in ["include", "src", "apps", "python"] + NAMES_ONLY:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(CODE):
                    yield os.path.relpath(os.path.join(folder, name), root)


def room_of(path):
    fitting = [room for room in ROOMS if path.startswith(room + "/")]
    return max(fitting, key=len) if fitting else None


def resolve(root, path, name):
    """The file that an include names, or None."""
    folders = [os.path.dirname(path), "src", "include", "apps/taut"]
    candidates = [os.path.normpath(os.path.join(folder, name)) for folder in folders]
    return next((c for c in candidates if os.path.isfile(os.path.join(root, c))), None)


def cycle_in(includes):
    """The files of one cycle, or None."""
    done, trail = set(), []

    def visit(path):
        if path in trail:
            return trail[trail.index(path) :] + [path]
        if path in done:
            return None
        trail.append(path)
        for target in includes.get(path, []):
            found = visit(target)
            if found:
                return found
        trail.pop()
        done.add(path)
        return None

    for path in sorted(includes):
        found = visit(path)
        if found:
            return found
    return None


def faults_of(root):
    faults, includes, by_name = [], {}, {}
    for path in source_files(root):
        by_name.setdefault(os.path.basename(path), []).append(path)
        room = room_of(path)
        if path.split("/")[0] in NAMES_ONLY:
            continue
        if room is None:
            faults.append(f"{path}: is in no room; {os.path.basename(__file__)} lists them")
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        quoted = QUOTED.findall(text)
        for name in INCLUDE.findall(text):
            target = resolve(root, path, name)
            if target is None:
                if name in quoted:
                    faults.append(f'{path}: "{name}" does not exist')
                continue
            includes.setdefault(path, []).append(target)
            other = room_of(target)
            if other != room and other not in ROOMS[room]:
                faults.append(f"{path}: includes {target}, but {room} may not see {other}")
    for name, paths in sorted(by_name.items()):
        if name == "main.c":
            faults += [f"{path}: no program is expected here" for path in paths if not MAIN.fullmatch(os.path.dirname(path))]
        elif len(paths) > 1:
            faults.append(f"{name}: is the name of {len(paths)} files: {', '.join(paths)}")
    cycle = cycle_in(includes)
    if cycle:
        faults.append("a cycle of includes: " + " -> ".join(cycle))
    return faults, len(includes)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    faults, files = faults_of(root)
    for fault in faults:
        print(fault)
    print(f"{files} files with includes, {len(faults)} faults")
    return 1 if faults or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
