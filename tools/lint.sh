#!/bin/sh
# Format and lint, as continuous integration asks: clang-format, clang-tidy by .clang-tidy, shellcheck.
#
#   tools/lint.sh          check
#   tools/lint.sh --fix    format what is not
set -eu
cd "$(dirname "$0")/.."
case ${1:-} in
'' | --fix) ;;
*)
    echo "lint: '$1' is not an option; see the head of $0" >&2
    exit 2
    ;;
esac
if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "lint: this is no git checkout, which says what the sources are: nothing is checked"
    exit 0
fi
# Files of the project, new ones that are not ignored among them.
sources() { git ls-files -co --exclude-standard '*.c' '*.h' '*.cc' '*.cu' '*.cuh'; }
if [ "${1:-}" = --fix ]; then
    sources | xargs clang-format -i
    exit 0
fi
sources | xargs -P "$(nproc)" -n 64 clang-format --dry-run --Werror
git ls-files -co --exclude-standard '*.sh' .ci/run | xargs shellcheck
# The C sources of the library and of the tool, with the commands of a build without CUDA.
cmake -S . -B build/tidy -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DTAUT_CUDA=OFF -DTAUT_BUILD_TESTS=OFF \
    -DTAUT_BUILD_BENCHMARKS=OFF -DTAUT_BUILD_EXAMPLES=OFF >/dev/null
sed -n 's/^ *"file": "\(.*\)",*$/\1/p' build/tidy/compile_commands.json >build/tidy/sources
test -s build/tidy/sources
xargs -P "$(nproc)" -n 8 clang-tidy -p build/tidy --quiet <build/tidy/sources
