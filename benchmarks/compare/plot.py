#!/usr/bin/env python3
"""Pictures and tables of what taut-compare measured.

plot.py FILE.csv [FILE.csv ...] [--out docs/compare] [--table FILE.md] [--format svg]

Per size and limit (linear, nonlinear) one picture: the error of a step against its work, and against its time. The table
has the least time and work of each method to errors of 1e-1, 1e-2 and 1e-3, and what the mode of many frames cost.
"""
import argparse
import csv
import os
import sys

ERRORS = (1e-1, 1e-2, 1e-3)


def read_rows(names):
    rows = []
    for name in names:
        with open(name, newline="", encoding="utf-8") as file:
            rows += [r for r in csv.DictReader(file) if r["error"]]
    return rows


def group(rows, *names):
    """Groups in order of first appearance."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[n] for n in names), []).append(row)
    return groups


def number(row, name):
    return float(row[name]) if row[name] else None


# ---- pictures ----------------------------------------------------------------------------------------------------


def style_of(index, method):
    mark = "s" if method.startswith("taut") else "o"
    return {"color": "C%d" % (index % 10), "marker": mark, "linestyle": "-" if index < 10 else "--", "markersize": 3,
            "linewidth": 1}


def draw_panel(axes, rows, name, label):
    for index, ((method,), chosen) in enumerate(group(rows, "method").items()):
        points = [(number(r, name), number(r, "error")) for r in chosen if number(r, name)]
        if points:
            axes.plot([p[0] for p in points], [p[1] for p in points], label=method, **style_of(index, method))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(label)
    axes.grid(True, which="major", linewidth=0.3)


def draw(rows, folder, ending):
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot.py: matplotlib is missing (Debian: python3-matplotlib)")
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "taut"  # the same file for the same numbers
    from matplotlib import pyplot

    os.makedirs(folder, exist_ok=True)
    for (vertices, limit), chosen in group(rows, "vertices", "limit").items():
        figure, axes = pyplot.subplots(1, 2, figsize=(9.6, 4.2), sharey=True)
        draw_panel(axes[0], chosen, "work", "work in sweeps over all constraints")
        draw_panel(axes[1], chosen, "ms", "time of a step, ms")
        axes[0].set_ylabel("error, relative, to the %s step" % limit)
        axes[0].set_title("cloth of %s vertices" % vertices, fontsize=9)
        axes[1].legend(fontsize=6)
        figure.tight_layout()
        figure.savefig(os.path.join(folder, "%s-%s.%s" % (limit, vertices, ending)))
        pyplot.close(figure)


# ---- tables ------------------------------------------------------------------------------------------------------


def least(rows, name, error):
    values = [number(r, name) for r in rows if number(r, "error") <= error and number(r, name) is not None]
    return min(values) if values else None


def shown(value):
    return "-" if value is None else "%.3g" % value


def table(rows, out):
    for (vertices, limit), chosen in group([r for r in rows if r["mode"] == "step"], "vertices", "limit").items():
        out.write("\n| %s step, %s vertices | %s |\n" % (limit, vertices, " | ".join("to %g: ms, work" % e for e in ERRORS)))
        out.write("|---" * (1 + len(ERRORS)) + "|\n")
        for (method,), lines in group(chosen, "method").items():
            cells = ["%s, %s" % (shown(least(lines, "ms", e)), shown(least(lines, "work", e))) for e in ERRORS]
            out.write("| %s | %s |\n" % (method, " | ".join(cells)))
    frames = [r for r in rows if r["mode"] == "frames"]
    for (vertices, count), chosen in group(frames, "vertices", "frames").items():
        out.write("\n| %s frames, %s vertices | budget | ms a frame | error | strain (of the reference) |\n" % (count, vertices))
        out.write("|---|---|---|---|---|\n")
        for r in chosen:
            out.write("| %s | %s %s | %s | %s | %s (%s) |\n" % (
                r["method"], r["budget_kind"], r["budget"], shown(number(r, "ms")), shown(number(r, "error")),
                shown(number(r, "strain")), shown(number(r, "strain_reference"))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out", default="docs/compare", help="folder of the pictures; '' for none")
    parser.add_argument("--table", help="file of the table; default: standard output")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    given = parser.parse_args()
    rows = read_rows(given.files)
    if not rows:
        sys.exit("plot.py: there are no rows")
    if given.out:
        draw([r for r in rows if r["mode"] == "step"], given.out, given.format)
    if given.table:
        with open(given.table, "w", encoding="utf-8") as file:
            table(rows, file)
    else:
        table(rows, sys.stdout)


if __name__ == "__main__":
    main()
