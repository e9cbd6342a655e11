#!/usr/bin/env python3
"""Runs trials that are judged by a program apart from taut, where they are: ../shared/trials.

    tools/run-trials.py [--taut PROGRAM] [--part 0|1|2|3|all] [--jobs N]

Every fourth of the quick trials is in one part. Trials of time are left out: other programs run beside them here. Fails
where a trial of tests/trials-passing.txt falls short; says which others pass by now. Does nothing where the trials are
missing, or numpy, which they need.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TRIALS = os.path.join(ROOT, "../shared/trials/run")
PASSING = os.path.join(ROOT, "tests/trials-passing.txt")
TIMED = ("time/", "limits/")


def has_numpy(python):
    return subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0


def quick_trials(python):
    listed = subprocess.run([python, TRIALS, "--list", "--quick"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if line.strip() and "/" in line.split()[0]]
    return [name for name in names if not name.startswith(TIMED + ("api/",))]


def results_of(python, names, options):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "results.json")
        command = [python, TRIALS, "--taut", options.taut, "--only", ",".join(names), "--jobs", str(options.jobs)]
        subprocess.run(command + ["--json", file], check=False)
        with open(file, encoding="utf-8") as text:
            return {one["name"]: one for one in json.load(text)["trials"]}


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
    if options.part != "all":
        names = names[int(options.part) :: 4]
    with open(PASSING, encoding="utf-8") as file:
        passing = {line.strip() for line in file if line.strip() and not line.startswith("#")}
    results = results_of(python, names, options)
    # The limits of trials are in processor time, but a busy machine moves them: what falls short gets the machine alone.
    short = [n for n in names if n in passing and n in results and not results[n]["passed"]]
    if short and options.jobs > 1:
        options.jobs = 1
        results.update(results_of(python, short, options))
    short = [n for n in names if n in passing and not (n in results and results[n]["passed"])]
    new = [n for n in names if n in results and results[n]["passed"] and n not in passing]
    for name in new:
        print(f"{name} passes now: add it to tests/trials-passing.txt")
    for name in short:
        print(f"{name} passed before and falls short")
    print(f"{len(names)} trials, {sum(one['passed'] for one in results.values())} pass, {len(short)} no longer")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
