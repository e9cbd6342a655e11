#!/bin/sh
# Fetches the sources of Dear ImGui for TAUT_IMGUI, where the system has no package of it: release 1.86, which Debian 12 has.
#
#   tools/fetch-imgui.sh FOLDER [REPOSITORY]     default: the project's own on GitHub
set -eu
folder=$1
repository=${2:-https://github.com/ocornut/imgui.git}
commit=512c54bbc062c41c74f8a8bd8ff1fd6bebd1e6d0
rm -rf "$folder"
git clone -q --depth 1 --branch v1.86 "$repository" "$folder"
# The name of a commit is the hash of all that is in it.
[ "$(git -C "$folder" rev-parse HEAD)" = "$commit" ] || { echo "$0: release 1.86 is not the commit $commit" >&2; exit 1; }
