#!/usr/bin/env python3
"""The section "One expansion, in full" of docs/adding-a-constraint.md shows a stage's text and what the preprocessor makes of
it. This writes both into the page, or with --check compares them. Exit status 77: clang-format is not there.

    tests/docs/expansion.py [--check] [--cc COMPILER]
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
PAGE = os.path.join(ROOT, "docs/adding-a-constraint.md")
TEXT = "src/kernels/stages/apply_kind.h"
FUNCTIONS = ("apply_jacobian_transpose_node", "apply_jacobian_rows", "apply_factor_rows")


def expansion(compiler):
    command = [compiler, "-E", "-P", "-x", "c", "-std=c11", "-DTAUT_REAL=float", "-Iinclude", "-Isrc"]
    source = subprocess.run(command + ["src/kernels/stages/apply.h"], cwd=ROOT, capture_output=True, text=True, check=True)
    shaped = subprocess.run(["clang-format", "--assume-filename=src/apply.c"], cwd=ROOT, input=source.stdout,
                            capture_output=True, text=True, check=True).stdout
    start = r"^__attribute__\(\((?:always_inline, )?unused\)\) static inline void\s+"
    found = [re.search(start + name + r"_distance\(.*?\n}\n", shaped, re.DOTALL | re.MULTILINE) for name in FUNCTIONS]
    missing = [name for name, one in zip(FUNCTIONS, found) if one is None]
    if missing:
        sys.exit(f"expansion: {TEXT} has no {', '.join(missing)}; name its functions in {os.path.basename(__file__)}")
    return "\n".join(one.group(0) for one in found)


def with_block(page, sentence, text):
    """The page with the first C block behind the sentence replaced."""
    at = page.index("```c\n", page.index(sentence)) + len("```c\n")
    return page[:at] + text + page[page.index("```\n", at) :]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cc", default="cc")
    options = parser.parse_args()
    if shutil.which("clang-format") is None:
        print("expansion: clang-format is not there")
        return 77
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    with open(os.path.join(ROOT, TEXT), encoding="utf-8") as file:
        new = with_block(page, "This is the text, `" + TEXT, file.read())
    new = with_block(new, "They are shown unchanged", expansion(options.cc))
    if options.check and new != page:
        print("docs/adding-a-constraint.md is out of date: run tests/docs/expansion.py")
        return 1
    if not options.check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
