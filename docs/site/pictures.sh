#!/bin/sh
# Makes the pictures of the tutorial again: docs/site/pictures.sh [TAUT]. The scenes are the first blocks with their titles
# on the pages.
set -eu
cd "$(dirname "$0")/../.."
taut=${1:-build/release/bin/taut}
work=build/site/pictures
rm -rf "$work"
mkdir -p "$work"

# scene PAGE TITLE: the text of that block.
scene() {
    awk -v title="$2" '/^```/ { if (on) exit; on = index($0, "title=\"" title "\""); next } on' "docs/tutorial/$1"
}

scene 1-first-scene.md banner.json > "$work/banner.json"
scene 5-contact.md ball.json > "$work/ball.json"
for name in banner ball; do
    "$taut" run "$work/$name.json" --export obj --out "$work/$name"
done
python3 docs/site/draw.py "$work/banner" --objects banner --frames 0,40,120 --turn 40 --tilt 10 --out docs/pictures/tutorial-banner.svg
python3 docs/site/draw.py "$work/ball" --objects sheet,ball --frames 0,12,60 --turn 25 --tilt 25 --out docs/pictures/tutorial-ball.svg
ls -l docs/pictures/tutorial-*.svg
