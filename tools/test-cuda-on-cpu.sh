#!/bin/sh
# The CUDA tests of the release build on a machine without a GPU: ptxemu executes the real kernels on the CPU. Does
# nothing where ptxemu or nvcc is missing.
#
#   tools/test-cuda-on-cpu.sh none|all|0|1|2|3|4|5|6|7 [all|0|1]
#
# Only the quick tests, all tests, or the quick ones and an eighth of the rest; of the quick ones all, or a half.
set -eu
cd "$(dirname "$0")/.."
eighth=${1:-none}
case $eighth in
none | all | [0-7]) ;;
*)
    echo "test-cuda-on-cpu: '$eighth' is none of none, all, and 0 to 7" >&2
    exit 2
    ;;
esac
half=${2:-all}
case $half in
all) odd_or_even='' ;;
[01]) odd_or_even="-I $((half + 1)),,2" ;;
*)
    echo "test-cuda-on-cpu: '$half' is none of all, 0, 1" >&2
    exit 2
    ;;
esac
emulator=../shared/tools/ptxemu/cuda-on-cpu
if [ ! -x "$emulator" ] || ! command -v nvcc >/dev/null; then
    echo "No ptxemu or no nvcc: the CUDA tests need a GPU."
    exit 0
fi
# Memory that ptxemu gives back after each launch and asks for again before the next would cost more than the launches.
export MALLOC_TRIM_THRESHOLD_=16000000000 MALLOC_MMAP_THRESHOLD_=1000000000 \
    MALLOC_TOP_PAD_=67108864

# run OPTIONS WITHOUT [ARGUMENTS OF CTEST]: tests with options of the emulator, but those with the label WITHOUT.
run() {
    options=$1 without=$2
    shift 2
    echo "CUDA on the CPU: ${options:-plain}"
    (
        # shellcheck disable=SC2086 # several options
        settings=$("$emulator" $options --env)
        eval "$settings"
        ctest --preset release -j "$(nproc)" --no-tests=ignore -LE "^(gpu|$without)\$" "$@"
    )
}

# hash OPTIONS: of where every kind of scene ends.
hash() {
    # shellcheck disable=SC2086 # several options
    "$emulator" $1 -- build/release/bin/taut_step_every_kind --steps 2 | grep '^all'
}

plain=''
# same OPTIONS: every kind of scene ends where it does without them.
same() {
    plain=${plain:-$(hash "")} other=$(hash "$1")
    if [ -z "$plain" ] || [ "$plain" != "$other" ]; then
        echo "taut_step_every_kind ends elsewhere with $1: '$other', not '$plain'"
        exit 1
    fi
}

# in_order OPTIONS WITHOUT: every kernel in an order of execution that a GPU may choose, too: the same bits.
in_order() {
    run "$1" "$2" -L '^orders$'
    same "$1"
}

apart() { run "--split 7" - -R '^calls\.(a_step_is|changes_are).*/cuda$|^stages\.(bends|tet_strains|targets|condensed).*/cuda$'; }

# A garment that falls on a mesh, with itself and the mesh looked at from outside. 77: the data is not here.
garment() {
    python3 benchmarks/garments/table.py --taut "$emulator -- build/release/bin/taut" --backend cuda \
        --check build/release/bin/check_surface --out build/release/garments-by-cuda --garments flag \
        --colliders icosahedron --frames 24 --every 8 || [ $? = 77 ]
}

# shellcheck disable=SC2086 # no option, or two words
run "" slow -L '^(cuda|backends)$' $odd_or_even
# Handles of conditional nodes have any value; blocks of a launch rely on nothing that they do not wait for.
same "--handles 0"
same "--handles 0xFFFFFFFFFFFFFFF0"
same --global-race
# What gpu-check.sh tries first on a device.
nvcc -std=c++17 -O2 -cudart shared -arch=compute_75 -code=compute_75 tools/gpu-probe.cu -o build/release/gpu-probe
"$emulator" --handles 0 -- build/release/gpu-probe 4
"$emulator" -- build/release/bin/taut-bench-cuda --smoke
case $eighth in
[0-7]) run "" - -L '^cuda$' -L '^slow$' -I "$((eighth + 1)),,8" ;;
all) run "" - -L '^cuda$' -L '^slow$' ;;
esac
case $eighth in
0) in_order --race slow ;;
2) in_order "--seed 1" slow ;;
4)
    in_order --lazy slow
    garment
    ;;
6)
    in_order "--lazy --seed 2" slow
    apart
    ;;
all)
    for options in --race --lazy "--seed 1" "--lazy --seed 2"; do
        in_order "$options" -
    done
    apart
    garment
    ;;
esac
