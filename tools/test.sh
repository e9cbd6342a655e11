#!/bin/sh
# Runs all tests: the release build, and the build with address and undefined-behaviour sanitizers.
set -eu
cd "$(dirname "$0")/.."
sh tools/install-dependencies.sh
for preset in asan release; do
    cmake --preset "$preset"
    cmake --build --preset "$preset"
    # The real runtime of the sanitizers must come first; threads of OpenMP wait passively, so that they do not fight.
    OMP_WAIT_POLICY=passive ctest --preset "$preset" -j "$(nproc)"
done
