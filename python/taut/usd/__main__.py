"""Simulates a USD scene and writes what moved as a layer over it."""

from __future__ import annotations

import argparse
import sys

import taut
import taut.usd


def _frames(text: str) -> tuple[int, int]:
    first, _, last = text.partition(":")
    return int(first), int(last)


def _world(options: argparse.Namespace) -> dict:
    return {name: value for name, value in (("threads", options.threads), ("backend", options.backend)) if value is not None}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m taut.usd", description=__doc__)
    parser.add_argument("scene", help=".usda, .usdc, .usd or .usdz")
    parser.add_argument("--frames", type=_frames, metavar="FIRST:LAST", help="time codes; default: those of the stage")
    parser.add_argument("--out", default="sim.usdc", help="the layer, .usdc or .usda; default sim.usdc")
    parser.add_argument("--scene-out", metavar="DIR", help="also write the scene in taut's format, for taut check and taut run")
    parser.add_argument("--threads", type=int, help="default: all")
    parser.add_argument("--backend", choices=("auto", "cpu", "cuda"))
    options = parser.parse_args(arguments)
    try:
        translation = taut.usd.read(options.scene, options.frames)
        for note in translation.notes:
            print(note, file=sys.stderr)
        if options.scene_out:
            taut.save_scene(translation.scene, options.scene_out)
        result = taut.usd.simulate(translation, options.out, progress=sys.stderr.isatty(), strict=False, **_world(options))
    except (taut.Error, ValueError, RuntimeError) as error:
        print(f"{options.scene}: {error}", file=sys.stderr)
        return 2
    missed = sum(info.outcome != "converged" for info in result.info)
    print(f"{options.out}: {len(result.info)} frames, {missed} not converged; {result.outcome}")
    return 0 if result.outcome == "done" else 1


if __name__ == "__main__":
    raise SystemExit(main())
