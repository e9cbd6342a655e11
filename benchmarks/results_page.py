#!/usr/bin/env python3
"""Writes docs/results.md from benchmarks/results/*.csv.

    python3 benchmarks/results_page.py            writes the page
    python3 benchmarks/results_page.py --check    exit status 1 where the page is out of date

Every file of measured values has the columns date, commit, machine and command, or a row in runs.csv that says them. In a
file with a column "current", rows with another value than "yes" are earlier runs; the page leaves them out.
"""
import argparse
import collections
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "results")
PAGE = os.path.join(os.path.dirname(HERE), "docs", "results.md")
RUN = ("date", "commit", "machine", "command")

INTRODUCTION = """# Results

`benchmarks/results_page.py` writes this page from `benchmarks/results/*.csv`. Edit those files, not this page. The
[lab notes](lab-notes/index.md) say what was tried and what failed; [benchmarks/README.md](../benchmarks/README.md) says how to
run the benchmarks.

No time on this page is from a GPU; the [lab notes](lab-notes/2026-11-26.md) have the first. All times are from one CPU thread. Under each
table stand the machine, the commit and a command that repeats the measurement.

*Iterations* are those of the linear solver in one step or frame. *Outer iterations* update the multipliers, the active
set and the friction bounds. A step is *not converged* where its residual is above the tolerance at the iteration limit or where
it stagnates before. The tolerance is relative and stands with each table."""

MORE = """## More tables

- [Convergence](convergence.md): iterations by size, stiffness, preconditioner and method.
- [Comparison with other solvers](comparison.md): time and work to a given error, beside sparse direct solvers, AMGCL and XPBD.
- [Formulations](formulations.md): order, energy and drift of every time integrator.
- [Lab notes](lab-notes/index.md): experiments by date, with their negative results."""


# ---- reading -----------------------------------------------------------------------------------------------------


