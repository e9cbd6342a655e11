"""Executes the blocks of pages about Python: those of Python, of a page in one namespace, and commands that start with `python`.

A block `text` behind one of Python is what that must print; a block with a title is a file. Pages find `examples`."""

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
NEEDS = {"docs/how-to/usd-scenes.md": ["pxr"], "docs/how-to/sweep-on-farms.md": ["distributed"],
         "docs/how-to/use-from-python.md": ["meshio", "trimesh", "xarray"]}
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```", re.DOTALL | re.MULTILINE)


def execute(commands):
    """What `pip` and git do, and programs that are not of the package, other tests do."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    lines = commands.replace("\\\n", " ").splitlines()
    wanted = [line for line in lines if line.startswith("python ") and "taut.demo" not in line]
    subprocess.run(["sh", "-eu", "-c", "\n".join(wanted)], check=True, env={**os.environ, "PATH": path})


# The least number of blocks of Python that each has.
PAGES = {"docs/how-to/use-from-python.md": 8, "README.md": 1, "docs/how-to/gradients.md": 1, "docs/how-to/usd-scenes.md": 1,
         "docs/how-to/sweep-on-farms.md": 1}


def test_all_pages_with_blocks_are_executed():
    """Files that a page writes run where the tool is tested."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if not pages[0].is_file():
        pytest.skip("installed without the sources")
    found = {str(page.relative_to(ROOT)) for page in pages
             if any(language == "python" and not title for language, title, _ in BLOCK.findall(page.read_text()))}
    assert found <= set(PAGES)


@pytest.mark.parametrize("page, least", PAGES.items())
def test_a_page(page, least, tmp_path, monkeypatch):
    path = ROOT / page
    if not path.is_file():
        pytest.skip("installed without the sources")
    for module in NEEDS.get(page, ()):
        pytest.importorskip(module)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(path.read_text())
    assert sum(language == "python" for language, _, _ in blocks) >= least
    names, printed = {"__name__": "__main__"}, None
    for language, title, text in blocks:
        if title:
            (tmp_path / title).write_text(text)
            if language == "python":
                continue
        if language == "sh":
            execute(text)
        if language != "python":
            if language != "text" or printed is None:
                printed = None
                continue
            assert [line.split() for line in printed.strip().splitlines()] == [line.split() for line in text.strip().splitlines()]
            printed = None
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(text, str(path), "exec"), names)
        printed = out.getvalue()
