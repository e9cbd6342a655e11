#!/usr/bin/env python3
"""Pictures and tables of what taut-convergence measured.

plot.py FILE.csv [FILE.csv ...] [--out docs/convergence] [--table FILE.md] [--format svg]

One picture per scene, compliance and geometric stiffness: iterations against vertices, both logarithmic, a panel per
tolerance, a line per way of solving. Steps that did not meet the tolerance are hollow marks at the iterations spent. Dotted:
iterations to |r|/|b| of the condensed system, where they were counted. The table has the same numbers, iterations, those to
|r|/|b| in brackets, and work, a row per scene and way, a column per size.
"""
import argparse
import csv
import os
import sys


LEGEND_COLUMNS = 3  # below the panels
LEGEND_LINE = 0.18  # inches


def read_rows(names):
    rows = []
    for name in names:
        with open(name, newline="", encoding="utf-8") as file:
            rows += [r for r in csv.DictReader(file) if r["outcome"] != "refused" and r["iterations"]]
    return rows


def way_of(row):
    parts = [row["method"], row["preconditioner"]]
    if row["preconditioner"] == "multilevel":
        parts.append(row["cycle"])
    return " ".join(parts)


def group(rows, key):
    """Groups in order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def scene_of(row):
    return row["scene"], float(row["compliance"]), row["geometric"]


def tolerance_of(row):
    return float(row["tolerance"])


def met(row):
    return row["outcome"] == "converged"


# ---- pictures ----------------------------------------------------------------------------------------------------


def file_name(scene, compliance, geometric):
    return "%s-%g-%s" % (scene.replace(":", "-"), compliance, geometric)


def draw_panel(axes, rows, ways):
    for index, way in enumerate(ways):
        points = sorted((float(r["vertices"]), float(r["iterations"]), met(r)) for r in rows if way_of(r) == way)
        if not points:
            continue
        color, mark = "C%d" % (index % 10), "osv^D<>p*h"[index % 10]
        axes.plot([p[0] for p in points], [p[1] for p in points], color=color, linewidth=1, label=way)
        for good in (True, False):
            chosen = [p for p in points if p[2] == good]
            axes.plot([p[0] for p in chosen], [p[1] for p in chosen], mark, color=color,
                      fillstyle="full" if good else "none")
        balance = sorted((float(r["vertices"]), float(r["balance_iterations"])) for r in rows
                         if way_of(r) == way and r.get("balance_iterations"))
        axes.plot([p[0] for p in balance], [p[1] for p in balance], color=color, linewidth=1, linestyle="dotted",
                  label=way + ", iterations to |r|/|b|" if balance else None)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("vertices")
    axes.grid(True, which="major", linewidth=0.3)


def draw_scene(pyplot, rows, title, path):
    ways = list(group(rows, way_of))
    panels = sorted(group(rows, tolerance_of).items(), reverse=True)
    figure, axes = pyplot.subplots(1, len(panels), figsize=(4.2 * len(panels), 3.6), sharex=True, sharey=True, squeeze=False)
    for (tolerance, chosen), panel in zip(panels, axes[0]):
        draw_panel(panel, chosen, ways)
        panel.set_title("%s, to %g" % (title, tolerance), fontsize=9)
    axes[0][0].set_ylabel("iterations of a step")
    handles, labels = axes[0][0].get_legend_handles_labels()
    legend_lines = (len(labels) + LEGEND_COLUMNS - 1) // LEGEND_COLUMNS
    figure.set_figheight(3.6 + LEGEND_LINE * legend_lines)
    figure.legend(handles, labels, fontsize=7, ncol=LEGEND_COLUMNS, loc="lower center")
    figure.tight_layout(rect=(0, LEGEND_LINE * legend_lines / figure.get_figheight(), 1, 1))
    figure.savefig(path)
    pyplot.close(figure)


def draw(rows, folder, ending):
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot.py: matplotlib is missing (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "taut"  # the same file for the same numbers
    from matplotlib import pyplot

    os.makedirs(folder, exist_ok=True)
    for key, chosen in group(rows, scene_of).items():
        title = "%s, c = %g, G %s" % key
        draw_scene(pyplot, chosen, title, os.path.join(folder, file_name(*key) + "." + ending))


# ---- tables ------------------------------------------------------------------------------------------------------


def cell(rows):
    """Iterations to each tolerance, those to |r|/|b|, and the work of an iteration: '20 / 39 [18 / 35] (2.8)'."""
    if not rows:
        return ""
    best = sorted(rows, key=tolerance_of, reverse=True)
    counts = [r["iterations"].split(".")[0] if met(r) else "-" for r in best]
    work = [float(r["work_per_iteration"]) for r in best if r["work_per_iteration"]]
    balance = [r["balance_iterations"].split(".")[0] for r in best if r.get("balance_iterations")]
    return " / ".join(counts) + (" [" + " / ".join(balance) + "]" if balance else "") + (" (%.1f)" % work[0] if work else "")


def table(rows, out):
    tolerances = sorted({tolerance_of(r) for r in rows}, reverse=True)
    out.write("Iterations to %s, [to |r|/|b| of the condensed system], and the work of one in unpreconditioned iterations; "
              "-: not met.\n"
              % " / ".join("%g" % t for t in tolerances))
    for (scene, compliance, geometric), chosen in group(rows, scene_of).items():
        sizes = sorted({float(r["vertices"]) for r in chosen})
        out.write("\n| %s, c = %g, G %s | %s |\n" % (scene, compliance, geometric, " | ".join("%d" % s for s in sizes)))
        out.write("|---" * (1 + len(sizes)) + "|\n")
        for way, lines in group(chosen, way_of).items():
            cells = [cell([r for r in lines if float(r["vertices"]) == s]) for s in sizes]
            out.write("| %s | %s |\n" % (way, " | ".join(cells)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out", default="docs/convergence", help="folder of the pictures; '' for none")
    parser.add_argument("--table", help="file of the table; default: standard output")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    given = parser.parse_args()
    rows = read_rows(given.files)
    if not rows:
        sys.exit("plot.py: there are no rows")
    if given.out:
        draw(rows, given.out, given.format)
    if given.table:
        with open(given.table, "w", encoding="utf-8") as file:
            table(rows, file)
    else:
        table(rows, sys.stdout)


if __name__ == "__main__":
    main()
