#!/bin/sh
# Builds taut and runs its main job: a cloth of more than 10,000 vertices and a rope, simulated from a scene file.
# Results: out/demo/scene.usda (open it in any USD viewer), stats.jsonl (a line per frame), trace.csv.
set -eu
cd "$(dirname "$0")/.."
sh tools/install-dependencies.sh
cmake --preset release "$(sh tools/cuda-architectures.sh)"
cmake --build --preset release
mkdir -p out/demo
build/release/bin/taut run examples/scenes/cloth-and-rope.json --out out/demo --export usda \
    --stats out/demo/stats.jsonl --trace rope:0,rope:40=out/demo/trace.csv
ls -l out/demo
