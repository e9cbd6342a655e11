#!/usr/bin/env python3
"""Fails where a text of the library names one of its functions: sentences of errors also reach users of Python and of the tool, who
know none. What was not made by taut_default_x is of C alone.

    tools/check-sentences.py [FOLDER OF THE PROJECT]
"""
import pathlib
import re
import sys

TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
FUNCTION = re.compile(r"taut_(?!default)[a-z0-9]+")

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
found = []
for path in sorted((root / "src").rglob("*")):
    lines = path.read_text().splitlines() if path.suffix in (".c", ".h", ".cu", ".cuh") else []
    found += [f"{path.relative_to(root)}:{number}: {text}" for number, line in enumerate(lines, 1)
              if not line.startswith("#") for text in TEXT.findall(line) if FUNCTION.search(text)]
sys.exit("\n".join(found) or 0)
