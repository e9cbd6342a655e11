#!/bin/sh
# Builds and runs the tests; docs/testing.md says what each tier guards and what it costs.
#
#   tools/test.sh              what every change needs, and a quarter of the rest, which the commit chooses
#   tools/test.sh --quick      without that quarter
#   tools/test.sh --quarter N  with quarter N, 0 to 3
#   tools/test.sh --all        everything
#
# The rest: long simulations, the matrix of methods, long CUDA tests and other orders of execution in the emulator, and
# the trials. Every fourth test is in one quarter.
set -eu
cd "$(dirname "$0")/.."
usage() {
    echo "test: $1; see the head of $0" >&2
    exit 2
}
tier=${1:-}
case $tier in
'') quarter=$((0x$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) % 4)) ;;
--quick) quarter=none ;;
--all) quarter=all ;;
--quarter)
    quarter=${2:-}
    case $quarter in [0-3]) ;; *) usage "--quarter takes 0, 1, 2 or 3" ;; esac
    ;;
*) usage "'$tier' is not an option" ;;
esac
sh tools/install-dependencies.sh
# Threads of OpenMP that spin while they wait would take the time of the other test's.
export OMP_WAIT_POLICY=passive
jobs=$(nproc)
start=$(date +%s)

said() { echo "==== $1 ($(($(date +%s) - start)) s)"; }

# The part of a list of tests that is run: an option of ctest.
case $quarter in
[0-3]) slice="-I $((quarter + 1)),,4" ;;
*) slice='' ;;
esac

said "format and lint"
sh tools/lint.sh

said "build"
cmake --preset release "$(sh tools/cuda-architectures.sh)"
cmake --build --preset release

said "CPU"
ctest --preset release -j "$jobs" -LE '^(cuda|slow|methods)$'
if [ "$quarter" != none ]; then
    said "CPU, slow tests and the matrix of methods: quarter $quarter"
    # shellcheck disable=SC2086 # no option, or two words
    ctest --preset release -j "$jobs" -L '^(slow|methods)$' -LE '^cuda$' $slice
fi

said "CUDA in the emulator: quarter $quarter"
sh tools/test-cuda-on-cpu.sh "$quarter"

said "sanitizers"
cmake --preset asan
cmake --build --preset asan
ctest --preset asan -j "$jobs" -L '^(api|io)$' -LE '^(slow|methods)$'
if [ "$quarter" != none ]; then
    said "sanitizers, formulas, contact, physics and the tool: quarter $quarter"
    # shellcheck disable=SC2086
    ctest --preset asan -j "$jobs" -L '^(unit|contact|physics|app)$' -LE '^(slow|methods|docs)$' $slice
    said "trials: quarter $quarter"
    python3 tools/run-trials.py --part "$quarter"
fi
said "passed"
