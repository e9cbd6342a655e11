#!/bin/sh
# Builds and runs the tests; docs/testing.md says what each tier guards and what it costs.
#
#   tools/test.sh              what every change needs (of CUDA tests a half), and a quarter of the rest: the commit chooses
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
commit=$((0x$(git rev-parse HEAD 2>/dev/null | cut -c 1-7 | grep . || echo 0)))
half=$((commit / 4 % 2)) # of the CUDA tests, and of what the sanitizers watch in a quarter
# The compilers whose sanitizers watch: they find different things.
sanitizers=$([ $((commit / 8 % 2)) = 0 ] && echo asan || echo asan-clang)
[ "$tier" != --all ] || sanitizers="asan asan-clang" half=all
case $tier in
'') quarter=$((commit % 4)) ;;
--quick) quarter=none ;;
--all) quarter=all ;;
--quarter)
    quarter=${2:-}
    case $quarter in [0-3]) ;; *) usage "--quarter takes 0, 1, 2 or 3" ;; esac
    ;;
*) usage "'$tier' is not an option" ;;
esac
sh tools/install-dependencies.sh
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

said "Python package"
sh tools/test-python.sh

said "CUDA in the emulator: half $half, quarter $quarter"
sh tools/test-cuda-on-cpu.sh "$quarter" "$half"

# sanitized LABELS [OPTIONS OF CTEST]
sanitized() {
    labels=$1
    shift
    for preset in $sanitizers; do
        said "$preset: build"
        cmake --preset "$preset"
        cmake --build --preset "$preset"
        said "$preset: $labels"
        ctest --preset "$preset" -j "$jobs" -L "^($labels)\$" -LE '^(slow|methods|docs)$' "$@"
    done
}
case $quarter in
1) sanitized 'api|io|unit|contact' -I "$((half + 1)),,2" ;;
3) sanitized 'app|physics' -I "$((half + 1)),,2" ;;
all) sanitized 'unit|physics|contact|api|app|io' ;;
esac
if [ "$quarter" != none ]; then
    said "trials: quarter $quarter"
    python3 tools/run-trials.py --part "$quarter"
fi
said "passed"
