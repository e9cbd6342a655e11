#!/usr/bin/env python3
"""Runs trials that are judged by a program apart from taut, where they are: ../shared/trials.

    tools/run-trials.py [--taut PROGRAM] [--part 0|1|2|3|all] [--jobs N]

Every fourth of the trials is in one part; tests/trials-short.txt says which are run at all, and lists those that fall short.
Fails where any other one does; says which of these pass by now. Does nothing where the trials are missing, or numpy, which
they need.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TRIALS = os.path.join(ROOT, "../shared/trials/run")
SHORT = os.path.join(ROOT, "tests/trials-short.txt")


def has_numpy(python):
    return subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0


def quick_trials(python):
    listed = subprocess.run([python, TRIALS, "--list", "--quick"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if line.strip() and "/" in line.split()[0]]
    return [name for name in names if not name.startswith("time/")]


def installed(taut, folder):
    """An install tree of the build that has the program; None where it is in none."""
    build = os.path.join(os.path.dirname(taut), "..")
    if not os.path.exists(os.path.join(build, "cmake_install.cmake")):
        return None
    made = subprocess.run(["cmake", "--install", build, "--prefix", folder], capture_output=True, text=True)
    if made.returncode != 0:
        print(made.stderr.strip())
    return folder if made.returncode == 0 else None


def results_of(python, names, options):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "results.json")
        command = [python, TRIALS, "--taut", options.taut, "--only", ",".join(names), "--jobs", str(options.jobs)]
        command += ["--prefix", options.prefix] if options.prefix else []
        subprocess.run(command + ["--json", file], check=False)
        if not os.path.exists(file):
            return {}
        with open(file, encoding="utf-8") as text:
            return {one["name"]: one for one in json.load(text)["trials"]}


def run(python, names, listed, options):
    """The exit status. Trials without a result have fallen short."""
    def falls_short(results):
        return [n for n in names if n not in listed and not (n in results and results[n]["passed"])]

    results = results_of(python, names, options)
    short = falls_short(results)
    # The limits of trials are in processor time, but a busy machine moves them: what falls short gets the machine alone.
    if short and options.jobs > 1:
        options.jobs = 1
        results.update(results_of(python, short, options))
        short = falls_short(results)
    for name in (n for n in names if n in listed and n in results and results[n]["passed"]):
        print(f"{name} passes now: take it out of tests/trials-short.txt")
    for name in short:
        print(f"{name} falls short")
    print(f"{len(names)} trials, {sum(one['passed'] for one in results.values())} pass, {len(short)} should and do not")
    return 1 if short else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--taut", default=os.path.join(ROOT, "build/release/bin/taut"))
    parser.add_argument("--part", default="all", choices=["0", "1", "2", "3", "all"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.taut = os.path.abspath(options.taut)
    python = next((p for p in (sys.executable, "/usr/bin/python3") if os.path.exists(p) and has_numpy(p)), None)
    if not os.path.exists(TRIALS) or python is None:
        print("No trials, or no numpy: none is run.")
        return 0
    if not os.access(options.taut, os.X_OK):
        print(f"{options.taut}: there is no such program")
        return 2
    names = quick_trials(python)
    if not names:
        print(f"{TRIALS} lists no trials")
        return 1
    with open(SHORT, encoding="utf-8") as file:
        listed = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    for name in sorted(listed.difference(names)):
        print(f"{name} of tests/trials-short.txt is none of the trials that are run")
    if options.part != "all":
        names = names[int(options.part) :: 4]
    with tempfile.TemporaryDirectory() as folder:
        options.prefix = installed(options.taut, folder)
        if options.prefix is None:
            print("No install tree, so no trials of the interface in C.")
            names = [name for name in names if not name.startswith("api/")]
        return run(python, names, listed, options)


if __name__ == "__main__":
    sys.exit(main())
