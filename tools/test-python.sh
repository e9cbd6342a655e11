#!/bin/sh
# Builds the wheel, installs it into a clean virtual environment with what PyPI has, and runs its tests. Needs a network.
#
#   tools/test-python.sh [PYTHON]     default: python3 of the system
set -eu
cd "$(dirname "$0")/.."
python=${1:-/usr/bin/python3}
# Threads of OpenMP that spin while they wait would take the time of others.
export OMP_WAIT_POLICY=passive
rm -rf build/python-venv
"$python" -m venv build/python-venv
build/python-venv/bin/pip install -q --disable-pip-version-check --config-settings=cmake.define.TAUT_WERROR=ON '.[test]'
build/python-venv/bin/python -m pytest -q -p no:cacheprovider python/tests
