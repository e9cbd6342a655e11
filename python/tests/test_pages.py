"""Executes the Python blocks of the page "Use taut from Python" and of the README, those of a page in one namespace.

A block `text` behind one of Python is what that must print; a block with a title is a file."""

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page, least", [("docs/how-to/use-from-python.md", 8), ("README.md", 1)])
def test_a_page(page, least, tmp_path, monkeypatch):
    path = ROOT / page
    if not path.is_file():
        pytest.skip("installed without the sources")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(path.read_text())
    assert sum(language == "python" for language, _, _ in blocks) >= least
    names, printed = {}, None
    for language, title, text in blocks:
        if title:
            (tmp_path / title).write_text(text)
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
