#!/bin/sh
# Format and lint, as continuous integration asks: clang-format, clang-tidy by .clang-tidy, shellcheck.
#
#   tools/lint.sh          check
#   tools/lint.sh --fix    format what is not
set -eu
cd "$(dirname "$0")/.."
sources() { git ls-files '*.c' '*.h' '*.cc' '*.cu' '*.cuh'; }
if [ "${1:-}" = --fix ]; then
    sources | xargs clang-format -i
    exit 0
fi
sources | xargs -P "$(nproc)" -n 64 clang-format --dry-run --Werror
git ls-files '*.sh' .ci/run | xargs shellcheck
# The C sources of the library and of the tool, with the commands of a build without CUDA.
cmake -S . -B build/tidy -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DTAUT_CUDA=OFF -DTAUT_BUILD_TESTS=OFF \
    -DTAUT_BUILD_BENCHMARKS=OFF -DTAUT_BUILD_EXAMPLES=OFF >/dev/null
python3 - <<'END' | xargs -P "$(nproc)" -n 8 clang-tidy -p build/tidy --quiet
import json
for one in json.load(open("build/tidy/compile_commands.json")):
    print(one["file"])
END
