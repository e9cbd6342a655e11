#!/bin/sh
# Prints a hash of where scenes end: every example, and scenes with every kind of constraint, by every preconditioner.
# A change that computes nothing new leaves all lines as they are, on either backend:
#
#   tools/hash-scenes.sh [--bin DIR] [--backend cpu|cuda] [--launcher WORDS] [--frames N] >after.txt; diff before.txt after.txt
#
#   --bin DIR         programs to run; default build/release/bin
#   --backend         default cpu
#   --launcher WORDS  put before each program, for the emulator of CUDA
#   --frames N        of each example; default 12
set -eu
bin=build/release/bin backend=cpu launcher='' frames=12
while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || {
        echo "hash-scenes: '$1' needs a value; see the head of $0" >&2
        exit 2
    }
    case $1 in
    --bin) bin=$(cd "$2" && pwd) ;;
    --backend) backend=$2 ;;
    --launcher) launcher=$2 ;;
    --frames) frames=$2 ;;
    *)
        echo "hash-scenes: '$1' is not an option; see the head of $0" >&2
        exit 2
        ;;
    esac
    shift 2
done
cd "$(dirname "$0")/.."
case $bin in
/*) ;;
*) bin=$PWD/$bin ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for scene in examples/scenes/*.json; do
    name=$(basename "$scene" .json)
    rm -rf "$work/out"
    # shellcheck disable=SC2086 # a launcher of several words
    if $launcher "$bin/taut" run "$scene" --backend "$backend" --frames "$frames" --out "$work/out" --export pc2 \
        >"$work/log" 2>&1; then
        printf '%-24s %s\n' "$name" "$(cat "$work"/out/*.pc2 | sha256sum | cut -c 1-16)"
    else
        printf '%-24s not run: %s\n' "$name" "$(tail -n 1 "$work/log")"
    fi
done
# shellcheck disable=SC2086
$launcher "$bin/taut_step_every_kind" --backend "$backend" --steps 3 --cloth "$([ "$backend" = cpu ] && echo 40 || echo 8)"