def read(name):
    """Rows of a file, each with its run; earlier runs are left out."""
    with open(os.path.join(RESULTS, name), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if "machine" not in rows[0]:
        run = next(r for r in read("runs.csv") if r["file"] == name)
        rows = [dict(r, **{key: run[key] for key in RUN}) for r in rows]
    return [r for r in rows if r.get("current", "yes") == "yes"]


def pick(rows, **wanted):
    found = [r for r in rows if all(r[key] == value for key, value in wanted.items())]
    if not found:
        raise SystemExit("results_page.py: no row has %s" % wanted)
    return found


def numbers(rows, key):
    return [float(r[key]) for r in rows if r[key]]


# ---- writing -----------------------------------------------------------------------------------------------------


def short(value):
    """Two digits, or all of those before the point."""
    return "%.0f" % value if value >= 10 else "%.1f" % value if value >= 1 else "%.2g" % value


def grouped(value):
    return "{:,}".format(int(value))


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def source(rows, name):
    """Machine, commit and command of rows, a line for each combination."""
    runs = collections.Counter(tuple(r[key] for key in RUN) for r in rows)
    lines = ["Data: [`%s`](../benchmarks/results/%s)." % (name, name), ""]
    for (date, commit, machine, command), count in runs.items():
        rows_of = "%d rows: " % count if len(runs) > 1 else ""
        told = "`%s`" % command if "/" in command else command
        lines.append("- %s%s; commit %s, %s; %s." % (rows_of, machine, commit, date, told))
    return "\n".join(lines)


def section(title, text, rows, name, *tables):
    return "\n\n".join(["## " + title, text] + list(tables) + [source(rows, name)])


# ---- the headline ------------------------------------------------------------------------------------------------


def span(rows, key):
    values = numbers(rows, key)
    return "%s to %s" % (short(min(values)), short(max(values)))


def most(rows, key):
    """As it is written there."""
    return max(rows, key=lambda r: float(r[key]))[key]


def headline():
    lines = []

    def say(what, measured, where):
        lines.append([what, measured, where])

    convergence = read("convergence.csv")
    cloth = pick(convergence, scene="cloth", cycle="additive", compliance="1e-4")
    sizes = sorted(int(r["size"]) for r in cloth)
    say("cloth, %s to %s vertices, iterations of one step" % (grouped(sizes[0]), grouped(sizes[-1])),
        "%s to 1e-3, %s to 1e-6" % (span(cloth, "iterations_1e-3"), span(cloth, "iterations_1e-6")),
        "[convergence](convergence.md)")
    solvers = pick(read("comparison.csv"), vertices="65536")
    own = pick(solvers, method="taut")[0]
    of = lambda method, key: pick(solvers, method=method)[0][key]
    say("cloth of 65,536 vertices, one step, taut", "%s ms to 1e-3, %s ms to 1e-6" % (own["ms_1e-3"], own["ms_1e-6"]),
        "[comparison](comparison.md)")
    say("the same, time of CHOLMOD over taut's", "%s to 1e-3, %s to 1e-6" % (of("cholmod", "over_taut_1e-3"),
        of("cholmod", "over_taut_1e-6")), "[comparison](comparison.md)")
    say("the same, time of Eigen's LDL^T over taut's", "%s to 1e-3, %s to 1e-6" % (of("eigen-ldlt", "over_taut_1e-3"),
        of("eigen-ldlt", "over_taut_1e-6")), "[comparison](comparison.md)")
    rope = pick(convergence, scene="hard rope", size="100000")[0]
    say("hard rope of 100,000 links, iterations of one step, chain elimination",
        "%s to 1e-3, %s to 1e-6" % (rope["iterations_1e-3"], rope["iterations_1e-6"]), "[convergence](convergence.md)")
    ropes = pick(read("chains-and-nets.csv"), scene="ropes", constraints="9950", geometric="full")
    each = {r["preconditioner"]: short(float(r["step_ms"])) for r in ropes}
    say("100 hard ropes, 9,950 constraints, one step to 1e-4",
        "%s ms by chain elimination, %s ms by block preconditioner, %s ms by Jacobi" % (
            each["multilevel"], each["block"], each["jacobi"]),
        "[below](#ropes-nets-cloth-and-tetrahedra-by-the-schur-complement)")
    garments = pick(read("garments.csv"), substeps="4")
    frames = 240 * len(garments)
    say("%d pairs of garment and collider, %s frames to 1e-3" % (len(garments), grouped(frames)),
        "%d frames not converged; median frame %s ms; overlap at most %s m at a thickness of 4 mm" % (
            sum(numbers(garments, "frames_not_converged")), span(garments, "frame_ms"),
            most(garments, "overlap_m")),
        "[below](#garments-on-colliders)")
    piles = pick(read("piles.csv"), balls="1500", method="projected gradient")
    laws = {(r["law"], r["friction"]): r for r in piles}
    told = lambda r: "%s ms a step, %s of %s steps not converged" % (r["step_ms"], r["steps_not_converged"], r["steps"])
    say("1,500 loose balls to 1e-4, no friction", told(laws["convex", "0"]), "[below](#loose-bodies)")
    say("the same, friction 0.5", told(laws["convex", "0.5"]), "[below](#loose-bodies)")
    say("the same by the exact law", told(laws["exact", "0.5"]), "[below](#loose-bodies)")
    traffic = pick(read("traffic.csv"), preconditioner="jacobi")
    say("CUDA, one iteration with Jacobi, memory lines over the least possible (counted, not timed)",
        "%.2f to %.2f" % (min(numbers(traffic, "line_bytes_over_floor")), max(numbers(traffic, "line_bytes_over_floor"))),
        "[below](#memory-requests-of-the-cuda-kernels)")
    return "## In short\n\n" + table(["what", "measured", "table"], lines)


# ---- the tables --------------------------------------------------------------------------------------------------


def solve_cell(rows):
    if not rows:
        return ""
    row = rows[0]
    if row["outcome"] == "converged":
        return "%.0f, %s ms" % (float(row["iterations"]), short(float(row["step_ms"])))
    return row["outcome"]


def iterations_and_times():
    name, other = "amd-epyc-2-cores.csv", "chains-and-nets.csv"
    rows, lines = read(name), pick(read(other), preconditioner="multilevel")
    case = lambda r: (r["scene"], r["constraints"], r["geometric"])
    names = ("none", "jacobi", "block", "chebyshev", "multilevel")
    cells = []
    for scene, constraints, geometric in dict.fromkeys(case(r) for r in rows):
        of = {r["preconditioner"]: r for r in rows if case(r) == (scene, constraints, geometric)}
        of.update({r["preconditioner"]: r for r in lines if case(r) == (scene, constraints, geometric)})
        cells.append([scene, grouped(constraints), geometric] + [solve_cell([of[n]] if n in of else []) for n in names])
    shares = []
    for scene, constraints, preconditioner in (("cloth", "847", "jacobi"), ("ropes", "9950", "jacobi"),
                                               ("ropes", "9950", "block"), ("net", "924", "block"), ("block", "768", "jacobi")):
        r = pick(rows, scene=scene, constraints=constraints, preconditioner=preconditioner, geometric="full")[0]
        parts = [float(r[key + "_ms"]) for key in ("assemble", "solve")] + [float(r["evaluate_ms"]) + float(r["integrate_ms"])]
        shares.append([scene, grouped(constraints), preconditioner, "%.0f" % float(r["iterations"])] +
                      ["%.0f %%" % (100 * part / float(r["step_ms"])) for part in parts])
    text = """Schur complement, tolerance 1e-4: iterations and time of one step. `limit` and `stagnated` stand where a step did not
converge in 1,000 iterations or in the time given to the row (6 s). *Geometric* says whether the geometric stiffness is in the system.
*Chain elimination* (`multilevel` of the Schur complement) solves exactly along ropes, rods and the threads of nets. `auto` takes it there,
and other methods for cloth and blocks of tetrahedra: factors or the condensed system (next table, and [convergence](convergence.md)).
The CSV has time per iteration, bytes and bandwidth of each row."""
    return section("Ropes, nets, cloth and tetrahedra by the Schur complement", text, rows, name,
                   table(["scene", "constraints", "geometric", "no preconditioner", "Jacobi", "block", "Chebyshev (8)",
                          "chain elimination"], cells),
                   source(lines, other),
                   "Share of one step by stage, geometric stiffness full:",
                   table(["scene", "constraints", "preconditioner", "iterations", "assemble", "solve", "evaluate and integrate"],
                         shares))


SCENES = {"rope": "hard chain of 1,000 links", "cloth": "cloth 64 x 64"}


def method_name(r):
    if r["method"] in ("gauss_seidel", "direct"):
        return r["method"]
    if r["preconditioner"] != "multilevel":
        return r["method"] + ", Jacobi"
    return r["method"] + ", " + (r["cycle"] if r["method"] == "condensed" else "chain elimination")


def gauss_seidel():
    name = "gauss-seidel-and-factors.csv"
    rows = read(name)
    cells = [[SCENES[r["scene"]], method_name(r), "%.0e" % float(r["tolerance"]),
              r["iterations"] + ("" if r["outcome"] == "converged" else ", " + r["outcome"]), "%.1e" % float(r["residual"]),
              "%.1e" % float(r["error"]) if float(r["error"]) > 0 else "reference", short(float(r["solve_ms"])),
              short(float(r["refresh_ms"]))] for r in rows]
    text = """One step without a warm start. The error is that of the velocity change, relative to a step solved to 1e-8. `refresh` is the
time in which the preconditioner is made; the factorisation of `direct` is part of its solve."""
    return section("Gauss-Seidel and sparse factors", text, rows, name,
                   table(["scene", "method", "tolerance", "iterations", "residual", "error", "solve, ms", "refresh, ms"], cells))


def garments():
    name = "garments.csv"
    rows = read(name)
    keys = ("garment", "vertices", "collider", "frame_ms", "iterations", "outer_iterations", "contacts_most", "overlap_m",
            "frames_not_converged")
    four = pick(rows, substeps="4")
    text = """Each garment is scaled to 1 m and falls on a collider of 0.6 m: 240 frames of 4 substeps, thickness 4 mm, friction 0.5,
tolerance 1e-3. Time, iterations and outer iterations are medians over the frames; another program used the second core, so times are
rough. The bowl is an open surface and stands as fixed cloth. In every twentieth frame an independent check looked for edges through
triangles, of the garment and of the collider, and for vertices inside: there is none."""
    return section("Garments on colliders", text, rows, name, table(
        ["garment", "vertices", "collider", "ms a frame", "iterations", "outer iterations", "contacts, most", "overlap, m",
         "frames not converged"], [[r[key] for key in keys] for r in four]),
        "All pairs by the number of substeps; overlaps are those of vertices at the end of a frame:",
        table(["substeps", "pairs", "frames not converged", "ms a frame, medians of pairs", "overlap, most, m"],
              [[n, len(of), "%d of %s" % (sum(numbers(of, "frames_not_converged")), grouped(240 * len(of))), span(of, "frame_ms"),
                most(of, "overlap_m")] for n, of in ((n, pick(rows, substeps=n)) for n in ("4", "2", "1"))]))


def shirt():
    name = "shirt-on-spot.csv"
    rows = read(name)
    r = rows[0]
    text = """`examples/scenes/shirt-on-spot.json`: a T-shirt of 1,921 vertices falls on Spot (5,856 triangles, exact distances) and meets
itself; friction 0.5, tolerance %s, %s frames of %s substeps.""" % (r["tolerance"], r["frames"], r["substeps"])
    cells = [("time of all frames", r["total_s"] + " s"), ("time of a frame, median", r["frame_ms_median"] + " ms"),
             ("time of a frame, mean", r["frame_ms_mean"] + " ms"), ("iterations of a frame, mean", r["iterations_mean"]),
             ("iterations of a frame, most", grouped(r["iterations_most"])),
             ("outer iterations of a frame, mean", r["outer_iterations_mean"]),
             ("frames not converged", r["frames_not_converged"]), ("contacts, most", grouped(r["contacts_most"])),
             ("overlap, most", r["overlap_m"] + " m of " + r["thickness_m"] + " m"),
             ("frames with intersections", r["frames_with_intersections"])]
    return section("A T-shirt on Spot", text, rows, name, table(["what", "measured"], cells))


def loose_bodies():
    name = "piles.csv"
    rows = read(name)
    cells = [[grouped(r["balls"]), r["friction"], r["law"], r["method"], grouped(r["contacts_most"]), r["iterations_mean"],
              r["outer_iterations_mean"], grouped(r["iterations_most"]), "%s of %s" % (r["steps_not_converged"], r["steps"]),
              r["residual_most"], r["step_ms"]] for r in rows]
    text = """Balls fall into a box and onto one another: 60 steps of 1/60 s, tolerance 1e-4. The
[convex law](mathematics.md#the-convex-law) is the default. `projected gradient`, which `auto` takes here, makes sweeps and then Newton's
method by the convex law, and projected gradients by the exact one."""
    return section("Loose bodies", text, rows, name, table(
        ["balls", "friction", "law", "method", "contacts, most", "iterations a step", "outer iterations a step", "iterations, most",
         "steps not converged", "residual, most", "ms a step"], cells))


def traffic():
    name = "traffic.csv"
    rows = read(name)
    whole = lambda r, key: "%.0f" % float(r[key]) if r[key] else ""
    part = lambda r, key: "%.2f" % float(r[key]) if r[key] else ""
    cells = [[r["scene"], r["constraints"], r["preconditioner"], r["geometric"], r["order"], whole(r, "floor_bytes"),
              whole(r, "line_bytes"), part(r, "line_bytes_over_floor"), whole(r, "sector_bytes"), whole(r, "requested_sector_bytes"),
              part(r, "sector_efficiency"), r["kernels_per_iteration"], r["other_kernels_per_step"]] for r in rows]
    text = """An emulator executed the kernels and counted their memory requests; nothing here is timed. Bytes per constraint and
iteration. `floor`: the least by the model in `benchmarks/model.h`, which counts a matrix as often as it is used. `lines`: distinct
128-byte lines of each kernel, summed. `sectors`: distinct 32-byte sectors read and written. `requested sectors`: the sectors of each
request of a warp, as if there were no first-level cache. `efficiency`: bytes requested over bytes of requested sectors. `order`:
`given` as the scene numbers particles and constraints, `reordered` as taut does. `condensed`: the condensed system with the additive
cycle. Every step is one graph launch, without other launches and without waits."""
    return section("Memory requests of the CUDA kernels", text, rows, name, table(
        ["scene", "constraints", "preconditioner", "geometric", "order", "floor", "lines", "lines / floor", "sectors",
         "requested sectors", "efficiency", "kernels per iteration", "other kernels per step"], cells))


def page():
    parts = [INTRODUCTION, headline(), iterations_and_times(), gauss_seidel(), garments(), shirt(), loose_bodies(), traffic(), MORE]
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the page instead of writing it")
    options = parser.parse_args()
    text = page()
    if not options.check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    written = ""
    if os.path.exists(PAGE):
        with open(PAGE, encoding="utf-8") as file:
            written = file.read()
    if written != text:
        print("docs/results.md is out of date; run: python3 benchmarks/results_page.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
