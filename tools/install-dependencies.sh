#!/bin/sh
# Installs the Debian packages that building and testing need, where they are missing.
#
#   tools/install-dependencies.sh [PACKAGE...]     and these
set -eu
packages="build-essential cmake ninja-build pkg-config libcjson-dev libassimp-dev libexpat1-dev zlib1g-dev libgtest-dev \
libeigen3-dev libsuitesparse-dev file ccache clang libclang-rt-dev libomp-dev clang-format clang-tidy shellcheck doxygen \
python3-venv python3-dev python3-numpy \
libglfw3-dev libepoxy-dev libimgui-dev libglm-dev libpng-dev libegl1 libgl1-mesa-dri xvfb xdotool"
missing=
for package in $packages "$@"; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing="$missing $package"
    fi
done
if [ -z "$missing" ]; then
    exit 0
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
fi
echo "installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
