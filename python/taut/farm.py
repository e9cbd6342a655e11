"""Sweeps on farms that start a process for each variant, such as arrays of Slurm: plan once, run each by its number, collect.

    python -m taut.farm plan scene.json --set objects.flag.air.drag=[0.3,0.6] --set fps=[60,120] --out sweep
    python -m taut.farm run sweep --index 0
    python -m taut.farm table sweep"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import sys
import typing

import taut


def _setting(text: str) -> tuple[str, list[typing.Any]]:
    key, found, values = text.partition("=")
    listed = json.loads(values) if found else None
    if not isinstance(listed, list):
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=[VALUE, ...]")
    return key, listed


def _variants(out: str) -> list[taut.Variant]:
    names = json.loads((pathlib.Path(out) / "variants.json").read_text())
    return [taut.Variant(pathlib.Path(out) / name) for name in names]


def _plan(options: argparse.Namespace) -> None:
    made = taut.plan(options.scene, dict(options.set), options.out, frames=options.frames, checkpoint=options.checkpoint,
                     every=options.every)
    print(f"{options.out}: {len(made)} variants, 0 to {len(made) - 1}")


def _run(options: argparse.Namespace) -> None:
    variants = _variants(options.out)
    if not 0 <= options.index < len(variants):
        raise ValueError(f"--index is {options.index}; there are {len(variants)} variants")
    variant = variants[options.index]
    told = taut.run_variant(variant.folder)
    print(f"{variant.folder}: {told['frames']} frames, {told['not_converged']} not converged; {told['outcome']}")


def _table(options: argparse.Namespace) -> None:
    variants = _variants(options.out)
    keys = list(dict.fromkeys(key for variant in variants for key in variant.values))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["folder", *keys, "outcome", "not_converged"])
    for v in variants:
        writer.writerow([v.folder.name, *(v.values.get(key, "") for key in keys), v.outcome, v.not_converged])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m taut.farm", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    plan = commands.add_parser("plan", help="makes a folder for each variant")
    plan.add_argument("scene")
    plan.add_argument("--set", type=_setting, action="append", default=[], metavar="KEY=[VALUE,...]", help="values in JSON")
    plan.add_argument("--out", default="sweep")
    plan.add_argument("--frames", type=int)
    plan.add_argument("--every", type=int, default=1, help="record every N-th frame")
    plan.add_argument("--checkpoint", type=int, default=20, help="frames that a killed process loses at most; default 20")
    plan.set_defaults(act=_plan)
    run = commands.add_parser("run", help="runs a variant, from its last checkpoint on")
    run.add_argument("out")
    run.add_argument("--index", type=int, required=True)
    run.set_defaults(act=_run)
    table = commands.add_parser("table", help="prints values and outcomes as CSV")
    table.add_argument("out")
    table.set_defaults(act=_table)
    options = parser.parse_args(arguments)
    try:
        options.act(options)
    except (taut.Error, OSError, ValueError, KeyError, RuntimeError) as error:
        print(f"taut.farm: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
