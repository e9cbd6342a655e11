#!/usr/bin/env python3
"""What the CUDA kernels ask of memory, per constraint and iteration of conjugate gradients, counted without a GPU.

    benchmarks/traffic/table.py PROFILER TRAFFIC [SIZE] > benchmarks/results/traffic.csv

SIZE is the number of constraints, 100000 unless given; a tenth of it where blocks or polynomials make a step long.

PROFILER executes a CUDA program and writes a profile (`PROFILER --profile FILE -- PROGRAM`), TRAFFIC is taut-traffic.
Each case runs with two numbers of iterations; the difference of the counts is the cost of an iteration alone.

The floor is model_floor of benchmarks/model.h, for the condensed system model_condensed. Blocks and polynomials have
none."""
import csv
import subprocess
import sys
import tempfile

CASES = [
    ("net", "jacobi", "none", "reordered"), ("net", "jacobi", "full", "reordered"),
    ("net", "none", "none", "reordered"), ("net", "block", "full", "reordered"),
    ("cloth", "jacobi", "none", "given"), ("cloth", "jacobi", "none", "reordered"),
    ("shuffled", "jacobi", "none", "given"), ("shuffled", "jacobi", "none", "reordered"),
    ("cloth", "jacobi", "full", "reordered"), ("cloth", "chebyshev", "full", "reordered"),
    ("ropes", "block", "full", "reordered"), ("load", "block", "full", "reordered"),
    ("block", "jacobi", "full", "given"), ("block", "jacobi", "full", "reordered"),
    ("cloth", "condensed", "full", "reordered"),
]
MODELLED = ("none", "jacobi", "condensed")
FEW, MANY = 4, 12
COLUMNS = ["load_requests", "load_sectors", "load_bytes", "store_requests", "store_sectors", "store_bytes", "lines",
           "sectors_read", "sectors_written", "launches", "warp_instructions", "local_requests"]


def run(profiler, traffic, scene, size, preconditioner, geometric, order, iterations):
    with tempfile.NamedTemporaryFile(suffix=".csv") as profile:
        command = [profiler, "--profile", profile.name, "--", traffic, scene, str(size), preconditioner, geometric,
                   str(iterations), order]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        with open(profile.name, newline="") as file:
            rows = list(csv.reader(file))
    facts = {name: int(value) for name, value in (line.split() for line in printed.splitlines())}
    heading = rows[0]
    total = next(row for row in rows if row and row[0] == "TOTAL")
    counts = {name: float(total[heading.index(name)] or 0) for name in COLUMNS}
    runtime = {row[0]: int(row[1]) for row in rows if len(row) == 3 and row[1].isdigit()}
    return facts, counts, runtime


def measure(profiler, traffic, scene, size, preconditioner, geometric, order):
    few = run(profiler, traffic, scene, size, preconditioner, geometric, order, FEW)
    many = run(profiler, traffic, scene, size, preconditioner, geometric, order, MANY)
    facts, runtime = many[0], many[2]
    assert few[0]["passes"] == facts["passes"], "the iterations do not make one pass"
    made = facts["iterations"] - few[0]["iterations"]
    each = {name: (many[1][name] - few[1][name]) / made for name in COLUMNS}
    m = facts["constraints"]
    least = facts["floor"] / m if preconditioner in MODELLED else ""
    lines = 128 * each["lines"] / m
    waits = sum(runtime.get(name, 0) for name in ("sync_stream", "sync_device", "sync_event", "sync_copy"))
    return {
        "scene": scene, "constraints": m, "particles": facts["particles"], "preconditioner": preconditioner,
        "geometric": geometric, "order": order, "floor_bytes": least, "line_bytes": lines,
        "line_bytes_over_floor": lines / least if least else "",
        "sector_bytes": 32 * (each["sectors_read"] + each["sectors_written"]) / m,
        "requested_sector_bytes": 32 * (each["load_sectors"] + each["store_sectors"]) / m,
        "requested_bytes": (each["load_bytes"] + each["store_bytes"]) / m,
        "sector_efficiency": (each["load_bytes"] + each["store_bytes"])
        / (32 * (each["load_sectors"] + each["store_sectors"])),
        "requests": (each["load_requests"] + each["store_requests"]) * 32 / m,
        "warp_instructions": each["warp_instructions"] * 32 / m,
        "local_requests": each["local_requests"] * 32 / m,
        "kernels_per_iteration": each["launches"],
        "other_kernels_per_step": many[1]["launches"] - each["launches"] * facts["iterations"],
        "graph_launches_per_step": runtime.get("graph_launches", 0),
        "plain_launches_per_step": runtime.get("kernel_launches", 0),
        "waits_per_step": waits,
    }


def main():
    profiler, traffic = sys.argv[1:3]
    size = int(sys.argv[3]) if len(sys.argv) > 3 else 100000
    writer = None
    for case in CASES:
        row = measure(profiler, traffic, case[0], size if case[1] in MODELLED else size // 10, *case[1:])
        if writer is None:
            writer = csv.DictWriter(sys.stdout, fieldnames=list(row))
            writer.writeheader()
        writer.writerow({name: f"{value:.4g}" if isinstance(value, float) else value for name, value in row.items()})
        sys.stdout.flush()


if __name__ == "__main__":
    main()
