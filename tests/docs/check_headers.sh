#!/bin/sh
# check_headers.sh DOXYGEN FOLDER: every public function, struct, member and enumerator has a comment. Runs in the root of the
# repository; what Doxygen writes goes to the folder.
set -eu
doxygen=$1
out=$2
rm -rf "$out"
mkdir -p "$out"
python3 docs/site/doxygen_comments.py --check include/taut/*.h
{
    cat docs/site/Doxyfile
    echo "OUTPUT_DIRECTORY = \"$out\""
    echo "GENERATE_TREEVIEW = NO"
    echo "SEARCHENGINE = NO"
} | "$doxygen" -
test -s "$out/c/index.html"
