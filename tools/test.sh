#!/bin/sh
# Builds and runs the tests; docs/testing.md says what each tier guards and what it costs.
#
#   tools/test.sh              what every change needs (of CUDA tests a half), and an eighth of the rest: the commit chooses
#   tools/test.sh --quick      without that eighth
#   tools/test.sh --eighth N   with eighth N, 0 to 7
#   tools/test.sh --all        everything
#
# The rest: long simulations, the matrix of methods, long CUDA tests and other orders of execution in the emulator, what
# the sanitizers watch, what is skipped without a program that taut does not need (tools/test-with.sh), and the trials.
# Every eighth test is in one eighth, and every fourth trial.
set -eu
cd "$(dirname "$0")/.."
usage() {
    echo "test: $1; see the head of $0" >&2
    exit 2
}
tier=${1:-}
commit=$((0x$(git rev-parse HEAD 2>/dev/null | cut -c 1-7 | grep . || echo 0)))
# The compilers whose sanitizers watch: they find different things.
sanitizers=$([ $((commit / 8 % 2)) = 0 ] && echo asan || echo asan-clang)
half=$((commit / 4 % 2)) # of the CUDA tests, and of what the sanitizers watch
case $tier in
'') eighth=$((commit % 8)) ;;
--quick) eighth=none ;;
--all) eighth=all half=all sanitizers="asan asan-clang" ;;
--eighth)
    eighth=${2:-}
    case $eighth in [0-7]) ;; *) usage "--eighth takes a number from 0 to 7" ;; esac
    half=$((eighth / 4))
    ;;
*) usage "'$tier' is not an option" ;;
esac
sh tools/install-dependencies.sh
jobs=$(nproc)
start=$(date +%s)

said() { echo "==== $1 ($(($(date +%s) - start)) s)"; }

# The part of a list of tests that is run: an option of ctest.
case $eighth in
[0-7]) slice="-I $((eighth + 1)),,8" ;;
*) slice='' ;;
esac

said "format and lint"
sh tools/lint.sh

said "build"
cmake --preset release "$(sh tools/cuda-architectures.sh)"
cmake --build --preset release

said "CPU"
ctest --preset release -j "$jobs" -LE '^(cuda|slow|methods)$'
if [ "$eighth" != none ]; then
    said "CPU, slow tests and the matrix of methods: eighth $eighth"
    # shellcheck disable=SC2086 # no option, or two words
    ctest --preset release -j "$jobs" -L '^(slow|methods)$' -LE '^cuda$' $slice
fi

said "Python package"
sh tools/test-python.sh
case $eighth in
0) with=torch ;;
2) with=cuda-wheel ;;
4) with=ffmpeg ;;
6) with=blender ;;
all) with='torch cuda-wheel ffmpeg blender' ;;
*) with='' ;;
esac
for what in $with; do
    said "with $what"
    sh tools/test-with.sh "$what"
done

said "CUDA in the emulator: half $half, eighth $eighth"
sh tools/test-cuda-on-cpu.sh "$eighth" "$half"

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
case $eighth in
1 | 5) sanitized 'api|io|unit|contact' -I "$((half + 1)),,2" ;;
3 | 7) sanitized 'app|physics' -I "$((half + 1)),,2" ;;
all) sanitized 'unit|physics|contact|api|app|io' ;;
esac
trials() {
    said "trials: part $1"
    python3 tools/run-trials.py --part "$1"
}
case $eighth in
[0-7]) trials $((eighth % 4)) ;;
all) trials all ;;
esac
said "passed"
