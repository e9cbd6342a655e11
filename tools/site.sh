#!/bin/sh
# Builds the site of the documents into build/site/html: the pages by MkDocs, the reference of the C interface by Doxygen.
# Warnings of either are errors. Installs doxygen where it is missing, and what docs/requirements.txt pins into build/site/venv.
set -eu
cd "$(dirname "$0")/.."
missing=
for package in doxygen python3-venv; do
    if ! dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed'; then
        missing="$missing $package"
    fi
done
if [ -n "$missing" ]; then
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        as_root=sudo
    fi
    echo "installing:$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of packages
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
fi

venv=build/site/venv
if ! cmp -s docs/requirements.txt "$venv/installed.txt"; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check -r docs/requirements.txt
    cp docs/requirements.txt "$venv/installed.txt"
fi

rm -rf build/site/doxygen build/site/html
mkdir -p build/site/doxygen
python3 docs/site/doxygen_comments.py --check include/taut/*.h
doxygen docs/site/Doxyfile
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --strict
test -s build/site/html/index.html
test -s build/site/html/reference/c/index.html
echo "build/site/html/index.html"
