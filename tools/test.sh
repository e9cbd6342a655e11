#!/bin/sh
# Runs all tests in the release build, and those that are not mainly long simulations again under the address and
# undefined-behaviour sanitizers.
set -eu
cd "$(dirname "$0")/.."
sh tools/install-dependencies.sh
# Threads of OpenMP that spin while they wait would take the time of the other test's.
export OMP_WAIT_POLICY=passive
long='^(real_data|formulations|mechanisms|solids|forces|membrane|cloth|soft|determinism|oracle_step|pendulum|reference|chain|oscillator|steps|robust|by_condensed|by_schur|by_projected_gradient|by_nonsmooth_cg|by_gauss_seidel|garments|contact_cloth|contact_heap)\.|^Surfaces\.(ASheet|Halves|ARopeP|Obst|AFlat)'
cmake --preset release "$(sh tools/cuda-architectures.sh)"
cmake --build --preset release
ctest --preset release -j "$(nproc)"
sh tools/test-cuda-on-cpu.sh
cmake --preset asan
cmake --build --preset asan
ctest --preset asan -j "$(nproc)" -E "$long"
