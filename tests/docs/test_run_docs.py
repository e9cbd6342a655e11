#!/usr/bin/env python3
"""Checks run_docs.py: it accepts a page whose blocks are right, and refuses each of many pages with one broken block.

test_run_docs.py --source DIR --build DIR --scratch DIR [options of run_docs.py]"""
import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCENE = """```json title="rope.json"
{"taut": 1, "frames": 3, "objects": [
  {"name": "rope", "type": "rope", "points": [[0, 0, 0], [1, 0, 0]], "segments": 4, "density": 0.1}],
 "constraints": [{"type": "pin", "at": {"object": "rope", "vertices": [0]}}]}
```
"""
FENCE = "```"

GOOD = {
    "scene and command": SCENE + f"""
{FENCE}sh
taut check rope.json
taut run rope.json --stats stats.jsonl > run.txt
test -s stats.jsonl
{FENCE}
{FENCE}sh
taut check rope.json
{FENCE}
{FENCE}text
rope.json: good: 1 object, 5 particles ...
  rope: ...
{FENCE}
<!-- docs: into rope.json objects.rope -->
{FENCE}json
"stretch": {{"compliance": 1e-3}}
{FENCE}
<!-- docs: into rope.json objects -->
{FENCE}json title="two.json"
{{"name": "bead", "type": "particles", "positions": [[2, 0, 0]]}},
{FENCE}
<!-- docs: bad -->
{FENCE}json title="bad.json"
{{"taut": 1, "objects": []}}
{FENCE}
""",
    "programs": f"""
{FENCE}c title="a.c"
#include <taut/taut.h>
int main(void) {{ return taut_version()[0] == 0; }}
{FENCE}
{FENCE}sh
cc a.c $(pkg-config --cflags --libs taut) -o a
./a
{FENCE}
{FENCE}c
taut_world_set_gravity(world, (double[]){{0, 0, 0}});
{FENCE}
<!-- docs: fragment empty -->
{FENCE}c
taut_scene* scene;
taut_scene_def def = taut_default_scene();
taut_scene_create(&def, &scene);
taut_scene_destroy(scene);
{FENCE}
""",
    "indented": '\n    taut info\n\nand\n\n    {"taut": 1, "objects": [{"name": "a", "type": "particles", "positions": [[0, 0, 0]]}]}\n',
    "synopsis": "<!-- docs: synopsis -->\n\n    taut run SCENE.json [options]   simulates\n",
}

BAD = {
    "a command that fails": f"{FENCE}sh\ntaut run missing.json\n{FENCE}\n",
    "an option that does not exist": SCENE + f"{FENCE}sh\ntaut run rope.json --fast\n{FENCE}\n",
    "a script that does not exist": f"{FENCE}sh\nsh tools/nothing.sh\n{FENCE}\n",
    "a key that does not exist": SCENE.replace("density", "weight"),
    "no JSON": SCENE.replace('"taut": 1,', '"taut": 1'),
    "a fragment with a wrong key": SCENE + f"<!-- docs: into rope.json solver -->\n{FENCE}json\n\"speed\": 1\n{FENCE}\n",
    "a fragment of no object": SCENE + f"<!-- docs: into rope.json objects.wire -->\n{FENCE}json\n\"density\": 1\n{FENCE}\n",
    "a bad scene that is good": SCENE.replace("```json", "<!-- docs: bad -->\n```json"),
    "a program that does not compile": f"{FENCE}c title=\"a.c\"\nint main(void) {{ return taut; }}\n{FENCE}\n",
    "a program that fails": f"{FENCE}c title=\"a.c\"\nint main(void) {{ return 3; }}\n{FENCE}\n",
    "a fragment that does not compile": f"{FENCE}c\ntaut_world_steps(world, 1);\n{FENCE}\n",
    "a fragment whose call fails": f"{FENCE}c\ntaut_world_step(world, -1);\n{FENCE}\n",
    "other words": SCENE + f"{FENCE}sh\ntaut check rope.json\n{FENCE}\n{FENCE}text\nrope.json: bad: 1 object, 5 ...\n{FENCE}\n",
    "other numbers": SCENE + f"{FENCE}sh\ntaut check rope.json\n{FENCE}\n{FENCE}text\n...good: 1 object, 50 particles ...\n{FENCE}\n",
    "less output": f"{FENCE}sh\necho a\necho b\n{FENCE}\n{FENCE}text\na\n{FENCE}\n",
    "an unknown language": f"{FENCE}fortran\nend\n{FENCE}\n",
    "an unknown directive": f"<!-- docs: nothing -->\n{FENCE}sh\ntrue\n{FENCE}\n",
    "a directive before no block": "<!-- docs: bad -->\nText.\n",
    "a block without an end": f"{FENCE}sh\ntrue\n",
    "an indented scene": '\n    {"taut": 2}\n',
}


def run(name, text, options, others):
    scratch = pathlib.Path(options.scratch).resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    page = scratch / "page.md"
    page.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, str(HERE / "run_docs.py"), str(page), "--source", options.source, "--build",
                           options.build, "--scratch", str(scratch / "work"), *others], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    wanted = 0 if name in GOOD else 1
    if done.returncode != wanted or "Traceback" in done.stdout:
        print(f"{name}: exit status {done.returncode}, not {wanted}\n{done.stdout}")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "build", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    options, others = parser.parse_known_args()
    failed = sum(run(name, text, options, others) for pages in (GOOD, BAD) for name, text in pages.items())
    print(f"{len(GOOD)} pages to accept, {len(BAD)} to refuse, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
