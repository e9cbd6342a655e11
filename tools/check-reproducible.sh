#!/bin/sh
# Builds the library and the tool twice, in two folders of different names, and compares every byte. Fails too where a
# binary holds the path of a folder.
#
#   tools/check-reproducible.sh [OPTIONS OF CMAKE]
#
# Without CUDA, unless an option says -DTAUT_CUDA=ON. The sources are those that git tracks, as they are in the work
# tree. No compiler cache is used.
set -eu
cd "$(dirname "$0")/.."
repository=$(pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1

# build FOLDER OPTIONS: FOLDER/build/lib/libtaut.so and FOLDER/build/bin/taut.
build() {
    folder=$1
    shift
    mkdir -p "$folder"
    git ls-files -z --cached | xargs -0 tar -c -f - | tar -x -f - -C "$folder"
    configured=yes
    cmake -S "$folder" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTAUT_CUDA=OFF -DTAUT_BUILD_TESTS=OFF \
        -DCMAKE_C_COMPILER_LAUNCHER= -DCMAKE_CUDA_COMPILER_LAUNCHER= \
        -DTAUT_BUILD_BENCHMARKS=OFF -DTAUT_BUILD_EXAMPLES=OFF "$@" >"$work/log" 2>&1 || configured=no
    if [ $configured = no ] || ! cmake --build "$folder/build" >>"$work/log" 2>&1; then
        tail -n 40 "$work/log" >&2
        exit 2
    fi
}

build "$work/one/taut" "$@"
(
    # The second build is on another day, in another language, with other permissions of new files.
    export TZ=Asia/Tokyo LC_ALL=C.UTF-8
    umask 077
    build "$work/a-second-folder/of-another-name" "$@"
)

failed=0
for file in lib/libtaut.so bin/taut; do
    first=$work/one/taut/build/$file
    second=$work/a-second-folder/of-another-name/build/$file
    [ -e "$first" ] || continue # without the tool
    if cmp -s "$first" "$second"; then
        echo "$file: identical, sha256 $(sha256sum <"$first" | cut -c 1-64)"
    else
        echo "$file: the builds differ"
        failed=1
    fi
    for path in "$work" "$repository"; do
        if grep -a -q -F "$path" "$first"; then
            echo "$file: holds the path $path"
            failed=1
        fi
    done
done
exit "$failed"
