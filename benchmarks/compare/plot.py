#!/usr/bin/env python3
"""Pictures and tables of what taut-compare measured.

plot.py FILE.csv [FILE.csv ...] [--out docs/pictures] [--vertices N,...] [--table FILE.md] [--format svg]

Per size and limit (linear, nonlinear) one picture: the error of a step against its work, and against its time. The table
has the least time and work of each method to errors of 1e-3 and 1e-6, time also over that of taut, and what the mode of
many frames cost. A method that did not come so near has "> t": its longest step.
"""
import argparse
import csv
import os
import sys

ERRORS = (1e-3, 1e-6)
BASES = {"linear": "taut", "nonlinear": "taut-newton"}


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
        draw_panel(axes[0], chosen, "work", "work in products with the system, or sweeps")
        draw_panel(axes[1], chosen, "ms", "processor time of a step, ms")
        axes[0].set_ylabel("error, relative, to the %s step" % limit)
        axes[0].set_title("cloth of %s vertices" % vertices, fontsize=9)
        axes[1].legend(fontsize=6)
        figure.tight_layout()
        name = "compare-%s-%s.%s" % (limit, vertices, ending)
        figure.savefig(os.path.join(folder, name), metadata={"Date": None} if ending == "svg" else None)
        pyplot.close(figure)


# ---- tables ------------------------------------------------------------------------------------------------------


def price(rows, name, error):
    """The least of the rows that came so near and False, else the most of all and True."""
    known = [r for r in rows if number(r, name) is not None]
    near = [number(r, name) for r in known if number(r, "error") <= error]
    if near:
        return min(near), False
    return max((number(r, name) for r in known), default=None), True


def shown(value, bound=False):
    return "-" if value is None else "%s%s" % ("> " if bound else "", "%.0f" % value if value >= 1000 else "%.3g" % value)


def over(value, base):
    if value[0] is None or base[0] is None or base[1]:
        return "-"
    return shown(value[0] / base[0], value[1])


def table(rows, out):
    for (vertices, limit), chosen in group([r for r in rows if r["mode"] == "step"], "vertices", "limit").items():
        base = [r for r in chosen if r["method"] == BASES[limit]]
        out.write("\n| %s step, %s vertices | assembly ms |%s\n" % (limit, vertices, "".join(
            " to %g: ms | over taut | work |" % e for e in ERRORS)))
        out.write("|---" * (2 + 3 * len(ERRORS)) + "|\n")
        for (method,), lines in group(chosen, "method").items():
            assembly = [number(r, "assembly_ms") for r in lines if number(r, "assembly_ms")]
            cells = [shown(min(assembly) if assembly else None)]
            for e in ERRORS:
                ms = price(lines, "ms", e)
                cells += [shown(*ms), over(ms, price(base, "ms", e)), shown(*price(lines, "work", e))]
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
    parser.add_argument("--out", default="docs/pictures", help="folder of the pictures; '' for none")
    parser.add_argument("--vertices", help="pictures of these sizes alone")
    parser.add_argument("--table", help="file of the table; default: standard output")
    parser.add_argument("--format", default="svg", choices=["svg", "png"])
    given = parser.parse_args()
    rows = read_rows(given.files)
    if not rows:
        sys.exit("plot.py: there are no rows")
    if given.out:
        sizes = given.vertices.split(",") if given.vertices else None
        draw([r for r in rows if r["mode"] == "step" and (sizes is None or r["vertices"] in sizes)], given.out, given.format)
    if given.table:
        with open(given.table, "w", encoding="utf-8") as file:
            table(rows, file)
    else:
        table(rows, sys.stdout)


if __name__ == "__main__":
    main()
